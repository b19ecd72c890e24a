#include "outcome.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace laws {

testing::AssertionResult close(double a, double b, double bound) {
  if (std::abs(a - b) <= bound * std::max(1.0, std::abs(b))) return testing::AssertionSuccess();
  return testing::AssertionFailure() << to_text(a) << " and " << to_text(b) << " differ by "
                                     << std::abs(a - b) << ", more than " << bound;
}

testing::AssertionResult close(const Named& a, const Named& b, double bound) {
  for (const Piece& piece : b.layout().pieces()) {
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const auto same = close(a[piece.name][i], b[piece.name][i], bound);
      if (!same)
        return testing::AssertionFailure()
               << piece.name << ", entry " << i << ": " << same.message();
    }
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult same_bits(const std::string& a, const std::string& b) {
  if (a == b) return testing::AssertionSuccess();
  const auto [here, there] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return testing::AssertionFailure() << a.size() << " and " << b.size() << " bytes, the first that "
                                     << "differs is number " << here - a.begin();
}

testing::AssertionResult agree(const Trial& trial, const Outcome& a, const Outcome& b,
                               double bound) {
  auto same = close(a.theta, b.theta, bound);
  if (same) same = close(a.statistic, b.statistic, bound);
  if (same) same = close(a.log_likelihood, b.log_likelihood, bound);
  if (!same) return same;
  return trial.strength == Strength::exact ? same_bits(a.bytes, b.bytes) : same;
}

void not_written(const Trial& trial) {
  throw std::logic_error("the table promises this law for " +
                         std::string(who_names[static_cast<std::size_t>(trial.who)]) +
                         ", but nobody wrote it");
}

}  // namespace laws
