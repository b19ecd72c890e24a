// The numeric M-step of gamma distributions, their constants and their derivatives.
#include "core/robust.hpp"
#include <thalweg/families/gamma.hpp>
#include <thalweg/kernels/special.hpp>

#include <random>

namespace thalweg {
namespace {

constexpr double smallest_centre = 1e-140;
constexpr double largest_centre = 1e140;

/// What component k says of column j: E z and E log z of the gauge, and their difference log E z - E log z >= 0.
struct Means {
  double z;           // at least 1 / farthest
  double log_z;       // E log z
  double difference;  // log E z - E log z
  double noise;       // as much of it as rounding may have made
  bool positive;      // E z came in above that bound

  Means(double sum, double log_sum, double inverse, double origin) {
    const double first = sum * inverse;
    log_z = log_sum * inverse;
    z = std::max(origin + first, 1 / Gamma::farthest);
    positive = z == origin + first;
    const double log_of_mean = origin == 0 || !positive ? std::log(z) : std::log1p(first);
    difference = log_of_mean - log_z;
    noise = Gamma::rounding * (std::abs(log_z) + (origin == 0 ? 1 : std::abs(first) / z));
  }
};

}  // namespace

std::vector<Piece> Gamma::parameters(Extent e) const {
  const Piece shapes{.name = "shapes",
                     .shape = {e.K, e.d},
                     .axes = {Axis::component, Axis::column},
                     .domain = Domain::positive};
  Piece scales = shapes;
  scales.name = "scales";
  const Piece centre{.name = "centre",
                     .shape = {e.d},
                     .axes = {Axis::column},
                     .domain = Domain::positive,
                     .constant = true};
  Piece spread = centre;
  spread.name = "spread";
  return {shapes, scales, centre, spread};
}

/// With r = centre / (a b) and Stirling's formula for Gamma(a), log g = -log y + a (log(r z) - r z + 1) + ½ log(a / 2 pi) -
/// remainder: what is multiplied by a is small near the mean, and is never a difference of terms like a log a.
void Gamma::natural(const double* theta, Extent e, std::size_t k, double* psi,
                    std::size_t stride) const {
  psi[0] = 0;
  for (std::size_t j = 0; j < e.d; ++j) {
    const double c = centre(theta, e)[j];
    const double a = std::min(theta[k * e.d + j], farthest);
    const double r = std::clamp(c / a / theta[(e.K + k) * e.d + j], 1 / farthest, farthest);
    psi[0] += a * (std::log(r) - (origin(theta, e, j) * r - 1)) - std::log(c) +
              0.5 * (std::log(a) - kernels::log_two_pi) - kernels::stirling_remainder(a);
    psi[(1 + j) * stride] = a - 1;
    psi[(1 + e.d + j) * stride] = -a * r;
  }
}

/// The mean a b is that of the data; log a - psi(a) = log E z - E log z by Newton's iteration. A held scale leaves psi(a) = E log
/// (y / b). The variance of y relative to its squared mean, 1/a, has a floor relative to the squared spread of the data.
void Gamma::maximise(const double* S, Extent e, std::size_t k, const Context& context,
                     double* theta) const {
  const bool hold_shape = context.holds("shapes", k);
  const bool hold_scale = context.holds("scales", k);
  if (hold_shape && hold_scale) return;
  const double inverse = 1.0 / S[0];
  for (std::size_t j = 0; j < e.d; ++j) {
    double& a = theta[k * e.d + j];
    double& b = theta[(e.K + k) * e.d + j];
    const double c = centre(theta, e)[j];
    const double width = spread(theta, e)[j];
    const Means mean(S[(1 + e.d + j) * e.K], S[(1 + j) * e.K], inverse, origin(theta, e, j));
    bool repaired = !mean.positive;
    if (!hold_shape) {
      const double highest = std::min(largest_shape, 1 / (context.floor * width * width));
      a = hold_scale ? kernels::inverse_digamma(mean.log_z + std::log(c / b))
                     : kernels::inverse_log_less_digamma(std::max(mean.difference, mean.noise));
      repaired = repaired || a > highest || (!hold_scale && !(mean.difference >= mean.noise));
      a = std::min(a, highest);
    }
    if (!hold_scale) b = c * mean.z / a;
    if (repaired) context.count(Event::floor_reached, {.component = k, .column = j});
  }
}

bool Gamma::valid(const double* theta, const double* S, Extent e, double empty) const {
  for (std::size_t k = 0; k < e.K; ++k)
    for (std::size_t j = 0; j < e.d && S[k] > empty; ++j) {
      const Means mean(S[(1 + e.d + j) * e.K + k], S[(1 + j) * e.K + k], 1 / S[k],
                       origin(theta, e, j));
      if (!mean.positive || !(mean.difference >= -100 * mean.noise)) return false;
    }
  return true;
}

void Gamma::moments(const double* theta, Extent e, std::size_t k, double* s,
                    std::size_t stride) const {
  for (std::size_t j = 0; j < e.d; ++j) {
    const double a = theta[k * e.d + j];
    const double c = centre(theta, e)[j];
    const double mean = a * theta[(e.K + k) * e.d + j];
    const bool narrow = origin(theta, e, j) == 1;
    const double first = narrow ? (mean - c) / c : mean / c;
    s[j * stride] = (narrow ? std::log1p(first) : std::log(first)) - kernels::log_less_digamma(a);
    s[(e.d + j) * stride] = first;
  }
}

void Gamma::draw(const double* theta, Extent e, std::size_t k, Random& random, double* y) const {
  for (std::size_t j = 0; j < e.d; ++j) {
    std::gamma_distribution<double> gamma(theta[k * e.d + j], theta[(e.K + k) * e.d + j]);
    y[j] =
        std::clamp(gamma(random), smallest, largest);  // of a shape of 1e-3 half of all underflow
  }
}

void Gamma::calibrate(const Block& buffer, Extent e, const double* weights, double* theta) const {
  for (std::size_t j = 0; j < e.d; ++j) {
    ColumnGauge gauge{1.0, 1.0};
    if (buffer.rows > 0) {
      std::vector<double> column(buffer.rows);
      for (std::size_t t = 0; t < buffer.rows; ++t) column[t] = buffer.row(t)[j];
      gauge = robust_gauge(std::move(column));
    } else if (weights) {  // mean and standard deviation of the mixture itself
      const auto a = [&](std::size_t k) { return theta[k * e.d + j]; };
      const auto b = [&](std::size_t k) { return theta[(e.K + k) * e.d + j]; };
      double mean = 0;
      for (std::size_t k = 0; k < e.K; ++k) mean += weights[k] * a(k) * b(k);
      double squared = 0;  // relative to the mean's square
      for (std::size_t k = 0; k < e.K; ++k) {
        const double relative = a(k) * b(k) / mean;
        squared += weights[k] * (relative * relative / a(k) + (relative - 1) * (relative - 1));
      }
      gauge = {mean, mean * std::sqrt(squared)};
    }
    double* constants = theta + 2 * e.K * e.d;
    constants[j] = std::clamp(gauge.shift, smallest_centre, largest_centre);
    constants[e.d + j] = std::clamp(gauge.scale / gauge.shift, 1e-100, 1.0);
  }
}

/// log z' = log z + log(c / c'), and z' - o' = (c / c') (z - o) + (c / c') o - o'.
void Gamma::regauge(const double* from, const double* to, Extent e, double* S) const {
  for (std::size_t j = 0; j < e.d; ++j) {
    const double ratio = centre(from, e)[j] / centre(to, e)[j];
    const double by = ratio * origin(from, e, j) - origin(to, e, j);
    for (std::size_t k = 0; k < e.K; ++k) {
      S[(1 + j) * e.K + k] += std::log(ratio) * S[k];
      double& sum = S[(1 + e.d + j) * e.K + k];
      sum = ratio * sum + by * S[k];
    }
  }
}

}  // namespace thalweg
