#include <thalweg/core/family.hpp>
#include <thalweg/core/text.hpp>

#include <cmath>

namespace thalweg {

std::string refusal(double y, std::string_view family, std::string_view domain) {
  const std::string needs = std::string(family) + " needs " + std::string(domain);
  if (std::isnan(y)) return "missing value, but " + needs + " in every cell";
  return to_text(y) + " does not fit, " + needs;
}

}  // namespace thalweg
