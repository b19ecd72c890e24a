// Parameters that are held, by name and component.
#include "core/nearest.hpp"
#include "core/text.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/core/fixed.hpp>

#include <algorithm>
#include <set>

namespace thalweg {

Fixed Fixed::parse(std::string_view text) {
  Fixed fixed;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t bracket = std::min(word.find('['), word.size());
    Part& part = fixed.parts_[std::string(word.substr(0, bracket))];
    if (bracket == word.size()) {
      part.whole = true;
    } else {
      const std::string_view inside = word.substr(bracket + 1);
      const auto component =
          inside.ends_with(']') ? to_count(inside.substr(0, inside.size() - 1)) : std::nullopt;
      if (!component)
        throw UsageError(option("fix") + " \"" + std::string(word) +
                         "\" is not a parameter (means) or one of a component (means[2])");
      const auto k = static_cast<std::size_t>(*component);
      if (std::ranges::find(part.components, k) == part.components.end())
        part.components.push_back(k);
    }
  }
  return fixed;
}

std::vector<std::string> Fixed::words() const {
  std::vector<std::string> words;
  for (const auto& [name, part] : parts_) {
    if (part.whole) {
      words.push_back(name);
      continue;
    }
    for (const std::size_t k : std::set(part.components.begin(), part.components.end()))
      words.push_back(name + "[" + std::to_string(k) + "]");
  }
  return words;
}

Fixed Fixed::relabelled(const std::vector<std::size_t>& order) const {
  Fixed fixed = *this;
  for (auto& [name, part] : fixed.parts_)
    for (std::size_t& k : part.components)
      k = static_cast<std::size_t>(std::ranges::find(order, k) - order.begin());
  return fixed;
}

bool Fixed::holds(std::string_view piece, std::size_t component) const {
  const auto found = parts_.find(piece);
  if (found == parts_.end()) return false;
  const Part& part = found->second;
  return part.whole || std::find(part.components.begin(), part.components.end(), component) !=
                           part.components.end();
}

void Fixed::check(const Layout& parameters, std::size_t components) const {
  std::vector<std::string> names;
  for (const Piece& piece : parameters.pieces())
    if (!piece.constant) names.push_back(piece.name);
  for (const auto& [name, part] : parts_) {
    const Piece* piece = parameters.find(name);
    if (!piece || piece->constant) {
      const auto nearest = nearest_name(name, names);
      throw UsageError(option("fix") + ": no parameter \"" + name + "\"" +
                       (nearest ? ", did you mean " + *nearest + "?" : ""));
    }
    for (const std::size_t component : part.components)
      if (!piece->by_component() || component >= components)
        throw UsageError(option("fix") + ": \"" + name + "\" has no part for a component " +
                         std::to_string(component));
  }
}

std::size_t Fixed::free_entries(const Layout& parameters, std::size_t components) const {
  std::size_t held = 0;
  for (const auto& [name, part] : parts_) {
    const Piece* piece = parameters.find(name);
    if (!piece) continue;
    // Shares sum to 1: the last one is not free, whichever it is.
    const std::size_t all = piece->free_entries();
    const std::size_t one =
        piece->domain == Domain::simplex ? piece->size() / components : all / components;
    held += part.whole ? all : std::min(all, part.components.size() * one);
  }
  return held;
}

}  // namespace thalweg
