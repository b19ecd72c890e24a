// Numbers or names become components; names take them in the order in which they come.
#include "core/text.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/labels.hpp>

#include <limits>
#include <utility>

namespace thalweg {

Labels::Labels(LabelOptions options) : options_(std::move(options)) {
  for (std::size_t k = 0; k < options_.names.size(); ++k) components_.emplace(options_.names[k], k);
  if (options_.components == 0) options_.components = std::numeric_limits<std::size_t>::max();
  if (!options_.names.empty()) kind_ = Kind::names;
}

std::size_t Labels::component(std::string_view label) {
  if (kind_ == Kind::unknown) kind_ = to_count(label) ? Kind::numbers : Kind::names;
  return kind_ == Kind::numbers ? by_number(label) : by_name(label);
}

std::size_t Labels::by_number(std::string_view label) const {
  const auto number = to_count(label);
  if (!number)
    throw Error("is not a whole number, as the first label was",
                {"correct the cell", "use names in all of them"});
  if (*number >= options_.components)
    throw Error("is not one of the components 0 to " + std::to_string(options_.components - 1),
                {"raise " + option("components"), "correct the cell"});
  return static_cast<std::size_t>(*number);
}

std::size_t Labels::by_name(std::string_view label) {
  const auto [place, is_new] = components_.emplace(std::string(label), options_.names.size());
  if (!is_new) return place->second;
  if (options_.names.size() == options_.components) {
    components_.erase(place);
    throw Error(
        "is one label more than the " + std::to_string(options_.components) + " components have",
        {"raise " + option("components"), "correct the cell"});
  }
  options_.names.emplace_back(label);
  return place->second;
}

void Labels::save(Archive& archive) const {
  archive.put("labels/kind", static_cast<std::uint64_t>(kind_));
  archive.put("labels/names", options_.names);
}

void Labels::load(const Archive& archive) {
  const std::uint64_t kind = archive.count("labels/kind");
  if (kind > static_cast<std::uint64_t>(Kind::names))
    throw Error("saved state \"labels\" does not fit together");
  kind_ = static_cast<Kind>(kind);
  options_.names = archive.texts("labels/names");
  components_.clear();
  for (std::size_t k = 0; k < options_.names.size(); ++k) components_.emplace(options_.names[k], k);
}

}  // namespace thalweg
