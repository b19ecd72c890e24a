// The regularisation of a fit, told to every one of its M-steps whatever the estimator: prior, floor, ridge, what is held fixed.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/export.hpp>

#include <memory>

namespace thalweg {

struct Regularisation {
  double floor = 1e-6;        // smallest variance relative to the data's squared scale
  double ridge = 0;           // added to every variance, in the data's own squared units
  double prior_strength = 0;  // n_0 of the model's usual prior, in rows; 0: none. See settle()
  std::shared_ptr<const Statistic> prior = {};  // S_0, its weight n_0; instead of the usual one
  std::shared_ptr<const Parameters> prior_gauge = {};  // whose constants it was taken with
  std::shared_ptr<const Fixed> fixed = {};             // parameters kept as they start

  /// Something differs from what M-steps are told without being asked.
  THALWEG_API bool asked() const;

  Context context(double rows, Events* events = nullptr, bool freeze = false) const {
    return {.rows = rows,
            .floor = floor,
            .ridge = ridge,
            .freeze = freeze,
            .events = events,
            .prior = prior.get(),
            .fixed = fixed.get()};
  }
};

/// With the prior as it looks in the gauge that the first rows give, or the parameters where there are none. Online and
/// Fit do it; Batch, Incremental, VarianceReduced and Recursion refuse a strength that is not settled.
THALWEG_API Regularisation settle(const Model& model, Regularisation regularisation,
                                  const Plan& plan, const Block& buffer,
                                  const Parameters* given = nullptr);

/// A strength that no rows have scaled is a UsageError: a prior that was asked for is not left out.
THALWEG_API void require_settled(const Regularisation& regularisation);

/// Settled, its prior as it looks with the constants of theta.
THALWEG_API Regularisation settled_at(const Model& model, Regularisation regularisation,
                                      const Parameters& theta);

/// A settled prior cannot be found again when the first rows are gone: it belongs to what is saved. One of weight 0 is none.
THALWEG_API void save_prior(const Regularisation& regularisation, Archive& archive);
THALWEG_API void load_prior(const Archive& archive, const Plan& plan,
                            Regularisation& regularisation);

/// What a settled prior adds to the log-likelihood at theta, up to a constant.
THALWEG_API double log_prior(const Model& model, const Regularisation& regularisation,
                             const Parameters& theta);

}  // namespace thalweg
