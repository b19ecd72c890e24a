// Adds the flags that say what to read, and opens what they name.
#include "input.hpp"

#include "flags.hpp"
#include "interrupts.hpp"
#include "sources/formats.hpp"
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

void InputFlags::add(CLI::App& verb, bool learns) {
  verb.add_option(
      "INPUT", files,
      "files, or patterns like \"data-*.csv\"; - or none: standard input. gzip and zstd "
      "are unpacked");
  if (learns)
    verb.add_option("--columns", columns, "columns to use, in this order (all numeric ones)")
        ->delimiter(',')
        ->type_name("A,B,…");
  if (learns) {
    verb.add_option("--categorical", categorical,
                    "columns that are read by their levels, for models that take them (all)")
        ->delimiter(',')
        ->type_name("A,B,…");
    verb.add_option("--levels", levels,
                    "the levels of a categorical column, where a pipe cannot be looked through "
                    "for them; once for each column")
        ->allow_extra_args(false)
        ->type_name("COLUMN=A|B|…");
    verb.add_option("--sequence", sequence,
                    "a column that says to which sequence a row belongs, for models of sequences")
        ->type_name("NAME");
    verb.add_flag("--sequence-blank-lines", sequence_blank_lines,
                  "blank lines separate sequences, for models of sequences");
  }
  verb.add_option("--weight-column", weight_column, "a column that says how often each row counts")
      ->type_name("NAME");
  if (learns)
    verb.add_option("--label-column", label_column,
                    "a column with the component of a row, by number (0, 1, …) or name; empty: "
                    "unknown")
        ->type_name("NAME");
  add_reading(verb);
  verb.add_option("--on-error", on_error,
                  "what a row or cell that cannot be read does: stop; skip: the row is left out; "
                  "missing: the cell counts as missing (stop)")
      ->check(CLI::IsMember({"stop", "skip", "missing"}))
      ->type_name("NAME");
  verb.add_flag("--follow", follow, "wait at the file's end for what is appended, until Ctrl-C");
  verb.add_option_function<std::string>(
          "--sample",
          [this](const std::string& text) {
            const auto share = to_number(text);
            if (!share || !(*share > 0 && *share <= 1))
              throw UsageError("--sample \"" + text + "\" is not a share from 0 to 1");
            filter.sample = share;
          },
          "use a random share of the rows, the same ones every time")
      ->type_name("F");
  add_count(verb, "--limit", filter.limit, "use the first N rows (of those that --sample keeps)", 1)
      ->type_name("N");
  if (learns)
    add_count(verb, "--shuffle-buffer", filter.shuffle,
              "mix the rows within a window of N, for long inputs that are sorted", 1)
        ->type_name("N");
}

void InputFlags::add_reading(CLI::App& verb) {
  verb.add_option("--format", format, format_list() + " (by the file's ending, else by content)")
      ->check(CLI::IsMember(format_names()))
      ->type_name("NAME");
  verb.add_flag("--no-header", no_header, "the first line is data; columns are c0, c1, …");
  add_count(verb, "--width", width, "columns of libsvm text that comes through a pipe", 1)
      ->type_name("N");
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
  for (const Block& block : source) {
    with_places(source, [&] { model.check(source.schema(), block); });
    rows.append(block);
    if (rows.rows() * rows.bytes_a_row() > limit) return std::nullopt;
  }
  return rows;
}

}  // namespace thalweg::app
