#include <thalweg/core/terms.hpp>

#include <utility>

namespace thalweg {

bool Terms::asked() const {
  const Terms standard;
  return floor != standard.floor || ridge != standard.ridge || prior_strength > 0 || prior ||
         fixed || crew.size() > 1;
}

Terms settle(const Model& model, Terms terms, const Plan& plan, const Block& buffer,
             const Parameters* given) {
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

void require_settled(const Terms& terms) {
  if (terms.prior_strength > 0 && !terms.prior)
    throw UsageError(
        "a prior is scaled by the first rows, which are not known here (settle() the terms, or use "
        "Online or Fit)");
}

Terms settled_at(const Model& model, Terms terms, const Parameters& theta) {
  require_settled(terms);
  if (!terms.prior || !terms.prior_gauge) return terms;
  Statistic S_0 = *terms.prior;
  regauge(model, *terms.prior_gauge, theta, S_0);
  terms.prior = std::make_shared<const Statistic>(std::move(S_0));
  terms.prior_gauge = std::make_shared<const Parameters>(theta);
  return terms;
}

void save_prior(const Terms& terms, Archive& archive) {
  const bool given = terms.prior_gauge && terms.prior->weight > 0;
  archive.put("prior/given", std::uint64_t{given ? 1U : 0U});
  if (!given) return;
  archive.put("prior", *terms.prior);
  archive.put("prior/gauge", *terms.prior_gauge);
}

void load_prior(const Archive& archive, const Plan& plan, Terms& terms) {
  if (archive.count("prior/given") == 0) return;
  Statistic S_0(plan.statistic);
  Parameters gauge(plan.parameters);
  archive.get("prior", S_0);
  archive.get("prior/gauge", gauge);
  terms.prior = std::make_shared<const Statistic>(std::move(S_0));
  terms.prior_gauge = std::make_shared<const Parameters>(std::move(gauge));
}

double log_prior(const Model& model, const Terms& terms, const Parameters& theta) {
  return terms.prior ? terms.prior->weight * score(model, theta, *terms.prior) : 0.0;
}

}  // namespace thalweg
