// The gamma mixture by its formulas: the shape by halving an interval, on a digamma function of its own.
#include "known.hpp"

#include <algorithm>
#include <cmath>

namespace laws {
namespace {

using Real = long double;

std::size_t columns(const Parameters& theta) { return theta["centre"].size(); }
double shape(const Parameters& theta, std::size_t k, std::size_t j) {
  return theta["shapes"][k * columns(theta) + j];
}
double scale(const Parameters& theta, std::size_t k, std::size_t j) {
  return theta["scales"][k * columns(theta) + j];
}

double mean(const Parameters& theta, std::size_t k, std::size_t j) {
  return shape(theta, k, j) * scale(theta, k, j);
}

double covariance(const Parameters& theta, std::size_t k, std::size_t i, std::size_t j) {
  return i == j ? mean(theta, k, j) * scale(theta, k, j) : 0;
}

double log_density(const Parameters& theta, std::size_t k, std::span<const double> y) {
  Real sum = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    const Real a = shape(theta, k, j);
    const Real b = scale(theta, k, j);
    sum += (a - 1) * std::log(Real(y[j])) - y[j] / b - std::lgamma(a) - a * std::log(b);
  }
  return static_cast<double>(sum);
}

/// psi(x) = psi(x + 1) - 1/x, and far out log x - 1/(2x) - 1/(12x²) + 1/(120x⁴) - 1/(252x⁶).
Real digamma(Real x) {
  Real sum = 0;
  for (; x < 1000; x += 1) sum -= 1 / x;
  const Real z = 1 / (x * x);
  return sum + std::log(x) - 1 / (2 * x) - z / 12 + z * z / 120 - z * z * z / 252;
}

/// log a - psi(a) falls from infinity to 0.
Real shape_of(Real difference) {
  Real low = 1e-6L;
  Real high = 1e9L;
  while (high / low > 1 + 1e-17L && high / low != 1) {
    const Real a = std::sqrt(low * high);
    if (a <= low || a >= high) break;
    (std::log(a) - digamma(a) > difference ? low : high) = a;
  }
  return low;
}

void maximise(const Subject&, const Block& rows, std::span<const double> posterior,
              Parameters& theta) {
  const std::size_t K = theta["weights"].size();
  const std::size_t d = rows.columns;
  const std::vector<double> means = weighted_means(rows, posterior, theta);
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t j = 0; j < d; ++j) {
      Real logs = 0;
      for (std::size_t t = 0; t < rows.rows; ++t)
        logs += Real(rows.weight(t)) * posterior[t * K + k] * std::log(Real(rows.row(t)[j]));
      const Real share = Real(theta["weights"][k]) * rows.total_weight();
      const Real a = shape_of(std::log(Real(means[k * d + j])) - logs / share);
      theta["shapes"][k * d + j] = static_cast<double>(a);
      theta["scales"][k * d + j] = static_cast<double>(means[k * d + j] / a);
    }
  }
}

void rescale(Parameters& theta, std::span<const double> /*a*/, std::span<const double> b) {
  for (std::size_t i = 0; i < theta["scales"].size(); ++i) theta["scales"][i] *= b[i % b.size()];
  for (std::size_t j = 0; j < b.size(); ++j) theta["centre"][j] *= b[j];
}

const MakeKnown known(Known{.entry = "gamma",
                            .log_density = log_density,
                            .mean = mean,
                            .covariance = covariance,
                            .maximise = maximise,
                            .rescale = rescale,
                            .has_origin = true,
                            .far = 1e9,
                            .outside = 0});

}  // namespace
}  // namespace laws
