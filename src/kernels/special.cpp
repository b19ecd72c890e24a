// Special functions that the standard library lacks, or that threads may not share.
#include <thalweg/kernels/special.hpp>

#include <cmath>

namespace thalweg::kernels {
namespace {

// From here on the series of x^-1 below have all digits; smaller x get there by f(x) = f(x + 1) + what one step changes.
constexpr double far_enough = 12;
constexpr int most_steps = 50;  // of Newton's iterations, which need some five

}  // namespace

// std::lgamma writes a global sign, which two threads must not do at once.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

/// 1/(12x) - 1/(360x³) + 1/(1260x⁵) - 1/(1680x⁷) + … (Abramowitz & Stegun 6.1.41); below, nothing cancels that would be missed.
double stirling_remainder(double x) {
  constexpr double half_log_two_pi = 0.91893853320467274178;
  if (x < far_enough) return log_gamma(x) - ((x - 0.5) * std::log(x) - x + half_log_two_pi);
  const double z = 1 / (x * x);
  return (1.0 / 12 -
          z * (1.0 / 360 -
               z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 - z * 691 / 360360))))) /
         x;
}

const std::array<double, 1024> log_factorials = [] {
  std::array<double, 1024> table{};
  for (std::size_t y = 0; y < table.size(); ++y) table[y] = log_gamma(static_cast<double>(y) + 1.0);
  return table;
}();

/// log x - psi(x) = 1/(2x) + 1/(12 x²) - 1/(120 x⁴) + 1/(252 x⁶) - … (Abramowitz & Stegun 6.3.18), psi(x) = psi(x + 1) - 1/x.
double log_less_digamma(double x) {
  double sum = 0;
  double y = x;
  for (; y < far_enough; y += 1) sum += 1 / y;
  if (y > x) sum += std::log(x / y);
  const double z = 1 / (y * y);
  const double tail =
      z * (1.0 / 12 -
           z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * 691 / 32760)))));
  return sum + 0.5 / y + tail;
}

/// 1/x - psi'(x) = -1/(2x²) - 1/(6x³) + 1/(30x⁵) - 1/(42x⁷) + … (6.4.12), psi'(x) = psi'(x + 1) + 1/x².
double log_less_digamma_slope(double x) {
  double sum = 0;
  double y = x;
  for (; y < far_enough; y += 1) sum -= 1 / (y * y);
  if (y > x) sum += 1 / x - 1 / y;
  const double z = 1 / (y * y);
  const double tail =
      z * (1.0 / 6 -
           z * (1.0 / 30 - z * (1.0 / 42 - z * (1.0 / 30 - z * (5.0 / 66 - z * 691 / 2730)))));
  return sum - 0.5 * z - tail / y;
}

double digamma(double x) { return std::log(x) - log_less_digamma(x); }
double trigamma(double x) { return 1 / x - log_less_digamma_slope(x); }

/// log(log x - psi(x)) falls with log x at a slope between -1.164 and -1, so Newton's iteration between logarithms at least divides
/// the error by six each time, from anywhere; it begins within 1.5 % (Minka 2002, Estimating a gamma distribution).
double inverse_log_less_digamma(double y) {
  double x = (3 - y + std::sqrt((y - 3) * (y - 3) + 24 * y)) / (12 * y);
  for (int i = 0; i < most_steps; ++i) {
    const double value = log_less_digamma(x);
    const double by = std::log(value / y) * value / (x * log_less_digamma_slope(x));
    x *= std::exp(-by);
    if (std::abs(by) < 1e-9) break;  // the error of the next would be its square
  }
  return x;
}

/// Newton's iteration from the left, where it cannot overshoot: psi is increasing and concave (Minka 2000, Estimating a Dirichlet
/// distribution, for where it begins).
double inverse_digamma(double y) {
  constexpr double euler = 0.57721566490153286061;
  double x = y >= -2.22 ? std::exp(y) + 0.5 : -1 / (y + euler);
  for (int i = 0; i < most_steps; ++i) {
    const double by = (digamma(x) - y) / trigamma(x);
    x = x - by > 0 ? x - by : 0.5 * x;
    if (std::abs(by) <= 1e-9 * x) break;
  }
  return x;
}

}  // namespace thalweg::kernels
