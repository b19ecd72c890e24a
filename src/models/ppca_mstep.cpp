// The M-step: a regression of y on the factors, whose covariance is then whitened again; and the recursion for one row.
#include "models/ppca_form.hpp"
#include <thalweg/core/absorb.hpp>

namespace thalweg {
namespace {

using kernels::packed_at;
using kernels::triangle;

/// L^-1 for V = L L'. Where arithmetic has left V without some of its directions (a far outlier makes all factors alike), it is
/// widened by as little as helps.
void whitener(double* V, std::size_t r, const double* second_moments, const Context& context,
              double* inverse) {
  const auto factorises = [&] {
    std::copy(V, V + triangle(r), inverse);
    return kernels::cholesky(inverse, r);
  };
  if (!factorises()) {
    context.count(Event::covariance_repaired);
    double part = rounding;
    do {
      for (std::size_t k = 0; k < r; ++k)
        V[packed_at(k, k)] += part * second_moments[packed_at(k, k)] + 1e-280;
      part *= 10;
    } while (!factorises() && part < 1e3);
  }
  kernels::invert_factor(inverse, r, inverse);
}

}  // namespace

/// Around (y0, z0), the means, or the held mean and 0: with V = E (z - z0)(z - z0)' = L L', A = E (y - y0)(z - z0)' and
/// B = A L^-T, the regression is W = B L^-1, and d noise = E |y - y0|² - |B|². Expanded, the factors have covariance V; made
/// white they have the loadings B, and their mean z0 goes into that of y, which becomes E y.
void Ppca::m_step(const Statistic& S, const Context& context, Parameters& theta) const {
  const std::size_t d = columns(theta);
  const std::size_t r = r_;
  const PpcaStatistic<const double> s(S.data(), d, r);
  const PpcaParameters<double> at(theta.data(), d, r);
  const bool hold_mean = context.holds("mean", 0);
  const bool hold_loadings = context.holds("loadings", 0);
  const bool expand = expanded_ && !(context.prior && context.prior->weight > 0);

  const kernels::Workspace workspace(d * r + d + 2 * triangle(r) + r);
  double* const w = workspace.data();  // d × r: A, then W or B
  double* const y0 = w + d * r;
  double* const V = y0 + d;
  double* const inverse = V + triangle(r);
  double* const row = inverse + triangle(r);

  double spread = *s.norm;  // E |y - y0|²
  for (std::size_t j = 0; j < d; ++j) {
    y0[j] = hold_mean ? at.mean_in_gauge(j) : s.sums[j];
    spread -= y0[j] * (2 * s.sums[j] - y0[j]);
    for (std::size_t k = 0; k < r; ++k) w[j * r + k] = s.products[j * r + k] - y0[j] * s.scores[k];
  }
  for (std::size_t k = 0; k < r; ++k)
    for (std::size_t i = 0; i <= k; ++i)
      V[packed_at(k, i)] = s.squares[packed_at(k, i)] - (hold_mean ? 0 : s.scores[k] * s.scores[i]);

  // One row, or rows that are all alike, say nothing of the loadings.
  const bool flat = !(spread > rounding * *s.norm);
  double left = spread;  // E |y - y0 - W (z - z0)|²
  if (hold_loadings || flat) {
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = 0; k < r; ++k) {
        const double a = w[j * r + k];
        row[k] = w[j * r + k] = at.loading_in_gauge(j * r + k);
        left -= 2 * row[k] * a;
        for (std::size_t i = 0; i <= k; ++i)
          left += (i < k ? 2 : 1) * row[k] * row[i] * V[packed_at(k, i)];
      }
  } else {
    whitener(V, r, s.squares, context, inverse);
    for (std::size_t j = 0; j < d; ++j) {
      double* const a = w + j * r;
      for (std::size_t k = r; k-- > 0;) {
        double b = 0;
        for (std::size_t i = 0; i <= k; ++i) b += a[i] * inverse[packed_at(k, i)];
        a[k] = b;
        left -= b * b;
      }
      if (expand) continue;
      for (std::size_t k = 0; k < r; ++k) {
        double regression = 0;
        for (std::size_t i = k; i < r; ++i) regression += a[i] * inverse[packed_at(i, k)];
        a[k] = regression;
      }
    }
  }

