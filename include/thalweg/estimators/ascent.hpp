// The gradient recursion (Titterington 1984): theta += gamma I_p(theta)^-1 grad log f_theta(Y), I_p the information of complete data.
#pragma once

#include <thalweg/core/domain.hpp>
#include <thalweg/core/model.hpp>

#include <cstddef>

namespace thalweg {

/// One step on a block, in the place of `absorb`. With eta = E_theta[s] the direction is D theta-bar(eta)[E_theta[s | Y] - eta]: a
/// Newton step that takes every latent variable for known. It depends on the parametrisation; this is that of theta itself
/// (weights, rates, means, covariances), for in mean parameters it would be online EM again. A step that leaves the domain is
/// halved until it does not, and the M-step's floors hold. S becomes E_theta[s]. A prior pulls as so many rows would.
template <Model M>
double ascend(const M& model, Parameters& theta, const Block& block, double rate, Statistic& S,
              const Context& context, Carry& carry) {
  double log_likelihood = 0;
  if (!expect_block(model, theta, block, S, context, carry, log_likelihood)) return 0;
  S.weight += carry.sums.weight;
  moments(model, theta, S);
  if (context.freeze) return log_likelihood;

  Statistic change = mean(carry.sums);
  if (context.prior)
    blend(change, *context.prior, context.prior->weight / (context.rows + context.prior->weight));
  for (std::size_t i = 0; i < S.size(); ++i) change.data()[i] -= S.data()[i];
  Parameters direction(theta.shared_layout());
  tangent(model, theta, change, context, direction);

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
  moments(model, theta, S);
  Context floors = context;
  floors.prior = nullptr;
  floors.ridge = 0;
  model.maximise(S, floors, theta);  // theta again, lifted where it was too low
  return log_likelihood;
}

}  // namespace thalweg
