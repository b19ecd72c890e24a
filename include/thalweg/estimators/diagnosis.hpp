// What theory says of a fit that was made: how slow its slowest direction is, and whether the run was long enough for it.
#pragma once

#include <thalweg/estimators/fit.hpp>
#include <thalweg/estimators/slowest.hpp>
#include <thalweg/export.hpp>

#include <optional>
#include <string>

namespace thalweg {

struct Diagnosis {
  Slowest slowest;
  std::optional<double> forgotten;  // by an online run, of an error in that direction
  bool slow = false;                // there is something to do about it
  Message sentence;                 // in plain words
};

/// How many rows are enough to look at: the power iteration should take a fraction of a second.
THALWEG_API std::size_t rows_for_diagnosis(const Plan& plan);

/// Looks at some rows of the fit, at the parameters that it found. Nothing where there are too few rows to say.
THALWEG_API std::optional<Diagnosis> diagnose(const Model& model, const Plan& plan,
                                              const FitResult& result, const FitOptions& options,
                                              const Block& rows);

}  // namespace thalweg
