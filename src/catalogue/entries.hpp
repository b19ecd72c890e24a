// The list of the catalogue's models, each in a file of its own.
#pragma once

#include <thalweg/catalogue/entry.hpp>
#include <thalweg/families/gaussian.hpp>

namespace thalweg {

/// In the order in which they are shown; NAME stands for a function Entry NAME_entry().
#define THALWEG_MODELS(NAME) \
  NAME(gaussian)             \
  NAME(poisson)              \
  NAME(categorical)          \
  NAME(gamma)                \
  NAME(ppca)                 \
  NAME(hmm)

#define THALWEG_DECLARE(name) Entry name##_entry();
THALWEG_MODELS(THALWEG_DECLARE)
#undef THALWEG_DECLARE

/// The option that every mixture has.
Option components_option();

/// weights[K], as every mixture has them.
ParameterInfo weights_parameter();

/// What the option "covariance" of Gaussian components says.
Covariance covariance_kind(const ModelOptions& options);

}  // namespace thalweg
