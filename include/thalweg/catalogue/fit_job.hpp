// The job of a fit, once for the command, Python and engines: a model, rows and options become a Fitted with its training record.
#pragma once

#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/catalogue/order.hpp>
#include <thalweg/core/source.hpp>
#include <thalweg/estimators/diagnosis.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

struct FitJob {
  Fitted model;  // of the catalogue, see prepare(), or of none; on the columns of the rows
  FitOptions options = {};
  std::vector<Parameters> starts = {};  // where to begin; found unless given
  std::optional<Fitted> earlier =
      {};  // a fit to go on from, see continuable(), as if its rows came first
  bool mends_order =
      true;  // rows that lie sorted are mixed where they can be; several passes visit them in fresh orders
  bool with_baseline = false;  // one component is fitted beside several
  bool with_diagnosis = false;
  std::vector<Observer*> observers = {};
  std::function<void(Fit&)> attach = {};  // told of the run before it begins: who saves its state
};

/// A model with the result that made it, and the numbers by which fits are compared.
struct FitOutcome {
  Fitted fitted;
  FitResult result;
  std::size_t free_parameters = 0;      // without those that are held
  std::size_t baseline_parameters = 0;  // of one component
  double prior_weight = 0;              // in rows
  std::optional<Diagnosis> diagnosis = {};
  std::vector<Remark> remarks = {};  // all that `tell` was told

  // Where the log-likelihood of all rows is known; its mean is that of a row.
  std::optional<double> mean = {};
  std::optional<double> aic = {};
  std::optional<double> bic = {};
  std::optional<double> icl = {};           // … and the entropy
  std::optional<double> baseline_bic = {};  // of one component
};

/// Fits. Stopped before there were any parameters, it has none.
THALWEG_API FitOutcome fit_model(const FitJob& job, Source& rows);

/// Factors in the one form that people can rely on. Loadings that are held stay as they are, and so do those that a prior's statistics
/// know; the usual prior knows no direction.
THALWEG_API void align_factors(Fitted& fitted);

/// Components in this order, or factors aligned.
THALWEG_API void arrange(FitOutcome& outcome, ComponentOrder order);

}  // namespace thalweg
