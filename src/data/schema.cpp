// How one schema differs from another, in words.
#include <thalweg/data/schema.hpp>

#include <array>

namespace thalweg {
namespace {

constexpr std::array<std::string_view, 5> role_names = {"data", "response", "exposure", "trials",
                                                        "gate"};

/// "red|green|blue", shortened.
std::string list(const std::vector<std::string>& levels) {
  constexpr std::size_t longest = 8;
  std::string text;
  for (std::size_t l = 0; l < levels.size() && l < longest; ++l)
    text += (l == 0 ? "" : "|") + levels[l];
  if (levels.size() > longest) text += "|… (" + std::to_string(levels.size()) + ")";
  return text;
}

}  // namespace

std::string_view role_name(Role role) { return role_names[static_cast<std::size_t>(role)]; }

std::string difference(const Schema& schema, const Schema& expected) {
  if (schema.columns != expected.columns) return "its columns are others";
  for (std::size_t j = 0; j < schema.width(); ++j) {
    if (schema.role(j) != expected.role(j))
      return "its column \"" + schema.columns[j] + "\" is " +
             std::string(role_name(schema.role(j))) + ", not " +
             std::string(role_name(expected.role(j)));
    if (schema.categorical(j) != expected.categorical(j))
      return "its column \"" + schema.columns[j] + "\" is " +
             (schema.categorical(j) ? "categorical" : "numeric");
    if (schema.categorical(j) && schema.levels[j] != expected.levels[j])
      return "its column \"" + schema.columns[j] + "\" has the levels " + list(schema.levels[j]) +
             ", not " + list(expected.levels[j]);
  }
  return "";
}

}  // namespace thalweg
