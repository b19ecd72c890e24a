// The M-step of a mixture: shares of the components, and of each that has data what its family makes of its moments.
#pragma once

#include <thalweg/core/family.hpp>

#include <algorithm>
#include <cstddef>

namespace thalweg {

namespace mixture_limits {
inline constexpr double smallest_weight = 1e-300;  // its logarithm is finite
inline constexpr double empty_weight = 1e-12;      // below this the moments are rounding noise
}  // namespace mixture_limits

/// Weights that are held stay; the others share what is left.
inline void share_weights(const double* S, Extent e, const Context& context, double* weights) {
  double left = 1;
  double free = 0;
  for (std::size_t k = 0; k < e.K; ++k) {
    const bool held = context.holds("weights", k);
    (held ? left : free) += held ? -weights[k] : S[k];
  }
  for (std::size_t k = 0; k < e.K; ++k)
    if (!context.holds("weights", k))
      weights[k] = std::max(left * S[k] / free, mixture_limits::smallest_weight);
}

/// S: D × K. theta: weights, then the family's part. Inlined: the row step knows K, d and most of the context.
template <Family F>
[[gnu::always_inline]] inline void maximise_mixture(const F& family, const double* S, Extent e,
                                                    const Context& context, double* theta) {
  double total = 0;
  for (std::size_t k = 0; k < e.K; ++k) total += S[k];
  const double inverse = 1.0 / total;
  if (context.fixed) [[unlikely]]
    share_weights(S, e, context, theta);
  for (std::size_t k = 0; k < e.K; ++k) {
    const double w = S[k] * inverse;
    if (!context.fixed) theta[k] = std::max(w, mixture_limits::smallest_weight);
    if (w > mixture_limits::empty_weight) {
      family.maximise(S + k, e, k, context, theta + e.K);
    } else {
      context.count(Event::empty_component, {.component = k});
    }
  }
  if constexpr (requires { family.maximise_shared(S, e, context, theta); })
    family.maximise_shared(S, e, context, theta + e.K);
}

}  // namespace thalweg
