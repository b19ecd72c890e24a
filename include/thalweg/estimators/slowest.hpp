// How fast EM forgets where it began: the rate of the slowest direction, and what a schedule makes of it.
#pragma once

#include <thalweg/core/any_model.hpp>
#include <thalweg/core/schedule.hpp>
#include <thalweg/core/terms.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/export.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace thalweg {

/// Near a maximum batch EM multiplies errors by DT = 1 - J^-1 I (Dempster, Laird & Rubin 1977): J is the information of rows with their
/// latent variables, I that of the rows alone. The largest eigenvalue of DT is EM's rate; 1 minus it, the smallest of J^-1 I, is the
/// share of an error that one full step removes.
struct Slowest {
  double rate = 0;
  double removed() const { return 1 - rate; }
  /// Iterations of batch EM for one more digit.
  double iterations_a_digit() const { return rate > 0 ? -1 / std::log10(rate) : 0; }
};

/// By power iteration on S -> E-step at theta-bar(S), whose derivative has the eigenvalues of DT, all in [0, 1): 2 E-steps over the
/// rows an iteration. Factors are aligned after each M-step, since a rotation is no error that EM would have to remove. `theta` should
/// be near a maximum for these rows. Empty where the derivative cannot be taken (a repair fires, or there is no latent variable).
template <Model M>
Slowest slowest_direction(const M& model, const Plan& plan, const Parameters& theta,
                          const Block& rows, const Terms& terms = {}, int iterations = 60) {
  const double weight = rows.total_weight();
  const auto aligned = [&](Parameters at) {
    Statistic unused(plan.statistic);
    if (!terms.fixed && !terms.prior) align(model, at, unused);
    return at;
  };
  const auto map = [&](const Statistic& S) {
    Parameters at = theta;
    maximise(model, S, terms.context(weight), at);
    at = aligned(std::move(at));
    return mean(expect_all(model, at, plan, rows, terms.crew).sums());
  };
  const Parameters maximum = aligned(theta);
  const Statistic center = mean(expect_all(model, maximum, plan, rows, terms.crew).sums());
  const auto length = [&](const std::vector<double>& v) {
    double squares = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double x = v[i] / (1e-3 + std::abs(center.data()[i]));  // shares and squares alike
      squares += x * x;
    }
    return std::sqrt(squares);
  };
  // One EM step away from here points along the slow directions already; noise keeps every direction in play.
  Random random(1, 0, 0);
  const Statistic image = map(center);
  std::vector<double> v(center.size());
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = (image.data()[i] - center.data()[i]) +
           1e-3 * (random.uniform() - 0.5) * std::abs(center.data()[i]);
  Slowest slowest;
  double step = 1e-4 / std::max(length(v), 1e-300);
  for (int i = 0; i < iterations; ++i) {
    Statistic forward = center;
    Statistic backward = center;
    for (std::size_t j = 0; j < v.size(); ++j) {
      forward.data()[j] += step * v[j];
      backward.data()[j] -= step * v[j];
    }
    const Statistic a = map(forward);
    const Statistic b = map(backward);
    std::vector<double> next(v.size());
    for (std::size_t j = 0; j < v.size(); ++j) next[j] = (a.data()[j] - b.data()[j]) / (2 * step);
    const double rate = length(next) / length(v);
    if (!std::isfinite(rate) || !(rate > 0)) return {};
    const double change = std::abs(rate - slowest.rate);
    slowest.rate = std::min(rate, 1.0);
    v = std::move(next);
    step = 1e-4 / std::max(length(v), 1e-300);
    if (i > 5 && change < 1e-5 * (1 - slowest.rate)) break;
  }
  return slowest;
}

/// What a run has forgotten of an error in a direction of which a full step removes the share `removed`, after M-steps first+1 … last:
/// 1 - prod (1 - gamma_k removed).
THALWEG_API double forgotten(const Schedule& schedule, std::uint64_t first, std::uint64_t last,
                             double removed);

}  // namespace thalweg
