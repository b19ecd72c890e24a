// Options as each face spells them, and which models know them.
#include "catalogue/options.hpp"

#include "core/text.hpp"
#include <thalweg/catalogue/catalogue.hpp>

#include <algorithm>
#include <cctype>

namespace thalweg {
namespace {

const Entry* entry_named(std::string_view name) {
  const auto found = std::ranges::find(catalogue(), name, &Entry::name);
  return found == catalogue().end() ? nullptr : &*found;
}

Spelled command_word(const Mention& mention) {
  const Option* const row = find_option(mention.option);
  if (!row) {  // the name of a flag that no model has
    std::string flag = "--" + mention.option;
    std::ranges::replace(flag, '_', '-');
    return {flag, false};
  }
  if (row->flag.empty()) return {mention.option, false};
  const std::string flag(row->short_flag());
  return {mention.value.empty() ? flag : flag + " " + mention.value};
}

/// name='value', name=3.
std::string argument(std::string_view name, const std::string& value) {
  return std::string(name) + "=" + (to_number(value) ? value : "'" + value + "'");
}

Spelled python_word(const Mention& mention) {
  const auto& [name, value] = mention;
  if (const Entry* const entry = name == "model" ? entry_named(value) : nullptr)
    return {"thalweg." + python_class(*entry)};
  const Option* const row = find_option(name);
  if (!row) return {name, false};
  const bool of_table = std::ranges::find(option_table, name, &Option::name) != option_table.end();
  const InPython& python = row->python;
  if (of_table && python.name.empty())
    return {std::string(python.words.empty() ? row->name : python.words), false};
  const std::string called(python_name(*row));
  if (python.place == InPython::Place::files)
    return {"thalweg.Files(…, " + (value.empty() ? called + "=…" : argument(called, value)) + ")"};
  const bool plain = value.empty() || (row->takes == Takes::names && row->choices.empty());
  return {plain ? called : argument(called, value)};
}

}  // namespace

const Option* find_option(std::string_view name) {
  if (const auto row = std::ranges::find(option_table, name, &Option::name);
      row != option_table.end())
    return &*row;
  for (const Entry& entry : catalogue())
    if (const Option* const row = entry.option(name)) return row;
  return nullptr;
}

bool knows(const Entry& entry, const Option& row) {
  switch (row.needs) {
    case Needs::nothing:
      return true;
    case Needs::components:
      return entry.has_components();
    case Needs::covariances:
      return std::ranges::find(entry.layout.pieces(), Domain::covariance, &Piece::domain) !=
             entry.layout.pieces().end();
    case Needs::categories:
      return entry.takes_categories;
  }
  return true;
}

std::string python_class(const Entry& entry) {
  if (!entry.python.name.empty()) return entry.python.name;
  std::string name;
  bool capital = true;
  for (const char c : entry.name) {
    if (c != '-')
      name += capital ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    capital = c == '-';
  }
  return entry.latent == Latent::components ? name + "Mixture" : name;
}

std::string in_command(const Message& message) { return message.text(command_word); }
std::string in_python(const Message& message) { return message.text(python_word); }

std::string help_with_default(const Option& row) {
  const std::string_view shown = row.usual.empty() ? row.standard : row.usual;
  return std::string(row.help) + (shown.empty() ? "" : " (" + std::string(shown) + ")");
}

}  // namespace thalweg
