#include "input.hpp"

#include "interrupts.hpp"
#include <thalweg/core/error.hpp>

#include <fmt/format.h>

namespace thalweg::app {

void InputFlags::add(CLI::App& verb, bool picks_columns) {
  verb.add_option("INPUT", files, "CSV or TSV files; - or none: standard input");
  if (picks_columns)
    verb.add_option("--columns", columns, "columns to use, in this order (all numeric ones)")
        ->delimiter(',')
        ->type_name("A,B,…");
  verb.add_option("--weight-column", weight_column, "a column that says how often each row counts")
      ->type_name("NAME");
  if (picks_columns)
    verb.add_option("--label-column", label_column,
                    "a column with the component of a row, by number (0, 1, …) or name; empty: "
                    "unknown")
        ->type_name("NAME");
  verb.add_option("--format", format, "csv or tsv (by the file's ending)")
      ->check(CLI::IsMember({"csv", "tsv"}))
      ->type_name("NAME");
  verb.add_flag("--no-header", no_header, "the first line is data; columns are c0, c1, …");
}

TableOptions InputFlags::options() const {
  TableOptions options;
  options.stop = was_interrupted;
  for (const std::string& name : columns)
    if (name.empty()) throw UsageError("--columns has an empty name");
  options.format = format;
  if (no_header) options.header = false;
  options.columns = columns;
  options.weight_column = weight_column;
  options.label_column = label_column;
  options.labels = labels;
  options.threads = static_cast<std::size_t>(threads);
  return options;
}

std::unique_ptr<TableSource> InputFlags::open_for(const Schema& schema, bool keep_text,
                                                  bool quiet) const {
  TableOptions chosen = options();
  chosen.columns = schema.columns;
  chosen.by_position = true;
  chosen.keep_text = keep_text;
  auto source = open_table(files, chosen);
  if (source->schema() != schema && !quiet)
    fmt::print(stderr, "note: names are missing, so the columns {} are taken by position\n",
               fmt::join(schema.columns, ", "));
  return source;
}

std::optional<Table> read_all(Source& source, const AnyModel& model, std::uint64_t limit) {
  Table rows(source.schema().width());
  for (const Block& block : source) {
    with_places(source, [&] { model.check(source.schema(), block); });
    rows.append(block);
    if (rows.rows() * rows.bytes_a_row() > limit) return std::nullopt;
  }
  return rows;
}

}  // namespace thalweg::app
