// One online step: score a block, learn it. A model's own step where it has one, else E-step, blend, M-step.
#pragma once

#include <thalweg/core/capabilities.hpp>
#include <thalweg/export.hpp>

namespace thalweg {

/// The E-step of one block into carry.sums, shaped like S. False: it is not finite, is left out and counted.
THALWEG_API bool expect_block(const Model& model, const Parameters& theta, const Block& block,
                              const Statistic& S, const Context& context, Carry& carry,
                              double& log_likelihood);

/// expect → blend → maximise: the online step of a model that brings none of its own.
THALWEG_API double absorb_by_expectation(const Model& model, Parameters& theta, const Block& block,
                                         double rate, Statistic& S, const Context& context,
                                         Carry& carry);

/// The one of them that fits. Gives the block's log-likelihood before learning.
THALWEG_API double absorb(const Model& model, Parameters& theta, const Block& block, double rate,
                          Statistic& S, const Context& context, Carry& carry);

}  // namespace thalweg
