// A fit for every number of components or factors, and for every choice of an option, compared by held-out likelihood, BIC and ICL.
#pragma once

#include <thalweg/catalogue/degenerate.hpp>
#include <thalweg/catalogue/fit_job.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

/// How far the likelihood of a fit says what it is worth; the first that any fit reaches is chosen among.
enum class Soundness {
  sound,
  narrow_rows,    // all components are as thin as is allowed: it may be the rows
  not_converged,  // it might be higher
  degenerate,     // there is no maximum, only a floor: as high as that is low
};

struct SizeScores {
  std::uint64_t size = 0;
  std::map<std::string, std::string> choices = {};  // of the options that are compared
  std::optional<double> mean = {};                  // log-likelihood of a row at the maximum
  std::optional<double> held_out =
      {};  // … of rows that the fit did not see; of a stream before they were learned
  std::optional<double> bic = {};
  std::optional<double> icl = {};
  Soundness soundness = Soundness::sound;
  std::vector<Degeneracy> degenerate = {};
  bool converged = true;  // or a single pass, which does not iterate

  /// By "bic", "icl" or "held-out"; larger is better.
  THALWEG_API std::optional<double> merit(const std::string& criterion) const;
};

struct ComparisonJob {
  FitJob fit;  // of the model on these columns; its size does not matter
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  std::vector<std::string> over =
      {};  // options of the model of which every choice is compared, too
  std::string choose_by = "bic";
  bool allow_degenerate = false;  // and what has not converged: merit alone decides
  std::function<void(const SizeScores&)> told = {};  // after every fit
};

struct Comparison {
  FitOutcome best;
  std::string chosen_by;  // held-out where the likelihood of all rows is not known
  std::vector<SizeScores> table;
  std::size_t kept = 0;  // its place in the table
  std::map<std::string, std::size_t>
      preferred;  // by each criterion, among those that may be chosen
};

/// Rows are held out where `kept` is all of them. An interrupted fit is compared with nothing; nothing where that was the first.
THALWEG_API std::optional<Comparison> compare_sizes(const ComparisonJob& job, Source& rows,
                                                    const Block* kept);

}  // namespace thalweg
