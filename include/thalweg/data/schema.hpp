// The names of the columns that a model sees, in their order.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace thalweg {

struct Schema {
  std::vector<std::string> columns;

  std::size_t width() const { return columns.size(); }
  bool operator==(const Schema&) const = default;

  /// Columns named c0, c1, … for data that bring no names.
  static Schema numbered(std::size_t width) {
    Schema schema;
    for (std::size_t j = 0; j < width; ++j) schema.columns.push_back("c" + std::to_string(j));
    return schema;
  }
};

}  // namespace thalweg
