// The names of the columns that a model sees, in their order, and the levels of those that are categorical.
#pragma once

#include <thalweg/export.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace thalweg {

/// A cell of a categorical column is the number of its level, 0, 1, …
struct Schema {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> levels = {};  // of each column; empty where all are numeric

  std::size_t width() const { return columns.size(); }
  bool has_categories() const { return !levels.empty(); }
  bool categorical(std::size_t j) const { return has_categories() && !levels[j].empty(); }
  bool operator==(const Schema&) const = default;

  /// Columns named c0, c1, … for data that bring no names.
  static Schema numbered(std::size_t width) {
    Schema schema;
    for (std::size_t j = 0; j < width; ++j) schema.columns.push_back("c" + std::to_string(j));
    return schema;
  }
};

/// How a schema is not the expected one ("its column \"colour\" has the levels red|blue, not red|green"); empty where it is.
THALWEG_API std::string difference(const Schema& schema, const Schema& expected);

}  // namespace thalweg
