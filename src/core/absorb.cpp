// One online step, by the model's own or by E-step, blend and M-step.
#include "core/slices.hpp"
#include <thalweg/core/absorb.hpp>

#include <cmath>

namespace thalweg {

bool expect_block(const Model& model, const Parameters& theta, const Block& block,
                  const Statistic& S, const Context& context, Carry& carry,
                  double& log_likelihood) {
  Sums& sums = carry.sums;
  if (sums.size() != S.size()) sums = Sums(S.shared_layout());
  sums.clear();
  log_likelihood = 0;
  expect_in_slices(*model.prepare(theta), block, context.pool, sums, carry.parts, log_likelihood,
                   carry.unit,
                   {.events = context.events, .seed = context.seed, .visit = context.visit});
  if (std::isfinite(log_likelihood) && sums.finite()) return true;
  context.count(Event::batch_left_out);
  log_likelihood = 0;
  return false;
}

double absorb_by_expectation(const Model& model, Parameters& theta, const Block& block, double rate,
                             Statistic& S, const Context& context, Carry& carry) {
  double log_likelihood = 0;
  if (!expect_block(model, theta, block, S, context, carry, log_likelihood)) return 0;
  blend(S, carry.sums, rate);
  if (!context.freeze) maximise(model, S, context, theta);
  return log_likelihood;
}

double absorb(const Model& model, Parameters& theta, const Block& block, double rate, Statistic& S,
              const Context& context, Carry& carry) {
  if (const auto* own = capability<Absorb>(model))
    return own->absorb(theta, block, rate, S, context, carry);
  return absorb_by_expectation(model, theta, block, rate, S, context, carry);
}

}  // namespace thalweg
