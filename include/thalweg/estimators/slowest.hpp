// How fast EM forgets where it began: the rate of the slowest direction, and what a schedule makes of it.
#pragma once

#include <thalweg/core/model.hpp>
#include <thalweg/core/regularisation.hpp>
#include <thalweg/core/schedule.hpp>
#include <thalweg/export.hpp>

#include <cmath>
#include <cstdint>

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
THALWEG_API Slowest slowest_direction(const Model& model, const Plan& plan, const Parameters& theta,
                                      const Block& rows, const Regularisation& regularisation = {},
                                      const ThreadPool& pool = {}, int iterations = 60);

/// What a run has forgotten of an error in a direction of which a full step removes the share `removed`, after M-steps first+1 … last:
/// 1 - prod (1 - gamma_k removed).
THALWEG_API double forgotten(const Schedule& schedule, std::uint64_t first, std::uint64_t last,
                             double removed);

}  // namespace thalweg
