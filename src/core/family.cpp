// Words for a cell that a family does not take.
#include "core/text.hpp"
#include <thalweg/core/family.hpp>

#include <cmath>

namespace thalweg {

std::string refusal(double y, std::string_view family, std::string_view domain) {
  if (std::isnan(y))
    return "missing value, but " + std::string(family) + " needs one in every cell";
  return to_text(y) + " does not fit, " + std::string(family) + " needs " + std::string(domain);
}

}  // namespace thalweg