  if (!hold_mean)
    for (std::size_t j = 0; j < d; ++j) {
      double mean = s.sums[j];
      for (std::size_t k = 0; k < r && !expand; ++k) mean -= w[j * r + k] * s.scores[k];
      at.mean[j] = at.shift[j] + at.scale * mean;
    }
  if (!hold_loadings && !flat)
    for (std::size_t i = 0; i < d * r; ++i) at.loadings[i] = at.scale * w[i];
  if (context.holds("noise_variance", 0)) return;
  double signal = 0;  // less noise than `rounding` of it would be no noise to the E-step
  for (std::size_t i = 0; i < d * r; ++i) signal += w[i] * w[i];
  const double lowest = std::max(context.floor, rounding * std::max({1.0, *s.norm, signal}));
  double noise = flat ? 0 : left / static_cast<double>(d);
  if (!(noise >= lowest)) {
    noise = lowest;
    context.count(Event::floor_reached);
  }
  *at.noise = at.scale * at.scale * noise;
}

double Ppca::absorb(Parameters& theta, const Block& block, double rate, Statistic& S,
                    const Context& context, Carry& carry) const {
  const bool prior = context.prior && context.prior->weight > 0;
  if (block.rows != 1 || r_ != 1 || prior)
    return absorb_by_expectation(*this, theta, block, rate, S, context, carry);
  const double log_density = absorb_row(theta, block.row(0), rate, S);
  const double weight = block.weight(0);
  S.weight += weight;
  if (!context.freeze) m_step(S, context, theta);
  return weight * log_density;
}

/// With u the one column of W and x = y - mean: E z = u'x / (noise + |u|²), E z² = noise / (noise + |u|²) + (E z)².
double Ppca::absorb_row(Parameters& theta, const double* y, double rate, Statistic& S) const {
  const std::size_t d = columns(theta);
  const PpcaParameters<const double> at(theta.data(), d, 1);
  const PpcaStatistic<double> s(S.data(), d, 1);
  const kernels::Workspace workspace(2 * d);
  double* const x = workspace.data();
  double* const u = x + d;
  const double inverse = 1 / at.scale;
  constexpr double limit = kernels::largest_standardised;
  double norm = 0;
  double along = 0;
  double length = 0;  // |u|²
  for (std::size_t j = 0; j < d; ++j) {
    x[j] = std::clamp((y[j] - at.mean[j]) * inverse, -limit, limit);
    u[j] = at.loading_in_gauge(j);
    norm += x[j] * x[j];
    along += x[j] * u[j];
    length += u[j] * u[j];
  }
  if (norm > might_be_far) [[unlikely]] {
    double in_gauge = 0;
    for (std::size_t j = 0; j < d; ++j) in_gauge += square(x[j] + at.mean_in_gauge(j));
    const double factor = std::min(1.0, std::sqrt(farthest_squared / in_gauge));
    norm = along = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double m = at.mean_in_gauge(j);
      x[j] = factor * (x[j] + m) - m;
      norm += x[j] * x[j];
      along += x[j] * u[j];
    }
  }
  const double noise = at.noise_in_gauge(length);
  const double total = noise + length;
  const double z = along / total;
  const auto reals = static_cast<double>(d);
  double distance = (norm - along * z) / noise;
  if (length > PpcaForm::steep * noise) [[unlikely]] {
    distance = 0;
    for (std::size_t j = 0; j < d; ++j) distance += square(x[j] - u[j] * z);
    distance = distance / noise + z * z;
  }
  distance = std::clamp(distance, 0.0, kernels::largest_distance);

  const auto learn = [rate](double& into, double value) { into += rate * (value - into); };
  learn(*s.scores, z);
  learn(*s.squares, noise / total + z * z);
  double moved = 0;
  for (std::size_t j = 0; j < d; ++j) {
    const double in_gauge = x[j] + (at.mean[j] - at.shift[j]) * inverse;
    moved += in_gauge * in_gauge;
    learn(s.sums[j], in_gauge);
    learn(s.products[j], in_gauge * z);
  }
  learn(*s.norm, moved);
  return -0.5 * (reals * (log_two_pi + 2 * std::log(at.scale)) + (reals - 1) * std::log(noise) +
                 std::log(total) + distance);
}

}  // namespace thalweg
