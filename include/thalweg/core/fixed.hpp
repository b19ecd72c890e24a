// Parameters that M-steps leave as they were: whole pieces, or the part of one component.
#pragma once

#include <thalweg/core/layout.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

class THALWEG_API Fixed {
 public:
  /// "means,covariances[2]": the syntax of --fix. A name without number holds the whole piece.
  static Fixed parse(std::string_view text);

  /// The words of that syntax, sorted: what a model file records.
  std::vector<std::string> words() const;

  /// What is held after new component i became the old one order[i].
  Fixed relabelled(const std::vector<std::size_t>& order) const;

  bool operator==(const Fixed& other) const { return words() == other.words(); }
  bool empty() const { return parts_.empty(); }
  bool holds(std::string_view piece, std::size_t component) const;

  /// Refuses names that the layout does not have, or components where a piece has no such part.
  void check(const Layout& parameters, std::size_t components) const;

  /// How many free parameters are held.
  std::size_t free_entries(const Layout& parameters, std::size_t components) const;

 private:
  struct Part {
    bool whole = false;
    std::vector<std::size_t> components;
  };
  std::map<std::string, Part, std::less<>> parts_;
};

}  // namespace thalweg
