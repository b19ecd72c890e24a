// Several starts on the first rows, a short batch EM from each, the best of them first.
#pragma once

#include <thalweg/estimators/batch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace thalweg {

/// A line of the table of starts.
struct StartRecord {
  std::uint64_t number = 0;   // 1, 2, …
  double at_start = 0;        // mean log-likelihood of the buffer at the first guess
  double after_short_em = 0;  // … and after a few EM iterations
  double in_race =
      std::numeric_limits<double>::quiet_NaN();  // progressive, NaN when it did not run
  bool repeats = false;  // ended where a better one did: the same start with other names
  Events repairs = {};   // of its short EM; dead components that began again
  bool chosen = false;
};

/// A table of starts as part of a saved state.
THALWEG_API void save_starts(const std::vector<StartRecord>& records, Archive& archive);
THALWEG_API std::vector<StartRecord> load_starts(const Archive& archive);

struct StartOptions {
  std::uint64_t starts = 8;
  bool confirmed = false;          // as many more while they are cheap and end at new places
  std::uint64_t iterations = 100;  // of the short EM, at most
  std::uint64_t survivors = 3;     // that go the whole way when there are many
  std::uint64_t jumps = 5;         // rearrangements that are tried on the best
  double enough = 1e-6;            // nat a row: an iteration that gains less ends it
  std::uint64_t seed = 0;
  Regularisation regularisation = {};
  ThreadPool pool = {};
  std::function<bool()> stop =
      {};  // asked between iterations; true: the best start so far has to do

  bool stopped() const { return stop && stop(); }
};

/// Rows on which starts are compared by default: B = max(1000, 15 p), or what the model says.
inline std::uint64_t default_buffer(const Plan& plan) {
  const std::uint64_t wanted =
      plan.start_rows > 0 ? plan.start_rows : 15 * std::uint64_t{plan.free_parameters};
  return std::max<std::uint64_t>(1000, wanted);
}

inline void require_rows(const Plan& plan, std::uint64_t rows) {
  if (rows < plan.rows_needed)
    throw Error("found " + std::to_string(rows) + " rows, this model needs at least " +
                std::to_string(plan.rows_needed));
}

/// theta = theta-bar(S), S the E-step mean over the buffer.
struct Start {
  Parameters theta;
  Statistic statistic;
  StartRecord record;
};

/// All starts, best first; those that repeat another come last. Every start gets a few iterations, the better half some more,
/// the best few the rest: most of the work goes where it may win.
THALWEG_API std::vector<Start> find_starts(const ModelHandle& model, const Schema& schema,
                                           const Block& buffer, const StartOptions& options);

}  // namespace thalweg
