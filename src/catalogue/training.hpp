// The training record of a fit, assembled in one place whatever the fit was: what a model file tells of how its model came about.
#pragma once

#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/core/archive.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/fit_options.hpp>
#include <thalweg/export.hpp>

#include <string>
#include <vector>

namespace thalweg {

/// Of a whole fit; `earlier`: of the one that it went on from.
THALWEG_API Training training_of(const FitResult& result, const FitOptions& options,
                                 const Training* earlier = nullptr);

/// Of one E-step at theta and the M-step that follows; it remembers where it was taken.
THALWEG_API Training training_of(const Expectation& e, const Parameters& theta);

/// Of fits that become one; `exact`: they are shares of one step.
THALWEG_API Training training_of(const std::vector<Fitted>& parts, bool exact);

/// Parameters, statistic, regularisation and record of a fit. Several passes over the rows make them no more: its statistic weighs
/// what they weigh.
THALWEG_API void take(const FitResult& result, const FitOptions& options, Fitted& fitted,
                      const Training* earlier = nullptr);

/// … and so do files that were written before that was so.
THALWEG_API void weigh_once(Fitted& fitted);

/// A fit that learning may go on from: an Error that names `where` it came from unless it tells what is behind its parameters.
THALWEG_API Fitted continuable(Fitted fitted, const std::string& where);

/// As part of a saved state.
THALWEG_API void save(const Training& training, Archive& archive);
THALWEG_API Training load_training(const Archive& archive);

}  // namespace thalweg
