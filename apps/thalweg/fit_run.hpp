// One fit of the command with all that surrounds it: rows, observers, summary.
#pragma once

#include "fit_choice.hpp"
#include "fit_flags.hpp"
#include "interrupts.hpp"
#include "report.hpp"
#include <thalweg/catalogue/comparison.hpp>
#include <thalweg/catalogue/fit_job.hpp>

#include <memory>
#include <optional>

namespace thalweg::app {

/// Rows for one fit or several: kept in memory where they fit and are needed more than once, else the source itself.
class FitRows {
 public:
  FitRows(const FitFlags& flags, const Fitted& prototype, TableSource& source, bool needed_again);

  Source& source() { return kept_ ? *kept_ : counted_ ? *counted_ : source_; }
  bool in_order() const { return reordered_; }  // the one that was asked for
  std::optional<Block> in_memory() const {
    return kept_ ? std::optional(table_.block()) : std::nullopt;
  }

 private:
  TableSource& source_;
  Table table_;
  std::unique_ptr<Source> kept_;
  bool reordered_ = false;
  std::unique_ptr<Source> counted_;  // the source with its length, where that had to be known
};

/// What came of a fit, or of the best of several.
struct Told {
  FitOutcome outcome;
  std::optional<double> held_out = {};  // mean log-likelihood of the rows of --validate
  Json comparison = {};
};

/// Runs the job with what the flags want to see of it: progress, trace, checkpoint, held-out rows.
Told run_fit(const FitFlags& flags, FitJob job, Source& source);

/// Fits each size (K, or r) of the range, with every choice that is compared, prints the comparison, and gives back the best by
/// --choose-by.
Told compare(const FitFlags& flags, const FitJob& job, const Choice& choice, FitRows& rows);

/// What fit says at the end: to people, and as JSON.
void print_summary(const FitFlags& flags, const Told& told);
Json summary_json(const Told& told);

}  // namespace thalweg::app
