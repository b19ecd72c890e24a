// One fit with all that surrounds it: rows, observers, summary.
#pragma once

#include "fit_flags.hpp"
#include "interrupts.hpp"
#include "report.hpp"
#include <thalweg/catalogue/fitted_regularisation.hpp>
#include <thalweg/estimators/diagnosis.hpp>

#include <memory>
#include <optional>

namespace thalweg::app {

/// A model with the result that made it.
struct Outcome {
  Fitted fitted;
  FitResult result;
  std::size_t baseline_parameters = 0;
  std::size_t free_parameters = 0;      // without those that --fix holds
  double prior_weight = 0;              // in rows
  std::optional<double> held_out = {};  // mean log-likelihood of the rows of --validate
  std::optional<Diagnosis> diagnosis = {};

  std::optional<double> bic_value() const;
  std::optional<double> icl_value() const;  // where the entropy is known
};

/// Completes flags.regularisation by what --fix and the file of --prior say. With --continue they are those of its file, `init`, and flags
/// must not say otherwise.
void choose_regularisation(FitFlags& flags, const Fitted& prototype, bool range,
                           const std::optional<Fitted>& init);

/// The regularisation of the model file of --one-step-from, or what --floor and --ridge say.
void choose_one_step_regularisation(const FitFlags& flags, Fitted& base);

/// Rows for one fit or several: kept in memory where they fit and are needed more than once, else the source itself.
class FitRows {
 public:
  FitRows(const FitFlags& flags, const Fitted& prototype, TableSource& source, bool needed_again);

  Source& source() { return kept_ ? *kept_ : counted_ ? *counted_ : source_; }
  bool in_memory() const { return kept_ != nullptr; }
  const Table& table() const { return table_; }
  const TableSource& original() const { return source_; }

 private:
  TableSource& source_;
  Table table_;
  std::unique_ptr<Source> kept_;
  std::unique_ptr<Source> counted_;  // the source with its length, where that had to be known
};

/// Fits; `quiet` suppresses the progress table. `listener`, if any, is told of every step.
Outcome run_fit(const FitFlags& flags, const Fitted& prototype,
                const std::optional<Parameters>& init, Source& source, bool quiet,
                Observer* listener = nullptr);

/// Fits each size (K, or r) of the range, prints the comparison, and gives back the best by --choose-by.
Outcome compare(const FitFlags& flags, Range range, const Entry& entry, const ModelOptions& options,
                FitRows& rows, Json& table);

/// What fit says at the end: to people, and as JSON.
void print_summary(const FitFlags& flags, const Outcome& outcome);
Json summary_json(const Outcome& outcome);

}  // namespace thalweg::app
