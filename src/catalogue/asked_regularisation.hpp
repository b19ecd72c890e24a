// What options say of regularisation, for a model and the fit that it goes on from: looked at before any rows are.
#pragma once

#include "catalogue/option_values.hpp"
#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/export.hpp>

#include <optional>

namespace thalweg {

/// Rows of a prior that is a number; nothing where there is none, or a file.
THALWEG_API std::optional<double> prior_strength(const OptionValues& values);

/// Floor, ridge, prior (its file is read) and what is held. `earlier`: what it was fitted with goes on, and the options must not say
/// otherwise. `several` sizes cannot have the prior of one.
THALWEG_API Regularisation asked_regularisation(const OptionValues& values, const Fitted& model,
                                                const Fitted* earlier, bool several);

/// For one more step: what `base` was fitted with, or what floor and ridge say.
THALWEG_API Regularisation asked_for_one_step(const OptionValues& values, const Fitted& base);

}  // namespace thalweg
