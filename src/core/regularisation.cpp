// Prior, floor, ridge and what is held, settled on the rows that scale them.
#include <thalweg/core/regularisation.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {

bool Regularisation::asked() const {
  const Regularisation standard;
  return floor != standard.floor || ridge != standard.ridge || prior_strength > 0 || prior || fixed;
}

namespace {

/// What is to be held has to be there.
void check_fixed(const Regularisation& regularisation, const Layout& parameters) {
  if (regularisation.fixed)
    regularisation.fixed->check(parameters,
                                std::max<std::size_t>(parameters.extent(Axis::component), 1));
}

}  // namespace

Regularisation settle(const Model& model, Regularisation regularisation, const Plan& plan,
                      const Block& buffer, const Parameters* given) {
  check_fixed(regularisation, *plan.parameters);
  if (!regularisation.prior && !(regularisation.prior_strength > 0)) return regularisation;
  Parameters gauge = given ? *given : Parameters(plan.parameters);
  calibrate(model, buffer, gauge);
  Statistic S_0(plan.statistic);
  if (regularisation.prior) {
    S_0 = *regularisation.prior;
    if (regularisation.prior_gauge) regauge(model, *regularisation.prior_gauge, gauge, S_0);
  } else {
    S_0 = prior(model, buffer, gauge);
    S_0.weight = regularisation.prior_strength;
  }
  regularisation.prior = std::make_shared<const Statistic>(std::move(S_0));
  regularisation.prior_gauge = std::make_shared<const Parameters>(std::move(gauge));
  return regularisation;
}

void require_settled(const Regularisation& regularisation) {
  if (regularisation.prior_strength > 0 && !regularisation.prior)
    throw UsageError(
        "a prior is scaled by the first rows, which are not known here (settle() the "
        "regularisation, or use "
        "Online or Fit)");
}

Regularisation settled_at(const Model& model, Regularisation regularisation,
                          const Parameters& theta) {
  require_settled(regularisation);
  check_fixed(regularisation, theta.layout());
  if (!regularisation.prior || !regularisation.prior_gauge) return regularisation;
  Statistic S_0 = *regularisation.prior;
  regauge(model, *regularisation.prior_gauge, theta, S_0);
  regularisation.prior = std::make_shared<const Statistic>(std::move(S_0));
  regularisation.prior_gauge = std::make_shared<const Parameters>(theta);
  return regularisation;
}

void save_prior(const Regularisation& regularisation, Archive& archive) {
  const bool given = regularisation.prior_gauge && regularisation.prior->weight > 0;
  archive.put("prior/given", std::uint64_t{given ? 1U : 0U});
  if (!given) return;
  archive.put("prior", *regularisation.prior);
  archive.put("prior/gauge", *regularisation.prior_gauge);
}

void load_prior(const Archive& archive, const Plan& plan, Regularisation& regularisation) {
  if (archive.count("prior/given") == 0) return;
  Statistic S_0(plan.statistic);
  Parameters gauge(plan.parameters);
  archive.get("prior", S_0);
  archive.get("prior/gauge", gauge);
  regularisation.prior = std::make_shared<const Statistic>(std::move(S_0));
  regularisation.prior_gauge = std::make_shared<const Parameters>(std::move(gauge));
}

double log_prior(const Model& model, const Regularisation& regularisation,
                 const Parameters& theta) {
  return regularisation.prior
             ? regularisation.prior->weight * score(model, theta, *regularisation.prior)
             : 0.0;
}

}  // namespace thalweg
