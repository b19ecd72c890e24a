// Averages of parameters along the path (Polyak & Ruppert).
#include "core/text.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/estimators/averaging.hpp>

#include <cmath>

namespace thalweg {

Averaging Averaging::parse(std::string_view text) {
  constexpr std::string_view polynomial = "poly:";
  constexpr std::string_view from = "from:";
  if (text == "auto") return automatic();
  if (text == "off") return {.kind = Kind::off};
  if (text == "half") return {.kind = Kind::half};
  if (text.starts_with(polynomial)) {
    const auto eta = to_number(text.substr(polynomial.size()));
    if (eta && *eta >= 0 && std::isfinite(*eta)) return {.kind = Kind::polynomial, .eta = *eta};
  }
  if (text.starts_with(from)) {
    if (const auto row = to_count(text.substr(from.size())))
      return {.kind = Kind::from, .from_row = *row};
  }
  throw UsageError("average \"" + std::string(text) +
                   "\" is not auto, poly:3, half, from:10000 or off");
}

std::string Averaging::text() const {
  switch (kind) {
    case Kind::automatic:
      return "auto";
    case Kind::off:
      return "off";
    case Kind::half:
      return "half";
    case Kind::from:
      return "from:" + std::to_string(from_row);
    case Kind::polynomial:
      break;
  }
  return "poly:" + to_text(eta);
}

Averaging Averaging::under(const Schedule& step) const {
  if (kind != Kind::automatic || step.kind() != Schedule::Kind::constant) return *this;
  return {.kind = Kind::off, .of = of};
}

Averaging Averaging::resolve(std::optional<std::uint64_t> length) const {
  if (kind != Kind::half) return *this;
  if (!length)
    throw UsageError(
        "average half needs to know the number of rows, and this input does not tell it "
        "(use poly:3 or from:N)");
  Averaging resolved = *this;
  resolved.kind = Kind::from;
  resolved.from_row = *length / 2;
  return resolved;
}

}  // namespace thalweg
