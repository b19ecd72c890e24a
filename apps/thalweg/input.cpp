// Adds the flags that say what to read, and opens what they name.
#include "input.hpp"

#include "flags.hpp"
#include "interrupts.hpp"
#include "sources/formats.hpp"
#include <thalweg/catalogue/catalogue.hpp>
#include <thalweg/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace thalweg::app {
namespace {

/// "colour=red|green|blue", a column at a time.
std::map<std::string, std::vector<std::string>> parse_levels(const std::vector<std::string>& all) {
  std::map<std::string, std::vector<std::string>> levels;
  for (const std::string& text : all) {
    const std::size_t sign = text.find('=');
    if (sign == 0 || sign == std::string::npos || sign + 1 == text.size())
      throw UsageError("--levels \"" + text + "\" is not like colour=red|green|blue");
    const std::string column = text.substr(0, sign);
    if (levels.contains(column)) throw UsageError("--levels names column " + column + " twice");
    for (std::size_t begin = sign + 1; begin <= text.size();) {
      const std::size_t end = std::min(text.find('|', begin), text.size());
      levels[column].push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return levels;
}

}  // namespace

std::string models_that(bool Entry::*takes) {
  std::vector<std::string> names;
  for (const Entry& entry : catalogue())
    if (entry.*takes) names.push_back(entry.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void InputFlags::add(CLI::App& verb, bool learns) {
  verb.add_option(
      "INPUT", files,
      "files, or patterns like \"data-*.csv\"; - or none: standard input. gzip and zstd "
      "are unpacked");
  if (learns) {
    add_row(verb, "columns", columns)->delimiter(',');
    add_row(verb, "categorical", categorical)->delimiter(',');
    add_row(verb, "levels", levels)->allow_extra_args(false);
  }
  add_row(verb, "sequence", sequence);
  add_row(verb, "sequence_blank_lines", sequence_blank_lines);
  add_row(verb, "weight_column", weight_column);
  if (learns) add_row(verb, "label_column", label_column);
  add_reading(verb);
  add_row(verb, "on_error", on_error);
  add_row(verb, "follow", follow);
  add_row(verb, "sample", filter.sample);
  add_row(verb, "limit", filter.limit);
  if (learns) add_row(verb, "shuffle_buffer", filter.shuffle);
}

void InputFlags::add_reading(CLI::App& verb) {
  add_row(verb, "format", format)
      ->check(CLI::IsMember(format_names()))
      ->description(format_list() + " (by the file's ending, else by content)");
  add_row(verb, "no_header", no_header);
  add_row(verb, "width", width);
}

void InputFlags::check_sequences(const Entry& entry) const {
  const bool given = !sequence.empty() || sequence_blank_lines;
  if (!entry.takes_sequences && given)
    throw UsageError(
        fmt::format("model {} knows no sequences, every row stands for itself (--model {} takes "
                    "them)",
                    entry.name, models_that(&Entry::takes_sequences)));
  if (!entry.takes_sequences) return;
  const auto refuse = [&entry](const char* flag) {
    throw UsageError(fmt::format("{} would tear the sequences of a {} model apart (leave it out)",
                                 flag, entry.name));
  };
  if (filter.sample) refuse("--sample");
  if (filter.shuffle) refuse("--shuffle-buffer");
}

bool InputFlags::one_sequence(const Entry& entry) const {
  return entry.takes_sequences && sequence.empty() && !sequence_blank_lines;
}

TableOptions InputFlags::options() const {
  TableOptions options;
  options.stop = was_interrupted;
  for (const std::string& name : columns)
    if (name.empty()) throw UsageError("--columns has an empty name");
  if (follow && (files.size() != 1 || files.front() == "-"))
    throw UsageError("--follow takes one file (a pipe is read until it ends anyway)");
  options.follow = follow;
  options.format = format;
  options.on_error = parse_on_error(on_error);
  options.width = static_cast<std::size_t>(width);
  if (no_header) options.header = false;
  options.columns = columns;
  options.categorical = categorical;
  options.all_categorical = all_categorical;
  options.levels = parse_levels(levels);
  options.sequence_column = sequence;
  options.blank_line_sequences = sequence_blank_lines;
  options.weight_column = weight_column;
  options.label_column = label_column;
  options.labels = labels;
  options.threads = static_cast<std::size_t>(threads);
  return options;
}

std::vector<std::string> InputFlags::settings() const {
  const auto or_default = [](const auto& value) {
    return value ? std::to_string(*value) : std::string("by itself");
  };
  return {"--weight-column " + weight_column,
          "--label-column " + label_column,
          "--on-error " + on_error,
          "--limit " + or_default(filter.limit),
          "--sample " + or_default(filter.sample),
          "--shuffle-buffer " + or_default(filter.shuffle)};
}

std::unique_ptr<FilteredTable> InputFlags::open() const {
  return std::make_unique<FilteredTable>(open_table(files, options()), filter);
}

std::unique_ptr<FilteredTable> InputFlags::open_for(const Schema& schema, bool keep_text,
                                                    bool quiet) const {
  TableOptions chosen = options();
  chosen.columns = schema.columns;
  chosen.all_categorical = false;
  chosen.categorical.clear();
  chosen.levels.clear();
  chosen.model_levels = true;
  for (std::size_t j = 0; j < schema.width(); ++j)
    if (schema.categorical(j)) {
      chosen.categorical.push_back(schema.columns[j]);
      chosen.levels[schema.columns[j]] = schema.levels[j];
    }
  chosen.by_position = true;
  chosen.keep_text = keep_text;
  auto source = open_table(files, chosen);
  if (source->schema() != schema && !quiet)
    fmt::print(stderr, "note: names are missing, so the columns {} are taken by position\n",
               fmt::join(schema.columns, ", "));
  return std::make_unique<FilteredTable>(std::move(source), filter);
}

std::optional<Table> read_all(Source& source, const Model& model, std::uint64_t limit) {
  Table rows(source.schema().width());
  Admission border(model.plan(source.schema()).unit);
  for (const Block& block : source) {
    with_places(source, [&] { border.admit(model, source.schema(), block); });
    rows.append(block);
    if (rows.rows() * rows.bytes_a_row() > limit) return std::nullopt;
  }
  return rows;
}

}  // namespace thalweg::app
