// The names of the columns that a model sees, in their order, their roles, and the levels of those that are categorical.
#pragma once

#include <thalweg/export.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// What a column is to a model; the cells of all of them lie in a block's values.
enum class Role : std::uint8_t {
  data,
  response,  // of a regression; where it is missing in a prediction it is what is wanted
  exposure,  // known factor of a rate, or offset of a linear predictor
  trials,    // of a count of successes
  gate       // decides the weights of components, not what they emit
};
THALWEG_API std::string_view role_name(Role role);

/// A cell of a categorical column is the number of its level, 0, 1, …
struct Schema {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> levels = {};  // of each column; empty where all are numeric

  std::vector<Role> roles = {};  // of each column; empty where all are data

  std::size_t width() const { return columns.size(); }
  bool has_categories() const { return !levels.empty(); }
  bool categorical(std::size_t j) const { return has_categories() && !levels[j].empty(); }
  Role role(std::size_t j) const { return roles.empty() ? Role::data : roles[j]; }
  bool has_roles() const {
    return std::any_of(roles.begin(), roles.end(), [](Role role) { return role != Role::data; });
  }
  bool operator==(const Schema& other) const {
    return columns == other.columns && levels == other.levels &&
           (roles == other.roles || (!has_roles() && !other.has_roles()));
  }

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
