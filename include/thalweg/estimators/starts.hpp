// Several starts on the first rows, a short batch EM from each, the best of them first.
#pragma once

#include <thalweg/data/table.hpp>
#include <thalweg/estimators/batch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
  bool dropped = false;  // too far behind on some of the rows: all of them it never saw
  Events repairs = {};   // of its short EM; dead components that began again
  bool chosen = false;
  std::uint64_t visits = 0;  // E-steps of one row that it took, or work worth as much

  bool stands_alone() const { return !repeats && !dropped; }
};

/// A table of starts as part of a saved state.
THALWEG_API void save_starts(const std::vector<StartRecord>& records, Archive& archive);
THALWEG_API std::vector<StartRecord> load_starts(const Archive& archive);

struct StartOptions {
  std::optional<std::uint64_t> starts = {};  // 8, or fewer where the budget does not last
  bool confirmed = false;  // as many more while the budget lasts and they end at new places
  double budget = 32;      // passes over the rows that the search may cost, see visits_within
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

/// What the search for starts may cost by default, in passes over the rows.
inline constexpr double usual_start_budget = 2;

/// "2" or "full", which is infinity: until starts end at no new places.
THALWEG_API double parse_start_budget(std::string_view text);

/// What an E-step of one row takes, about: one figure for all machines, for it decides what is done.
inline double seconds_of_a_visit(const Plan& plan) {
  return 1.5e-8 + 1e-10 * static_cast<double>(plan.statistic->size());
}

/// … in E-steps of one row; some hundredths of a second are always there.
inline double visits_within(double passes, double rows, const Plan& plan) {
  constexpr double always = 0.03;  // seconds
  return std::max(passes * rows, always / seconds_of_a_visit(plan));
}

/// Free parameters, of a d × d covariance 4 (d + 1) at most: what starts need to know of it are its d + 1 leading moments.
THALWEG_API std::uint64_t effective_parameters(const Plan& plan);

/// Rows on which starts are compared by default where batch EM follows: what the model says, or 15 for each effective parameter, and at
/// least 1,000.
inline std::uint64_t default_buffer(const Plan& plan) {
  const std::uint64_t wanted =
      plan.start_rows > 0 ? plan.start_rows : 15 * effective_parameters(plan);
  return std::max<std::uint64_t>(1000, wanted);
}

/// … and where a stream does, which leaves no local maximum any more: 15 for each effective parameter, while those fit into 64 megabytes.
THALWEG_API std::uint64_t stream_buffer(const Plan& plan, std::size_t columns);

/// … and more where they cost next to nothing: a search on all rows of a small file finds what some of them do not show.
inline std::uint64_t thorough_buffer(const Plan& plan) {
  constexpr double passes = 500;
  return std::max(default_buffer(plan),
                  static_cast<std::uint64_t>(visits_within(0, 0, plan) / passes));
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

/// The search as work that is done in pieces. How it is cut, and whether a copy goes on instead, changes no bit.
class THALWEG_API StartSearch {
 public:
  /// Rows that the model can take.
  StartSearch(const ModelHandle& model, const Schema& schema, std::shared_ptr<const Table> rows,
              const StartOptions& options);
  StartSearch(const StartSearch& other);
  StartSearch& operator=(const StartSearch& other);
  StartSearch(StartSearch&&) noexcept;
  StartSearch& operator=(StartSearch&&) noexcept;
  ~StartSearch();

  const Table& rows() const;

  /// Until so much work (in E-steps of one row) has been done in all, by the last piece perhaps a little more. True: nothing is left.
  bool reach(double work);
  double done() const;

  /// All starts, best first; those that repeat another or were dropped come last.
  std::vector<Start> finish();

  friend THALWEG_API std::vector<Start> find_starts(const ModelHandle& model, const Schema& schema,
                                                    const Block& buffer,
                                                    const StartOptions& options);

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

/// All of it at once. All starts, best first; those that repeat another or were dropped come last.
THALWEG_API std::vector<Start> find_starts(const ModelHandle& model, const Schema& schema,
                                           const Block& buffer, const StartOptions& options);

}  // namespace thalweg
