// Options of a model, checked and completed, and the model that they make.
#include "core/text.hpp"
#include <thalweg/catalogue/catalogue.hpp>

#include <algorithm>

namespace thalweg {
namespace {

Message said(std::string_view word) { return std::string(word); }
const Message& said(const Message& word) { return word; }

template <class Words>
Message join(const Words& words) {
  Message joined;
  for (const auto& word : words) joined += (joined.empty() ? "" : ", ") + said(word);
  return joined;
}

Message named(const Option& row) { return option(std::string(row.name)); }

void check_value(const Entry& entry, const Option& row, const std::string& value) {
  if (row.is_count()) {
    const auto count = to_count(value);
    if (!count || *count < 1 || *count > 1'000'000)
      throw UsageError("model " + entry.name + ": " + named(row) + " \"" + value +
                       "\" is not a whole number from 1 to 1000000");
  } else if (std::find(row.choices.begin(), row.choices.end(), value) == row.choices.end()) {
    throw UsageError("model " + entry.name + ": " + named(row) + " \"" + value +
                     "\" is not one of " + join(row.choices));
  }
}

/// Numbers or categories, as the model takes them.
void check_columns(const Entry& entry, const Schema& schema) {
  for (std::size_t j = 0; j < schema.width(); ++j) {
    if (schema.categorical(j) == entry.takes_categories) continue;
    const std::string column = "column \"" + schema.columns[j] + "\"";
    if (entry.takes_categories)
      throw UsageError(
          "model " + entry.name + " needs categorical columns, " + column + " is numeric",
          {option("categorical") + " names those that are read by their levels"});
    std::vector<Message> others;
    for (const Entry& other : catalogue())
      if (other.takes_categories) others.push_back(option("model", other.name));
    throw UsageError("model " + entry.name + " takes no categorical columns, " + column + " is one",
                     {join(others) + " takes them"});
  }
}

}  // namespace

const std::string& ModelOptions::text(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  if (found == values_.end()) throw UsageError("option \"" + std::string(name) + "\" has no value");
  return found->second;
}

std::size_t ModelOptions::count(std::string_view name) const {
  const auto value = to_count(text(name));
  if (!value) throw UsageError("option \"" + std::string(name) + "\" is not a count");
  return static_cast<std::size_t>(*value);
}

const Option* Entry::option(std::string_view wanted) const {
  const auto found = std::ranges::find(options, wanted, &Option::name);
  return found == options.end() ? nullptr : &*found;
}

bool Entry::has_size() const { return std::ranges::any_of(options, &Option::is_count); }

const Option& Entry::size() const {
  const auto found = std::ranges::find_if(options, &Option::is_count);
  if (found == options.end())
    throw UsageError("model " + name + " has no number of components or factors");
  return *found;
}

std::shared_ptr<const Model> Entry::make(const ModelOptions& given, const Schema& schema) const {
  const ModelOptions all = complete(given);
  check_columns(*this, schema);
  return build(all, schema);
}

ModelOptions Entry::complete(const ModelOptions& given) const {
  std::vector<Message> known_here;
  for (const Option& row : options) known_here.push_back(named(row));
  for (const auto& [name_given, value] : given.values()) {
    const auto known =
        std::find_if(options.begin(), options.end(),
                     [&wanted = name_given](const Option& o) { return o.name == wanted; });
    if (known == options.end())
      throw UsageError("model " + name + " knows no " + thalweg::option(name_given) + " (it has " +
                       join(known_here) + ")");
    check_value(*this, *known, value);
  }
  ModelOptions all = given;
  for (const Option& row : options) {
    const bool is_given = all.values().contains(std::string(row.name));
    if (!row.only.option.empty() && all.text(row.only.option) != row.only.value) {
      const auto with = [&](std::string_view value) {
        return thalweg::option(std::string(row.only.option), std::string(value));
      };
      if (is_given)
        throw UsageError("model " + name + ": " + named(row) + " means nothing to " +
                         with(all.text(row.only.option)) + " (it goes with " +
                         with(row.only.value) + ")");
      continue;
    }
    if (is_given) continue;
    if (row.standard.empty())
      throw UsageError("model " + name + " needs " + named(row) + " (" + Message::parse(row.help) +
                       ")");
    all.set(row.name, std::string(row.standard));
  }
  return all;
}

}  // namespace thalweg
