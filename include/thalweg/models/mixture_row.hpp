// One row into a mixture (Cappé 2010): the textbook recursion, component by component, without an allocation.
#pragma once

#include <thalweg/core/model.hpp>
#include <thalweg/kernels/workspace.hpp>
#include <thalweg/models/mixture_mstep.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace thalweg {

// Families write every entry of the workspace, through loops that GCC cannot match with those that read it.
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
/// In a workspace of 2 D + K doubles. The context holds nothing fixed and no prior. Inlined: the smallest extents are constants.
template <Family F>
[[gnu::always_inline]] inline double absorb_row_on(double* s, const F& family, Extent e,
                                                   Parameters& theta, const Block& block,
                                                   double rate, Statistic& S,
                                                   const Context& context) {
  const std::size_t D = family.width(e);
  const double* y = block.row(0);
  double* const weights = theta.data();
  double* const rest = weights + e.K;
  double* const psi = s + D;
  double* const r = psi + D;

  s[0] = 1;
  family.features(rest, e, y, s + 1, 1);
  double top = 0;
  for (std::size_t k = 0; k < e.K; ++k) {
    family.natural(rest, e, k, psi, 1);
    double score = std::log(weights[k]) + psi[0];  // -inf where the weight is 0: no posterior
    for (std::size_t j = 1; j < D; ++j) score += psi[j] * s[j];
    r[k] = score;
    if (k == 0 || score > top) top = score;
  }
  double sum = 0;
  for (std::size_t k = 0; k < e.K; ++k) sum += r[k] = r[k] >= top ? 1.0 : std::exp(r[k] - top);
  const double log_density = top + std::log(sum) + family.log_base(y, e.d);
  if (!std::isfinite(log_density)) [[unlikely]] {
    context.count(Event::batch_left_out);
    return 0;
  }
  const double inverse = 1.0 / sum;
  for (std::size_t k = 0; k < e.K; ++k) {
    const double posterior = r[k] * inverse;
    double* into = S.data() + k;
    for (std::size_t j = 0; j < D; ++j, into += e.K) *into += rate * (posterior * s[j] - *into);
  }
  const double w = block.weight(0);
  S.weight += w;
  // A copy in which nothing is held and nothing prior: so the compiler can see it.
  const Context plain{.rows = context.rows,
                      .floor = context.floor,
                      .ridge = context.ridge,
                      .events = context.events};
  if (!context.freeze) maximise_mixture(family, S.data(), e, plain, theta.data());
  return w * log_density;
}

/// K and d of 0: not known at compile time. The context holds nothing fixed and no prior.
template <std::size_t K, std::size_t d, Family F>
[[gnu::noinline]] double absorb_row(const F& family, Extent shape, Parameters& theta,
                                    const Block& block, double rate, Statistic& S,
                                    const Context& context) {
  const Extent e{K > 0 ? K : shape.K, d > 0 ? d : shape.d};
  const std::size_t D = family.width(e);
  std::array<double, 64> small;  // workspace, written before it is read
  if constexpr (K == 0 || d == 0) {
    if (2 * D + e.K > small.size()) {
      const kernels::Workspace large(2 * D + e.K);
      return absorb_row_on(large.data(), family, e, theta, block, rate, S, context);
    }
  }
  return absorb_row_on(small.data(), family, e, theta, block, rate, S, context);
}
#ifndef __clang__
#pragma GCC diagnostic pop
#endif

}  // namespace thalweg
