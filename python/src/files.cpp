// Turns the arguments of thalweg.Files into options of the readers, and opens the files.
#include "files.hpp"

#include "interrupt.hpp"
#include "sources/detect.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/filtered.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace thalweg::python {
namespace {

/// What is None, or not said, stays as it is.
template <typename Value>
void take(const py::dict& reading, const char* name, Value& value) {
  if (reading.contains(name) && !reading[name].is_none()) value = py::cast<Value>(reading[name]);
}
template <typename Value>
void take(const py::dict& reading, const char* name, std::optional<Value>& value) {
  if (reading.contains(name) && !reading[name].is_none()) value = py::cast<Value>(reading[name]);
}

bool all_regular(const std::vector<std::string>& patterns) {
  const std::vector<std::string> files = expand_names(patterns);
  std::error_code none;
  return std::all_of(files.begin(), files.end(), [&none](const std::string& file) {
    return std::filesystem::is_regular_file(file, none);
  });
}

TableOptions table_options(const std::vector<std::string>& files, const py::dict& reading) {
  TableOptions options;
  take(reading, "columns", options.columns);
  take(reading, "weight_column", options.weight_column);
  take(reading, "format", options.format);
  take(reading, "header", options.header);
  take(reading, "width", options.width);
  take(reading, "by_position", options.by_position);
  if (reading.contains("on_error"))
    options.on_error = parse_on_error(py::cast<std::string>(reading["on_error"]));
  // Python hears Ctrl-C in one thread alone: a pipe that may be silent is read by the one that listens.
  if (all_regular(files)) take(reading, "threads", options.threads);
  options.stop = [] {
    Interrupt* const listening = Interrupt::current();
    return listening && listening->asked();
  };
  return options;
}

FilterOptions filter_options(const py::dict& reading) {
  FilterOptions options;
  take(reading, "sample", options.sample);
  take(reading, "limit", options.limit);
  take(reading, "shuffle_buffer", options.shuffle);
  take(reading, "seed", options.seed);
  return options;
}

/// Levels that were found become known ones, in the order that np.unique gives; false where all were known.
bool sort_levels(const Schema& schema, TableOptions& options) {
  bool found = false;
  for (std::size_t j = 0; j < schema.width(); ++j) {
    const auto [place, is_new] = options.levels.try_emplace(schema.columns[j], schema.levels[j]);
    if (is_new) std::sort(place->second.begin(), place->second.end());
    found = found || (is_new && place->second != schema.levels[j]);
  }
  return found;
}

const TableSource* table_of(const Rows& rows) {
  return dynamic_cast<const TableSource*>(rows.source.get());
}

}  // namespace

Rows rows_of_files(const std::vector<std::string>& files, const py::dict& reading,
                   const std::optional<LevelsByColumn>& levels, bool others_are_missing) {
  TableOptions options = table_options(files, reading);
  const FilterOptions filter = filter_options(reading);
  Interrupt interrupt;
  std::unique_ptr<FilteredTable> rows;
  try {
    const py::gil_scoped_release release;
    if (levels) {
      options.all_categorical = true;
      options.levels = *levels;
      options.model_levels = others_are_missing;
    }
    auto source = open_table(files, options);
    if (levels && sort_levels(source->schema(), options) && source->rewind())
      source = open_table(files, options);
    rows = std::make_unique<FilteredTable>(std::move(source), filter);
  } catch (const Error&) {
    interrupt.raise();  // a pipe that ended before its first row because of it
    throw;
  }
  interrupt.raise();
  return {std::move(rows), {}, !all_regular(files)};
}

bool is_file(const Rows& rows) { return table_of(rows) != nullptr; }

py::list unknown_levels(const Rows& rows) {
  py::list all;
  if (const TableSource* table = table_of(rows))
    for (const auto& column : table->unknown_levels().columns())
      all.append(py::make_tuple(column.name, column.cells, column.first));
  return all;
}

std::optional<std::size_t> fields(const Rows& rows) {
  const TableSource* table = table_of(rows);
  return table ? std::optional(table->raw_header().size()) : std::nullopt;
}

py::tuple faults(const Rows& rows) {
  const TableSource* table = table_of(rows);
  if (!table) return py::make_tuple(0, 0, py::list());
  const Faults& found = table->faults();
  return py::make_tuple(found.rows_skipped(), found.cells_missing(), found.first());
}

}  // namespace thalweg::python
