// A gradient step of theta, shortened until it stays in the domain.
#include "estimators/gradient_step.hpp"

#include "core/domain.hpp"
#include <thalweg/core/absorb.hpp>

#include <cstddef>

namespace thalweg {

double gradient_step(const Model& model, const Tangent& model_tangent, Parameters& theta,
                     const Block& block, double rate, Statistic& S, const Context& context,
                     Carry& carry) {
  double log_likelihood = 0;
  if (!expect_block(model, theta, block, S, context, carry, log_likelihood)) return 0;
  S.weight += carry.sums.weight;
  model_tangent.moments(theta, S);
  if (context.freeze) return log_likelihood;

  Statistic change = mean(carry.sums);
  if (context.prior)
    blend(change, *context.prior, context.prior->weight / (context.rows + context.prior->weight));
  for (std::size_t i = 0; i < S.size(); ++i) change.data()[i] -= S.data()[i];
  Parameters direction(theta.shared_layout());
  model_tangent.tangent(theta, change, context, direction);

  const Parameters before = theta;
  constexpr int most_halvings = 50;
  int halvings = 0;
  for (; halvings <= most_halvings; ++halvings, rate /= 2) {
    for (std::size_t i = 0; i < theta.size(); ++i)
      theta.data()[i] = before.data()[i] + rate * direction.data()[i];
    if (in_domain(theta)) break;
  }
  if (halvings > 0) context.count(Event::step_shrunk);
  if (halvings > most_halvings) theta = before;
  model_tangent.moments(theta, S);
  Context floors = context;
  floors.prior = nullptr;
  floors.ridge = 0;
  maximise(model, S, floors, theta);  // theta again, lifted where it was too low
  return log_likelihood;
}

}  // namespace thalweg
