// Picks the columns by name, index or range, and refuses what fits none.
#include "columns.hpp"

#include "cell.hpp"
#include "core/nearest.hpp"
#include "core/text.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/table_source.hpp>

#include <algorithm>
#include <optional>
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

/// Columns by name, index or range. A wide table has thousands of them.
class Directory {
 public:
  explicit Directory(const Columns& columns) : source_(columns.source), names_(columns.names) {
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
    throw Error(source_ + ": no column " + in_quotes(name) +
                (nearest ? ", did you mean " + in_quotes(*nearest) + "?" : "") +
                " (columns: " + list(names_) + ")");
  }

  std::size_t only(const std::vector<std::size_t>& fields) const {
    if (fields.size() > 1)
      throw Error(source_ + ": column " + in_quotes(names_[fields[0]]) +
                      " is twice in the header, as fields " + std::to_string(fields[0] + 1) +
                      " and " + std::to_string(fields[1] + 1),
                  {"rename one", "pick other columns with " + option("columns")});
    return fields.front();
  }

  const std::string& source_;
  const std::vector<std::string>& names_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> fields_;
};

/// Names mean places, the j-th name the j-th column, where one side has no names.
bool means_places(const Columns& columns, const TableOptions& options) {
  if (!options.by_position || columns.label_only || columns.names.size() != options.columns.size())
    return false;
  return !columns.named || options.columns == Schema::numbered(options.columns.size()).columns;
}

/// The columns that were asked for, in that order.
std::vector<std::size_t> asked_for(const Columns& columns, const TableOptions& options,
                                   const Directory& directory) {
  std::vector<std::size_t> places;
  const bool in_order = means_places(columns, options);
  for (const std::string& name : options.columns) {
    if (in_order) {
      places.push_back(places.size());
    } else if (options.by_position) {
      places.push_back(directory.named(name));
    } else {
      for (const std::size_t place : directory.some(name)) places.push_back(place);
    }
  }
  return places;
}

/// Which data columns are categorical, and their levels where they are known.
void pick_levels(const Columns& columns, const TableOptions& options, const Directory& directory,
                 PickedColumns& picked) {
  const std::vector<std::size_t>& data = picked.data;
  picked.categorical.assign(data.size(), options.all_categorical);
  picked.levels.resize(data.size());
  const bool in_order = means_places(columns, options);
  const auto data_column = [&](const std::string& name, std::size_t place) {
    if (in_order)  // the names are those of `columns`
      place = data[static_cast<std::size_t>(std::ranges::find(options.columns, name) -
                                            options.columns.begin())];
    const auto found = std::ranges::find(data, place);
    if (found == data.end())
      throw UsageError(
          "column " + in_quotes(columns.names[place]) + " is categorical, but not among the data",
          {"add it to " + option("columns")});
    return static_cast<std::size_t>(found - data.begin());
  };
  for (const std::string& text : options.categorical)
    for (const std::size_t place : in_order ? std::vector<std::size_t>{0} : directory.some(text))
      picked.categorical[data_column(text, place)] = true;
  for (const auto& [name, levels] : options.levels) {
    const std::size_t i = data_column(name, in_order ? 0 : directory.one(name));
    if (!picked.categorical[i])
      throw UsageError("column " + in_quotes(name) + " has levels, but is not categorical",
                       {"add it to " + option("categorical")});
    picked.levels[i] = levels;
  }
}

void check_data(const Columns& columns, const PickedColumns& picked) {
  std::vector<bool> taken(columns.names.size(), false);
  for (const std::size_t place : picked.data) {
    const std::string name = in_quotes(columns.names[place]);
    if (taken[place]) throw UsageError("column " + name + " is picked twice");
    if (place == picked.weight)
      throw UsageError("column " + name + " cannot be data and weight at once");
    if (place == picked.label)
      throw UsageError("column " + name + " cannot be data and label at once");
    if (place == picked.sequence)
      throw UsageError("column " + name + " cannot be data and sequence at once");
    taken[place] = true;
  }
}

/// What is left when every column is text.
[[noreturn]] void refuse_no_data(const Columns& columns, const TableOptions& options,
                                 const std::vector<std::string>& text) {
  if (!text.empty())
    throw Error(columns.source + ": no numeric column, expected at least one (text: " + list(text) +
                "; " + option("model", "categorical") + " takes them)");
  throw Error(columns.source + ": no column beside the " +
              (!options.weight_column.empty() ? "weights " + in_quotes(options.weight_column)
               : !options.label_column.empty()
                   ? "labels " + in_quotes(options.label_column)
                   : "sequences " + in_quotes(options.sequence_column)) +
              ", expected at least one with data");
}

}  // namespace

PickedColumns pick_columns(const Columns& columns, const TableOptions& options) {
  const Directory directory(columns);
  PickedColumns picked;
  if (!options.weight_column.empty()) picked.weight = directory.one(options.weight_column);
  if (!options.label_column.empty()) picked.label = directory.one(options.label_column);
  if (picked.label && picked.label == picked.weight)
    throw UsageError("column " + in_quotes(options.label_column) +
                     " cannot be label and weight at once");
  if (!options.sequence_column.empty()) picked.sequence = directory.one(options.sequence_column);
  if (picked.sequence && (picked.sequence == picked.weight || picked.sequence == picked.label))
    throw UsageError("column " + in_quotes(options.sequence_column) +
                     " cannot be sequence and weight or label at once");
  picked.data = asked_for(columns, options, directory);
  check_data(columns, picked);
  if (!options.columns.empty()) {
    pick_levels(columns, options, directory, picked);
    return picked;
  }
  std::vector<bool> by_levels(columns.names.size(), options.all_categorical);
  for (const std::string& text : options.categorical)
    for (const std::size_t place : directory.some(text)) by_levels[place] = true;
  for (std::size_t j = 0; j < columns.names.size(); ++j) {
    if (j == picked.weight || j == picked.label || j == picked.sequence || j == columns.label_only)
      continue;
    if (!by_levels[j] && columns.is_text && columns.is_text(j)) {
      picked.text.push_back(columns.names[j]);
    } else {
      picked.data.push_back(directory.named(columns.names[j]));
    }
  }
  if (picked.data.empty() && !(options.text_alone && !picked.text.empty()))
    refuse_no_data(columns, options, picked.text);
  pick_levels(columns, options, directory, picked);
  return picked;
}

}  // namespace thalweg
