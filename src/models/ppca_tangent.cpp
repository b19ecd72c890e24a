// Moments of the model and the derivative of its M-step there: the gradient recursion (Titterington 1984).
#include "models/ppca_parts.hpp"
#include <thalweg/core/context.hpp>

#include <vector>

namespace thalweg {

using kernels::packed_at;
using kernels::triangle;

/// E z = 0, E z z' = 1, E y = m, E y z' = W, E |y|² = |m|² + |W|² + d noise.
void Ppca::moments(const Parameters& theta, Statistic& S) const {
  const std::size_t d = columns(theta);
  const PpcaParameters<const double> at(theta.data(), d, r_);
  const PpcaStatistic<double> s(S.data(), d, r_);
  std::fill(s.scores, s.sums, 0.0);
  for (std::size_t k = 0; k < r_; ++k) s.squares[packed_at(k, k)] = 1;
  double signal = 0;
  *s.norm = 0;
  for (std::size_t j = 0; j < d; ++j) {
    s.sums[j] = at.mean_in_gauge(j);
    *s.norm += square(s.sums[j]);
    for (std::size_t k = 0; k < r_; ++k) {
      s.products[j * r_ + k] = at.loading_in_gauge(j * r_ + k);
      signal += square(s.products[j * r_ + k]);
    }
  }
  *s.norm += signal + static_cast<double>(d) * at.noise_in_gauge(signal);
}

/// With A = E (y - m) z' and V = E z z', which are W and 1 at the moments: dA = d(E y z') - m dz', and as W = A V^-1, dW = dA - W dV.
/// Expanded, W = A L^-T with V = L L', so dW = dA - W dL' where dL is the lower half of dV. In both cases
/// d · d(noise) = d(E |y - m|²) - 2 <W, dA> + <W dV, W>; it does not matter for this whether W itself is free.
void Ppca::tangent(const Parameters& theta, const Statistic& dS, const Context& context,
                   Parameters& dtheta) const {
  const std::size_t d = columns(theta);
  const std::size_t r = r_;
  const PpcaParameters<const double> at(theta.data(), d, r);
  const PpcaStatistic<const double> ds(dS.data(), d, r);
  double* const mean = dtheta.data();
  double* const loadings = mean + d;
  const bool expand = expanded_ && !(context.prior && context.prior->weight > 0);
  const auto dV = [&](std::size_t k, std::size_t i) {
    return ds.squares[packed_at(std::max(k, i), std::min(k, i))];
  };
  double spread = *ds.norm;
  std::vector<double> w(r);
  for (std::size_t j = 0; j < d; ++j) {
    const double m = at.mean_in_gauge(j);
    spread -= 2 * m * ds.sums[j];
    double shifted = ds.sums[j];
    for (std::size_t k = 0; k < r; ++k) w[k] = at.loading_in_gauge(j * r + k);
    for (std::size_t k = 0; k < r; ++k) {
      const double dA = ds.products[j * r + k] - m * ds.scores[k];
      double change = dA;
      for (std::size_t i = 0; i < r; ++i) {
        spread += w[k] * w[i] * dV(k, i);
        if (!expand) change -= w[i] * dV(i, k);
        if (expand && i <= k) change -= w[i] * dV(k, i) * (i == k ? 0.5 : 1.0);
      }
      spread -= 2 * w[k] * dA;
      if (!expand) shifted -= w[k] * ds.scores[k];
      if (!context.holds("loadings", 0)) loadings[j * r + k] = at.scale * change;
    }
    if (!context.holds("mean", 0)) mean[j] = at.scale * shifted;
  }
  if (!context.holds("noise_variance", 0))
    loadings[d * r] = at.scale * at.scale * spread / static_cast<double>(d);
}

/// V is a covariance, and what the factors leave of E |y - m|² is not negative.
bool Ppca::valid(const Parameters& theta, const Statistic& S) const {
  const std::size_t d = columns(theta);
  const PpcaStatistic<const double> s(S.data(), d, r_);
  std::vector<double> factor(triangle(r_));
  for (std::size_t k = 0; k < r_; ++k)
    for (std::size_t i = 0; i <= k; ++i)
      factor[packed_at(k, i)] = s.squares[packed_at(k, i)] - s.scores[k] * s.scores[i];
  if (!kernels::cholesky(factor.data(), r_)) return false;
  double left = *s.norm;
  std::vector<double> a(r_);
  for (std::size_t j = 0; j < d; ++j) {
    left -= square(s.sums[j]);
    for (std::size_t k = 0; k < r_; ++k) a[k] = s.products[j * r_ + k] - s.sums[j] * s.scores[k];
    kernels::forward_substitute(factor.data(), r_, a.data());
    for (const double b : a) left -= b * b;
  }
  return left >= -1e-9 * *s.norm && *s.norm >= 0;  // one row leaves nothing, up to rounding
}

}  // namespace thalweg
