// Log 2 pi, and the gamma function's relatives, thread by thread the same bits.
#pragma once

#include <thalweg/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace thalweg::kernels {

inline constexpr double log_two_pi = 1.8378770664093454836;

/// log Gamma(x), x > 0.
THALWEG_API double log_gamma(double x);

/// log Gamma(x) - (x - ½) log x + x - ½ log 2 pi, x > 0: what Stirling's formula leaves, about 1/(12x).
THALWEG_API double stirling_remainder(double x);

/// log y! for the whole numbers below its size.
THALWEG_API extern const std::array<double, 1024> log_factorials;

inline double log_factorial(double y) {
  return y < static_cast<double>(log_factorials.size())
             ? log_factorials[static_cast<std::size_t>(static_cast<std::int64_t>(y))]
             : log_gamma(y + 1.0);
}

// For x > 0. The digamma function psi = (log Gamma)' nears log x, so that what is left of log x - psi(x), from 1/x to 1/(2x), has
// all its digits only if it is not computed as a difference.

THALWEG_API double log_less_digamma(double x);
/// Its derivative, 1/x - psi'(x) < 0.
THALWEG_API double log_less_digamma_slope(double x);
THALWEG_API double digamma(double x);
THALWEG_API double trigamma(double x);

/// The x with log x - psi(x) = y; y > 0.
THALWEG_API double inverse_log_less_digamma(double y);
/// The x with psi(x) = y.
THALWEG_API double inverse_digamma(double y);

}  // namespace thalweg::kernels
