// The gradient recursion (Titterington 1984): theta += gamma I_p(theta)^-1 grad log f_theta(Y), I_p the information of complete data.
#pragma once

#include <thalweg/core/capabilities.hpp>

namespace thalweg {

/// One step on a block, in the place of `absorb`. With eta = E_theta[s] the direction is D theta-bar(eta)[E_theta[s | Y] - eta]: a
/// Newton step that takes every latent variable for known. It depends on the parametrisation; this is that of theta itself
/// (weights, rates, means, covariances), for in mean parameters it would be online EM again. A step that leaves the domain is
/// halved until it does not, and the M-step's floors hold. S becomes E_theta[s]. A prior pulls as so many rows would.
double gradient_step(const Model& model, const Tangent& model_tangent, Parameters& theta,
                     const Block& block, double rate, Statistic& S, const Context& context,
                     Carry& carry);

}  // namespace thalweg
