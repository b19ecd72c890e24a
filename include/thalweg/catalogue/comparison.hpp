// A fit for every number of components or factors, compared by held-out likelihood, BIC and ICL.
#pragma once

#include <thalweg/catalogue/fit_job.hpp>
#include <thalweg/export.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

struct SizeScores {
  std::uint64_t size = 0;
  std::optional<double> mean = {};  // log-likelihood of a row at the maximum
  std::optional<double> held_out =
      {};  // … of rows that the fit did not see; of a stream before they were learned
  std::optional<double> bic = {};
  std::optional<double> icl = {};

  /// By "bic", "icl" or "held-out"; larger is better.
  THALWEG_API std::optional<double> merit(const std::string& criterion) const;
};

struct ComparisonJob {
  FitJob fit;  // of the model on these columns; its size does not matter
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  std::string choose_by = "bic";
  std::function<void(const SizeScores&)> told = {};  // after every fit
};

struct Comparison {
  FitOutcome best;
  std::string chosen_by;  // held-out where the likelihood of all rows is not known
  std::vector<SizeScores> table;
  std::map<std::string, std::uint64_t> preferred;  // by each criterion
};

/// Rows are held out where `kept` is all of them. An interrupted fit is compared with nothing; nothing where that was the first.
THALWEG_API std::optional<Comparison> compare_sizes(const ComparisonJob& job, Source& rows,
                                                    const Block* kept);

}  // namespace thalweg
