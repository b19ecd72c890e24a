// The M-step of a mixture: shares of the components, and of each that has data what its family makes of its moments.
#pragma once

#include <thalweg/core/family.hpp>
#include <thalweg/models/shares.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace thalweg {

/// Shares of K components in proportion to S. Those of the piece that are held stay; the others share what is left.
inline void share_weights(std::string_view piece, const double* S, std::size_t K,
                          const Context& context, double* weights) {
  double left = 1;
  double free = 0;
  for (std::size_t k = 0; k < K; ++k) {
    const bool held = context.holds(piece, k);
    (held ? left : free) += held ? -weights[k] : S[k];
  }
  for (std::size_t k = 0; k < K && free > 0; ++k)
    if (!context.holds(piece, k))
      weights[k] = std::max(left * S[k] / free, mixture_limits::smallest_weight);
}

/// What each component emits, whatever the structure: S is D × K, row 0 the weights.
template <Family F>
void maximise_emissions(const F& family, const double* S, Extent e, const Context& context,
                        double* theta) {
  double total = 0;
  for (std::size_t k = 0; k < e.K; ++k) total += S[k];
  for (std::size_t k = 0; k < e.K; ++k) {
    if (S[k] / total > mixture_limits::empty_weight) {
      family.maximise(S + k, e, k, context, theta);
    } else {
      context.count(Event::empty_component, {.component = k});
    }
  }
  family.maximise_shared(S, e, context, theta);
}

/// S: D × K. theta: weights, then the family's part. Inlined: the row step knows K, d and most of the context.
template <Family F>
[[gnu::always_inline]] inline void maximise_mixture(const F& family, const double* S, Extent e,
                                                    const Context& context, double* theta) {
  double total = 0;
  for (std::size_t k = 0; k < e.K; ++k) total += S[k];
  const double inverse = 1.0 / total;
  if (context.fixed) [[unlikely]]
    share_weights("weights", S, e.K, context, theta);
  for (std::size_t k = 0; k < e.K; ++k) {
    const double w = S[k] * inverse;
    if (!context.fixed) theta[k] = std::max(w, mixture_limits::smallest_weight);
    if (w > mixture_limits::empty_weight) {
      family.maximise(S + k, e, k, context, theta + e.K);
    } else {
      context.count(Event::empty_component, {.component = k});
    }
  }
  family.maximise_shared(S, e, context, theta + e.K);
}

}  // namespace thalweg
