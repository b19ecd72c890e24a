// What every M-step of a fit is told, whatever the estimator: floors, priors, what is held fixed, and who helps.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/model.hpp>

#include <memory>

namespace thalweg {

struct Terms {
  double floor = 1e-6;        // smallest variance relative to the data's squared scale
  double ridge = 0;           // added to every variance, in the data's own squared units
  double prior_strength = 0;  // n_0 of the model's usual prior, in rows; 0: none. See settle()
  std::shared_ptr<const Statistic> prior = {};  // S_0, its weight n_0; instead of the usual one
  std::shared_ptr<const Parameters> prior_gauge = {};  // whose constants it was taken with
  std::shared_ptr<const Fixed> fixed = {};             // parameters kept as they start
  Crew crew = {};                                      // threads

  Context context(double rows, Events* events = nullptr, bool freeze = false) const {
    return {.rows = rows,
            .floor = floor,
            .ridge = ridge,
            .freeze = freeze,
            .events = events,
            .prior = prior.get(),
            .fixed = fixed.get(),
            .crew = &crew};
  }
};

/// The terms with the prior as it looks in the gauge that the first rows give, or the parameters where there are none. Online and
/// Fit do it; Batch and Recursion expect it done.
template <Model M>
Terms settle(const M& model, Terms terms, const Plan& plan, const Block& buffer,
             const Parameters* given = nullptr) {
  if (!terms.prior && !(terms.prior_strength > 0)) return terms;
  Parameters gauge = given ? *given : Parameters(plan.parameters);
  calibrate(model, buffer, gauge);
  Statistic S_0(plan.statistic);
  if (terms.prior) {
    S_0 = *terms.prior;
    if (terms.prior_gauge) regauge(model, *terms.prior_gauge, gauge, S_0);
  } else {
    S_0 = prior(model, buffer, gauge);
    S_0.weight = terms.prior_strength;
  }
  terms.prior = std::make_shared<const Statistic>(std::move(S_0));
  terms.prior_gauge = std::make_shared<const Parameters>(std::move(gauge));
  return terms;
}

/// A settled prior cannot be found again when the first rows are gone: it belongs to what is saved. One of weight 0 is none.
inline void save_prior(const Terms& terms, Archive& archive) {
  const bool given = terms.prior_gauge && terms.prior->weight > 0;
  archive.put("prior/given", std::uint64_t{given ? 1U : 0U});
  if (!given) return;
  archive.put("prior", *terms.prior);
  archive.put("prior/gauge", *terms.prior_gauge);
}

inline void load_prior(const Archive& archive, const Plan& plan, Terms& terms) {
  if (archive.count("prior/given") == 0) return;
  Statistic S_0(plan.statistic);
  Parameters gauge(plan.parameters);
  archive.get("prior", S_0);
  archive.get("prior/gauge", gauge);
  terms.prior = std::make_shared<const Statistic>(std::move(S_0));
  terms.prior_gauge = std::make_shared<const Parameters>(std::move(gauge));
}

/// What a settled prior adds to the log-likelihood at theta, up to a constant.
template <Model M>
double log_prior(const M& model, const Terms& terms, const Parameters& theta) {
  return terms.prior ? terms.prior->weight * score(model, theta, *terms.prior) : 0.0;
}

}  // namespace thalweg
