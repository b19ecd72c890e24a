// Looks through the first rows for text columns, and says what becomes of each field.
#include "csv_columns.hpp"

#include "cell.hpp"
#include "columns.hpp"
#include "csv_levels.hpp"
#include "csv_reader.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/table_source.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace thalweg {
namespace {

/// Rows of another width are left to those who read them.
std::vector<bool> text_fields(CsvReader& reader) {
  const std::size_t width = reader.names().size();
  std::vector<bool> is_text(width, false);
  std::vector<bool> open(width, true);
  std::size_t bytes = 0;
  std::size_t rows = 0;
  reader.look_ahead([&](const CsvRow& row) {
    bytes += row.text.size() + row.size();
    ++rows;
    for (std::size_t j = 0; j < width && row.size() == width; ++j) {
      if (!open[j]) continue;
      const Cell::Kind kind = read_cell(row[j]).kind;
      open[j] = kind == Cell::Kind::missing;
      is_text[j] = kind == Cell::Kind::text && !has_decimal_comma(row[j]);
    }
    return rows < sample_rows && bytes < sample_bytes &&
           std::find(open.begin(), open.end(), true) != open.end();
  });
  return is_text;
}

CsvLayout layout_for(const CsvReader& reader, const TableOptions& options,
                     const PickedColumns& picked) {
  CsvLayout layout{.fields = std::vector<CsvLayout::Field>(reader.names().size()),
                   .values = picked.data,
                   .weight = picked.weight.has_value(),
                   .label = picked.label.has_value(),
                   .sequences = picked.sequence.has_value() || options.blank_line_sequences,
                   .blank_lines = options.blank_line_sequences,
                   .model_levels = options.model_levels,
                   .on_error = options.on_error,
                   .keep_text = options.keep_text,
                   .has_header = reader.has_header(),
                   .names = reader.names()};
  for (std::size_t column = 0; column < layout.values.size(); ++column)
    layout.fields[layout.values[column]] = {
        picked.categorical[column] ? CsvLayout::Use::level : CsvLayout::Use::value, column};
  if (picked.weight) layout.fields[*picked.weight].use = CsvLayout::Use::weight;
  if (picked.label) layout.fields[*picked.label].use = CsvLayout::Use::label;
  if (picked.sequence) layout.fields[*picked.sequence].use = CsvLayout::Use::sequence;
  return layout;
}

}  // namespace

CsvColumns choose_columns(CsvReader& reader, const TableOptions& options) {
  std::optional<std::vector<bool>> text;  // looked for only if somebody asks
  const auto is_text = [&](std::size_t field) {
    if (!text) text = text_fields(reader);
    return (*text)[field];
  };
  const PickedColumns picked = pick_columns({.source = reader.first_name(),
                                             .names = reader.names(),
                                             .named = reader.has_header(),
                                             .is_text = is_text},
                                            options);
  bool some_row = false;
  reader.look_ahead([&](const CsvRow&) {
    some_row = true;
    return false;
  });
  if (!some_row) throw Error(reader.first_name() + ": no data rows after the header");
  CsvColumns columns{layout_for(reader, options, picked), picked.text};
  find_levels(reader, options, picked, columns.layout);
  return columns;
}

}  // namespace thalweg
