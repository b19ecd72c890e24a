#include "csv_columns.hpp"

#include "cell.hpp"
#include "csv_reader.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/core/nearest.hpp>
#include <thalweg/sources/csv.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_map>

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

/// Fields by name. A wide table has thousands of them.
class Directory {
 public:
  explicit Directory(const CsvReader& reader) : reader_(reader) {
    const auto& names = reader.names();
    for (std::size_t j = 0; j < names.size(); ++j) fields_[names[j]].push_back(j);
  }

  /// The field of that name, which must be there once.
  std::size_t operator[](const std::string& name) const {
    const auto found = fields_.find(name);
    if (found == fields_.end()) {
      const auto nearest = nearest_name(name, reader_.names());
      throw Error(reader_.first_name() + ": no column " + in_quotes(name) +
                  (nearest ? ", did you mean " + in_quotes(*nearest) + "?" : "") +
                  " (columns: " + list(reader_.names()) + ")");
    }
    const std::vector<std::size_t>& fields = found->second;
    if (fields.size() > 1)
      throw Error(reader_.first_name() + ": column " + in_quotes(name) +
                  " is twice in the header, as fields " + std::to_string(fields[0] + 1) + " and " +
                  std::to_string(fields[1] + 1) +
                  " (rename one, or pick other columns with --columns)");
    return fields.front();
  }

 private:
  const CsvReader& reader_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> fields_;
};

std::vector<bool> text_fields(CsvReader& reader) {
  const std::size_t width = reader.names().size();
  std::vector<bool> is_text(width, false);
  std::vector<bool> open(width, true);
  std::size_t bytes = 0;
  const CsvRow* row = nullptr;
  for (std::size_t i = 0; i < sample_rows && bytes < sample_bytes; ++i) {
    if (std::find(open.begin(), open.end(), true) == open.end()) break;
    if (!(row = reader.look_ahead(i))) break;
    bytes += row->bytes();
    for (std::size_t j = 0; j < width; ++j) {
      if (!open[j]) continue;
      const Cell::Kind kind = read_cell((*row)[j]).kind;
      open[j] = kind == Cell::Kind::missing;
      is_text[j] = kind == Cell::Kind::text;
    }
  }
  return is_text;
}

/// Names mean places, the j-th name the j-th field, where one side has no names: an input without a header, or columns
/// that are only numbered.
bool means_places(const CsvReader& reader, const TableOptions& options) {
  if (!options.by_position || reader.names().size() != options.columns.size()) return false;
  return !reader.has_header() ||
         options.columns == Schema::numbered(options.columns.size()).columns;
}

}  // namespace

CsvColumns choose_columns(CsvReader& reader, const TableOptions& options) {
  const Directory fields(reader);
  CsvColumns chosen;
  if (!options.weight_column.empty()) chosen.weight = fields[options.weight_column];
  if (!options.label_column.empty()) chosen.label = fields[options.label_column];
  if (chosen.label && chosen.label == chosen.weight)
    throw UsageError("column " + in_quotes(options.label_column) +
                     " cannot be label and weight at once");
  const bool by_position = means_places(reader, options);
  for (const std::string& name : options.columns) {
    const std::size_t field = by_position ? chosen.data.size() : fields[name];
    if (std::find(chosen.data.begin(), chosen.data.end(), field) != chosen.data.end())
      throw UsageError("column " + in_quotes(name) + " is picked twice");
    if (field == chosen.weight)
      throw UsageError("column " + in_quotes(name) + " cannot be data and weight at once");
    if (field == chosen.label)
      throw UsageError("column " + in_quotes(name) + " cannot be data and label at once");
    chosen.data.push_back(field);
  }
  if (!reader.look_ahead(0)) throw Error(reader.first_name() + ": no data rows after the header");
  if (options.columns.empty()) {
    const std::vector<bool> is_text = text_fields(reader);
    for (std::size_t j = 0; j < is_text.size(); ++j) {
      if (j == chosen.weight || j == chosen.label) continue;
      if (is_text[j]) {
        chosen.text.push_back(reader.names()[j]);
      } else {
        chosen.data.push_back(fields[reader.names()[j]]);
      }
    }
  }
  if (!chosen.data.empty()) return chosen;
  if (chosen.text.empty())
    throw Error(reader.first_name() + ": no column beside the " +
                (chosen.weight ? "weights " + in_quotes(options.weight_column)
                               : "labels " + in_quotes(options.label_column)) +
                ", expected at least one with data");
  const auto& names = reader.names();
  const bool tabs = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.find('\t') != std::string::npos;
  });
  throw Error(reader.first_name() + ": no numeric column, expected at least one (" +
              (tabs ? "there are tabs: use --format tsv" : "text: " + list(chosen.text)) + ")");
}

}  // namespace thalweg
