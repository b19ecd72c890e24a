// Moments of a mixture of exponential families and the derivative of its M-step there: what Titterington's recursion (1984) needs.
// With eta = E_theta[s], I_p the information of complete data and theta-bar the M-step, I_p^-1 times the score of a row is
// D theta-bar(eta)[E_theta[s | y] - eta], in whatever parametrisation theta-bar speaks: here weights and the family's parameters.
#pragma once

#include <thalweg/core/family.hpp>

#include <algorithm>
#include <cstddef>

namespace thalweg {

/// What a family brings beside `Family`, both in the reported parameters:
///
///   moments(theta, e, k, s, stride)                E[s(Y)] of component k at s[0], s[stride], …
///   tangent(theta, e, k, weight, dS, context, dtheta)   the derivative of its M-step at weight × (1, moments); dS points to
///                                                  the component's column: dS[0], dS[K], …
template <class F>
concept HasTangent = requires(const F& family, Extent e, const Context& context, const double* in,
                              double* out) {
  family.moments(in, e, e.K, out, e.K);
  family.tangent(in, e, e.K, 1.0, in, context, out);
};

/// S = E_theta[s], a D × K matrix like every statistic of a mixture. theta: weights, then the family's part.
template <HasTangent F>
void mixture_moments(const F& family, const double* theta, Extent e, double* S) {
  const std::size_t D = family.width(e);
  for (std::size_t k = 0; k < e.K; ++k) {
    S[k] = 1;
    family.moments(theta + e.K, e, k, S + e.K + k, e.K);
    for (std::size_t j = 0; j < D; ++j) S[j * e.K + k] *= theta[k];
  }
}

/// Weights that are held stay, and the others keep their sum: d w_j = dS_j - w_j (sum of free dS) / (sum of free w). A component
/// below `empty` has no data of its own: its parameters stay.
template <HasTangent F>
void mixture_tangent(const F& family, const double* theta, Extent e, double empty, const double* dS,
                     const Context& context, double* dtheta) {
  double free = 0;
  double change = 0;
  for (std::size_t k = 0; k < e.K; ++k) {
    if (context.holds("weights", k)) continue;
    free += theta[k];
    change += dS[k];
  }
  for (std::size_t k = 0; k < e.K; ++k) {
    if (!context.holds("weights", k) && free > 0) dtheta[k] = dS[k] - theta[k] * change / free;
    if (theta[k] > empty)
      family.tangent(theta + e.K, e, k, theta[k], dS + k, context, dtheta + e.K);
  }
  if constexpr (requires { family.tangent_shared(theta, e, dS, context, dtheta); })
    family.tangent_shared(theta + e.K, e, dS, context, dtheta + e.K);
}

}  // namespace thalweg
