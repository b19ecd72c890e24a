// Moments of a mixture of exponential families and the derivative of its M-step there: what Titterington's recursion (1984) needs.
// With eta = E_theta[s], I_p the information of complete data and theta-bar the M-step, I_p^-1 times the score of a row is
// D theta-bar(eta)[E_theta[s | y] - eta], in whatever parametrisation theta-bar speaks: here weights and the family's parameters.
#pragma once

#include <thalweg/core/family.hpp>
#include <thalweg/models/mixture_mstep.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace thalweg {

/// S = E_theta[s], a D × K matrix like every statistic of a mixture. theta: weights, then the family's part.
template <Family F>
void mixture_moments(const F& family, const double* theta, Extent e, double* S) {
  const std::size_t D = family.width(e);
  for (std::size_t k = 0; k < e.K; ++k) {
    S[k] = 1;
    family.moments(theta + e.K, e, k, S + e.K + k, e.K);
    for (std::size_t j = 0; j < D; ++j) S[j * e.K + k] *= theta[k];
  }
}

/// Weights that are held stay, and the others keep their sum: d w_j = dS_j - w_j (sum of free dS) / (sum of free w).
inline void weights_tangent(const double* weights, std::size_t K, const double* dS,
                            const Context& context, double* d_weights) {
  double free = 0;
  double change = 0;
  for (std::size_t k = 0; k < K; ++k) {
    if (context.holds("weights", k)) continue;
    free += weights[k];
    change += dS[k];
  }
  for (std::size_t k = 0; k < K; ++k)
    if (!context.holds("weights", k) && free > 0) d_weights[k] = dS[k] - weights[k] * change / free;
}

/// By the family's derivatives. A component below `empty_weight` has no data of its own: its parameters stay. dtheta comes in as
/// zeros.
template <Family F>
void analytic_tangent(const F& family, const double* theta, Extent e, const double* dS,
                      const Context& context, double* dtheta) {
  for (std::size_t k = 0; k < e.K; ++k)
    if (theta[k] > mixture_limits::empty_weight)
      family.tangent(theta + e.K, e, k, theta[k], dS + k, context, dtheta + e.K);
  family.tangent_shared(theta + e.K, e, dS, context, dtheta + e.K);
}

/// By differences of the M-step, of second order. They look forward only: on the way from moments to a statistic of rows all are
/// statistics of some rows, behind the moments they need not be. Differences are taken from theta: what is held has none at all.
template <Family F>
void numeric_tangent(const F& family, const Parameters& theta, Extent e, const Statistic& dS,
                     const Context& context, Parameters& dtheta) {
  constexpr double h = 1e-5;
  constexpr std::array<double, 3> weight_of = {-1.5 / h, 2 / h, -0.5 / h};
  Context quiet = context;
  quiet.events = nullptr;
  Statistic at(dS.shared_layout());
  for (std::size_t i = 0; i < weight_of.size(); ++i) {
    mixture_moments(family, theta.data(), e, at.data());
    for (std::size_t j = 0; j < at.size(); ++j)
      at.data()[j] += static_cast<double>(i) * h * dS.data()[j];
    Parameters there = theta;
    maximise_mixture(family, at.data(), e, quiet, there.data());
    for (std::size_t j = e.K; j < theta.size(); ++j)
      dtheta.data()[j] += weight_of[i] * (there.data()[j] - theta.data()[j]);
  }
}

template <Family F>
void mixture_tangent(const F& family, const Parameters& theta, Extent e, const Statistic& dS,
                     const Context& context, Parameters& dtheta) {
  std::ranges::fill(dtheta.values(), 0.0);
  weights_tangent(theta.data(), e.K, dS.data(), context, dtheta.data());
  if constexpr (WritesTangent<F>) {
    analytic_tangent(family, theta.data(), e, dS.data(), context, dtheta.data());
  } else {
    numeric_tangent(family, theta, e, dS, context, dtheta);
  }
}

}  // namespace thalweg
