// Several starts on the first rows, a short batch EM from each, the best of them first.
#pragma once

#include <thalweg/estimators/batch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
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
  bool chosen = false;
};

struct StartOptions {
  std::uint64_t starts = 8;
  std::uint64_t iterations = 100;  // of the short EM
  double enough = 1e-6;            // nat a row: an iteration that gains less ends it
  std::uint64_t seed = 0;
  double floor = 1e-6;
};

/// Rows on which starts are compared by default: B = max(1000, 15 p).
inline std::uint64_t default_buffer(const Plan& plan) {
  return std::max<std::uint64_t>(1000, 15 * std::uint64_t{plan.free_parameters});
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

/// A short EM from theta.
template <Model M>
Start short_em(const std::shared_ptr<const M>& model, const Schema& schema, const Block& buffer,
               Parameters theta, const StartOptions& options) {
  Batch<M> batch(model, schema,
                 {.tolerance = 0, .max_iterations = options.iterations, .floor = options.floor});
  batch.begin(std::move(theta));
  const double weight = buffer.total_weight();
  Start start;
  double last = -std::numeric_limits<double>::infinity();
  for (;;) {
    const bool done = batch.iterate(buffer);
    const double now = batch.log_likelihood() / weight;
    if (last == -std::numeric_limits<double>::infinity()) start.record.at_start = now;
    start.record.after_short_em = now;
    if (done || now - last < options.enough) break;
    last = now;
  }
  start.theta = batch.parameters();
  start.statistic = batch.statistic();
  return start;
}

/// All starts, best first; those that repeat another come last.
template <Model M>
std::vector<Start> find_starts(const std::shared_ptr<const M>& model, const Schema& schema,
                               const Block& buffer, const StartOptions& options) {
  std::vector<Start> starts;
  for (std::uint64_t r = 1; r <= std::max<std::uint64_t>(options.starts, 1); ++r) {
    Random random(options.seed, r);
    Start start = short_em(model, schema, buffer, model->start(buffer, random), options);
    start.record.number = r;
    starts.push_back(std::move(start));
  }
  const auto value =
      [](const Start& start) {  // a guess that does not explain the data at all goes last
        return std::isfinite(start.record.after_short_em) ? start.record.after_short_em : -HUGE_VAL;
      };
  std::stable_sort(starts.begin(), starts.end(),
                   [value](const Start& a, const Start& b) { return value(a) > value(b); });
  constexpr double alike = 5e-5;  // nat a row; short EM ends at steps of 1e-4
  for (std::size_t r = 1; r < starts.size(); ++r)
    starts[r].record.repeats = value(starts[r - 1]) - value(starts[r]) < alike;
  std::stable_partition(starts.begin(), starts.end(),
                        [](const Start& start) { return !start.record.repeats; });
  return starts;
}

}  // namespace thalweg
