// Options, columns and levels of a model file that leaves them out.
#include "file_shapes.hpp"

#include "core/change.hpp"
#include <thalweg/core/error.hpp>

#include <algorithm>

namespace thalweg {
namespace {

/// How many components, or factors: the first extent of the first piece by component, the last one of the loadings.
std::optional<std::size_t> size_of(const ModelFile& file, const Entry& entry) {
  const bool factors = entry.latent == Latent::factors;
  for (const Piece& piece : entry.layout.pieces()) {
    if (!(factors ? piece.domain == Domain::loadings : piece.by_component())) continue;
    const NamedArray* const array = find_array(file.parameters, piece.name);
    if (!array || array->shape.size() != piece.shape.size()) return std::nullopt;
    return factors ? array->shape.back() : array->shape.front();
  }
  return std::nullopt;
}

/// The choice with which one of the file's parameters goes: rates belong to poisson emissions.
std::optional<std::string> choice_of(const ModelFile& file, const Entry& entry,
                                     std::string_view option) {
  for (const ParameterInfo& info : entry.parameters)
    if (info.only.option == option && find_array(file.parameters, info.name))
      return std::string(info.only.value);
  return entry.option_from ? entry.option_from(option, file.parameters) : std::nullopt;
}

/// The levels that the file names, each column's own: different ones, and none without a name.
void add_levels(const ModelFile& file, Schema& schema) {
  if (file.levels.empty()) return;
  schema.levels.resize(schema.width());
  for (const auto& [column, levels] : file.levels) {
    const auto found = std::ranges::find(schema.columns, column);
    if (found == schema.columns.end())
      throw Error("it has levels of \"" + column + "\", which is none of its columns");
    std::vector<std::string> names = levels;
    std::sort(names.begin(), names.end());
    if (names.empty() || names.front().empty())
      throw Error("column \"" + column + "\" has " +
                  (names.empty() ? "no levels" : "a level without a name"));
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
      throw Error("column \"" + column + "\" has the level \"" + *twice + "\" twice");
    schema.levels[static_cast<std::size_t>(found - schema.columns.begin())] = levels;
  }
}

/// The widths of the tables that stand for columns; none where the model has no such, or the file.
std::vector<std::size_t> table_widths(const ModelFile& file, const Entry& entry) {
  const Piece* const tables = level_tables(entry.layout);
  const NamedArray* const array = tables ? find_array(file.parameters, tables->name) : nullptr;
  return array ? as_tables(*array).parts : std::vector<std::size_t>();
}

/// Where a file names none: as many levels as its tables are wide, called 0, 1, …
void number_levels(const ModelFile& file, const Entry& entry, Schema& schema) {
  const std::vector<std::size_t> widths = table_widths(file, entry);
  if (widths.size() != schema.width()) return;  // said by whoever compares the shapes
  for (const std::size_t width : widths) {
    std::vector<std::string>& levels = schema.levels.emplace_back();
    for (std::size_t l = 0; l < width; ++l) levels.push_back(std::to_string(l));
  }
}

/// As many as the tables, the first axis of columns or, where no piece is as it should be, the first K × d parameter has.
std::size_t width_of(const ModelFile& file, const Entry& entry) {
  if (const std::size_t tables = table_widths(file, entry).size(); tables > 0) return tables;
  for (const Piece& piece : entry.layout.pieces()) {
    const NamedArray* const array = find_array(file.parameters, piece.name);
    const auto axis = std::ranges::find(piece.axes, Axis::column);
    if (array && axis != piece.axes.end() && array->shape.size() == piece.shape.size())
      return array->shape[static_cast<std::size_t>(axis - piece.axes.begin())];
  }
  for (const NamedArray& array : file.parameters) {
    const Piece* const piece = entry.layout.find(array.name);
    const bool between = piece && piece->axis(1) == Axis::component;  // says nothing of columns
    if (array.shape.size() >= 2 && !between) return array.shape[1];
  }
  throw Error("the number of columns cannot be told from its parameters");
}

Schema columns_of(const ModelFile& file, const Entry& entry) {
  if (file.columns.empty()) return Schema::numbered(width_of(file, entry));
  std::vector<std::string> names = file.columns;
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    throw Error("column \"" + *twice + "\" is there twice");
  return {file.columns};
}

}  // namespace

ModelOptions options_of(const ModelFile& file, const Entry& entry) {
  ModelOptions options;
  for (const auto& [name, value] : file.options) options.set(name, value);
  for (const Option& option : entry.options) {
    if (file.options.contains(std::string(option.name))) continue;
    if (entry.has_size() && &option == &entry.size()) {
      if (const auto size = size_of(file, entry)) options.set(option.name, std::to_string(*size));
    } else if (const auto choice = choice_of(file, entry, option.name)) {
      options.set(option.name, *choice);
    }
  }
  return options;
}

Schema schema_of(const ModelFile& file, const Entry& entry) {
  Schema schema = columns_of(file, entry);
  add_levels(file, schema);
  if (entry.takes_categories && file.levels.empty()) number_levels(file, entry, schema);
  return schema;
}

}  // namespace thalweg
