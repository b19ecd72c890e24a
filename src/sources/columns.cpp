#include "columns.hpp"

#include "cell.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/core/nearest.hpp>
#include <thalweg/sources/table_source.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace thalweg {
namespace {

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t longest = 20;
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), longest); ++i)
    result += (i == 0 ? "" : ", ") + printable(names[i]);
  if (names.size() > longest) result += " and " + std::to_string(names.size() - longest) + " more";
  return result;
}

/// Columns by name: a wide table has thousands of them.
class Directory {
 public:
  explicit Directory(const Columns& columns) : columns_(columns) {}

  std::size_t operator[](const std::string& name) {
    if (places_.empty())
      for (std::size_t j = 0; j < columns_.names.size(); ++j) places_.emplace(columns_.names[j], j);
    const auto found = places_.find(name);
    if (found != places_.end()) return found->second;
    const auto nearest = nearest_name(name, columns_.names);
    throw Error(columns_.source + ": no column " + in_quotes(name) +
                (nearest ? ", did you mean " + in_quotes(*nearest) + "?" : "") +
                " (columns: " + list(columns_.names) + ")");
  }

 private:
  const Columns& columns_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

/// Names mean places, the j-th name the j-th column, where one side has no names.
bool means_places(const Columns& columns, const TableOptions& options) {
  if (!options.by_position || columns.label_only || columns.names.size() != options.columns.size())
    return false;
  return !columns.named || options.columns == Schema::numbered(options.columns.size()).columns;
}

void check_roles(const PickedColumns& picked, const TableOptions& options) {
  if (picked.label && picked.label == picked.weight)
    throw UsageError("column " + in_quotes(options.label_column) +
                     " cannot be label and weight at once");
}

/// The data columns by name.
void pick_named(const Columns& columns, const TableOptions& options, Directory& places,
                PickedColumns& picked) {
  const bool by_position = means_places(columns, options);
  std::vector<bool> taken(columns.names.size(), false);
  for (const std::string& name : options.columns) {
    const std::size_t place = by_position ? picked.data.size() : places[name];
    if (taken[place]) throw UsageError("column " + in_quotes(name) + " is picked twice");
    if (place == picked.weight)
      throw UsageError("column " + in_quotes(name) + " cannot be data and weight at once");
    if (place == picked.label)
      throw UsageError("column " + in_quotes(name) + " cannot be data and label at once");
    taken[place] = true;
    picked.data.push_back(place);
  }
}

}  // namespace

PickedColumns pick_columns(const Columns& columns, const TableOptions& options) {
  Directory places(columns);
  PickedColumns picked;
  if (!options.weight_column.empty()) picked.weight = places[options.weight_column];
  if (!options.label_column.empty()) picked.label = places[options.label_column];
  check_roles(picked, options);
  pick_named(columns, options, places, picked);
  if (!options.columns.empty()) return picked;
  for (std::size_t j = 0; j < columns.names.size(); ++j) {
    if (j == picked.weight || j == picked.label || j == columns.label_only) continue;
    if (columns.is_text && columns.is_text(j)) {
      picked.text.push_back(columns.names[j]);
    } else {
      picked.data.push_back(j);
    }
  }
  if (!picked.data.empty()) return picked;
  if (picked.text.empty())
    throw Error(columns.source +
                ": no column beside weights and labels, expected at least one with data");
  throw Error(columns.source +
              ": no numeric column, expected at least one (text: " + list(picked.text) + ")");
}

}  // namespace thalweg
