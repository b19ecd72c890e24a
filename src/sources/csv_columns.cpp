#include "csv_columns.hpp"

#include "cell.hpp"
#include "csv_reader.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/core/nearest.hpp>
#include <thalweg/core/text.hpp>
#include <thalweg/data/schema.hpp>
#include <thalweg/sources/table_source.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace thalweg {
namespace {

// How far to look for a column's first cell. One row is enough for a table without holes; the bytes bound memory.
constexpr std::size_t sample_rows = 1024;
constexpr std::size_t sample_bytes = 1U << 23U;

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t longest = 20;
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), longest); ++i)
    result += (i == 0 ? "" : ", ") + printable(names[i]);
  if (names.size() > longest) result += " and " + std::to_string(names.size() - longest) + " more";
  return result;
}

/// Fields by name, index or range. A wide table has thousands of them.
class Directory {
 public:
  explicit Directory(const CsvReader& reader) : reader_(reader), names_(reader.names()) {
    for (std::size_t j = 0; j < names_.size(); ++j) fields_[names_[j]].push_back(j);
  }

  /// The field of that name, which must be there once.
  std::size_t named(const std::string& name) const {
    const auto found = fields_.find(name);
    if (found == fields_.end()) refuse(name);
    return only(found->second);
  }

  /// A name, or else "#3" or "3": an index from 0 on.
  std::size_t one(const std::string& text) const {
    const auto field = find(text);
    if (!field) refuse(text);
    return *field;
  }

  /// One, or else "2-5", "a:d": all fields from the first to the last.
  std::vector<std::size_t> some(const std::string& text) const {
    if (const auto field = find(text)) return {*field};
    for (std::size_t at = 1; at + 1 < text.size(); ++at) {
      if (text[at] != ':' && text[at] != '-') continue;
      const auto first = find(text.substr(0, at));
      const auto last = find(text.substr(at + 1));
      if (!first || !last) continue;
      if (*first > *last)
        throw UsageError("the range of columns " + in_quotes(text) + " goes backwards");
      std::vector<std::size_t> fields;
      for (std::size_t j = *first; j <= *last; ++j) fields.push_back(only(fields_.at(names_[j])));
      return fields;
    }
    refuse(text);
  }

 private:
  std::optional<std::size_t> find(const std::string& text) const {
    const auto found = fields_.find(text);
    if (found != fields_.end()) return only(found->second);
    const bool sign = text.starts_with('#');
    const auto index = text.starts_with('+') ? std::nullopt : to_count(text.substr(sign ? 1 : 0));
    if (!index || *index >= names_.size()) return std::nullopt;
    return only(fields_.at(names_[static_cast<std::size_t>(*index)]));
  }

  [[noreturn]] void refuse(const std::string& name) const {
    const auto nearest = nearest_name(name, names_);
    throw Error(reader_.first_name() + ": no column " + in_quotes(name) +
                (nearest ? ", did you mean " + in_quotes(*nearest) + "?" : "") +
                " (columns: " + list(names_) + ")");
  }

  std::size_t only(const std::vector<std::size_t>& fields) const {
    if (fields.size() > 1)
      throw Error(reader_.first_name() + ": column " + in_quotes(names_[fields[0]]) +
                  " is twice in the header, as fields " + std::to_string(fields[0] + 1) + " and " +
                  std::to_string(fields[1] + 1) +
                  " (rename one, or pick other columns with --columns)");
    return fields.front();
  }

  const CsvReader& reader_;
  const std::vector<std::string>& names_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> fields_;
};

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

/// Names mean places, the j-th name the j-th field, where one side has no names: an input without a header, or columns
/// that are only numbered.
bool means_places(const CsvReader& reader, const TableOptions& options) {
  if (!options.by_position || reader.names().size() != options.columns.size()) return false;
  return !reader.has_header() ||
         options.columns == Schema::numbered(options.columns.size()).columns;
}

/// The fields that were asked for, in that order.
std::vector<std::size_t> picked_fields(const CsvReader& reader, const TableOptions& options,
                                       const Directory& directory) {
  std::vector<std::size_t> fields;
  const bool places = means_places(reader, options);
  for (const std::string& name : options.columns) {
    if (places) {
      fields.push_back(fields.size());
    } else if (options.by_position) {
      fields.push_back(directory.named(name));
    } else {
      for (const std::size_t field : directory.some(name)) fields.push_back(field);
    }
  }
  return fields;
}

CsvLayout layout_for(const CsvReader& reader, const TableOptions& options,
                     std::vector<std::size_t> values, std::optional<std::size_t> weight,
                     std::optional<std::size_t> label) {
  CsvLayout layout{.fields = std::vector<CsvLayout::Field>(reader.names().size()),
                   .values = std::move(values),
                   .weight = weight.has_value(),
                   .label = label.has_value(),
                   .on_error = options.on_error,
                   .keep_text = options.keep_text,
                   .has_header = reader.has_header(),
                   .names = reader.names()};
  for (std::size_t column = 0; column < layout.values.size(); ++column)
    layout.fields[layout.values[column]] = {CsvLayout::Use::value, column};
  if (weight) layout.fields[*weight].use = CsvLayout::Use::weight;
  if (label) layout.fields[*label].use = CsvLayout::Use::label;
  return layout;
}

/// What is left when every column is text.
[[noreturn]] void refuse_no_data(const CsvReader& reader, const TableOptions& options,
                                 const std::vector<std::string>& text) {
  if (text.empty())
    throw Error(reader.first_name() + ": no column beside the " +
                (!options.weight_column.empty() ? "weights " + in_quotes(options.weight_column)
                                                : "labels " + in_quotes(options.label_column)) +
                ", expected at least one with data");
  throw Error(reader.first_name() +
              ": no numeric column, expected at least one (text: " + list(text) + ")");
}

}  // namespace

CsvColumns choose_columns(CsvReader& reader, const TableOptions& options) {
  const Directory directory(reader);
  std::optional<std::size_t> weight;
  std::optional<std::size_t> label;
  if (!options.weight_column.empty()) weight = directory.one(options.weight_column);
  if (!options.label_column.empty()) label = directory.one(options.label_column);
  if (label && label == weight)
    throw UsageError("column " + in_quotes(options.label_column) +
                     " cannot be label and weight at once");
  std::vector<std::size_t> data = picked_fields(reader, options, directory);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::string name = in_quotes(reader.names()[data[i]]);
    const auto before = data.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(data.begin(), before, data[i]) != before)
      throw UsageError("column " + name + " is picked twice");
    if (data[i] == weight)
      throw UsageError("column " + name + " cannot be data and weight at once");
    if (data[i] == label) throw UsageError("column " + name + " cannot be data and label at once");
  }
  bool some_row = false;
  reader.look_ahead([&](const CsvRow&) {
    some_row = true;
    return false;
  });
  if (!some_row) throw Error(reader.first_name() + ": no data rows after the header");
  std::vector<std::string> text;
  if (options.columns.empty()) {
    const std::vector<bool> is_text = text_fields(reader);
    for (std::size_t j = 0; j < is_text.size(); ++j) {
      if (j == weight || j == label) continue;
      if (is_text[j]) {
        text.push_back(reader.names()[j]);
      } else {
        data.push_back(directory.named(reader.names()[j]));
      }
    }
  }
  if (data.empty()) refuse_no_data(reader, options, text);
  return {layout_for(reader, options, std::move(data), weight, label), std::move(text)};
}

}  // namespace thalweg
