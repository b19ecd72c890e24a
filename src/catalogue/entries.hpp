// One function a model, each in a file of its own.
#pragma once

#include <thalweg/catalogue/entry.hpp>

namespace thalweg {

Entry categorical_entry();
Entry gaussian_entry();
Entry poisson_entry();
Entry ppca_entry();

/// The option that every mixture has.
Option components_option();

/// weights[K], as every mixture has them.
ParameterInfo weights_parameter();

}  // namespace thalweg
