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
  std::uint64_t iterations = 100;  // of the short EM, at most
  std::uint64_t survivors = 3;     // that go the whole way when there are many
  std::uint64_t jumps = 5;         // rearrangements that are tried on the best
  double enough = 1e-6;            // nat a row: an iteration that gains less ends it
  std::uint64_t seed = 0;
  Terms terms = {};
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

/// The short EM of one start, in portions.
template <Model M>
class ShortEm {
 public:
  ShortEm(const std::shared_ptr<const M>& model, const Schema& schema, const Block& buffer,
          const StartOptions& options, std::uint64_t number)
      : model_(model),
        buffer_(buffer),
        options_(options),
        batch_(model, schema,
               {.tolerance = 0, .max_iterations = 1'000'000, .terms = options.terms}) {
    Random random(options.seed, number);
    record_.number = number;
    batch_.begin(model->start(buffer, random));
  }

  /// At most so many iterations more, fewer where they gain nothing or the search is to stop. The first is always made.
  void go_on(std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations && !done_; ++i) {
      if (begun_ && options_.stopped()) return;
      done_ = batch_.iterate(buffer_);
      const double now = batch_.objective() / buffer_.total_weight();
      if (!begun_) record_.at_start = now;
      begun_ = true;
      done_ = done_ || now - last_ < options_.enough;
      record_.after_short_em = last_ = now;
    }
  }

  /// Components without data begin again; false where there are none.
  bool revive() {
    Parameters theta = batch_.parameters();
    const Context context = options_.terms.context(buffer_.total_weight(), &reborn_);
    if (thalweg::revive(*model_, buffer_, context, theta) == 0) return false;
    batch_.begin(theta);
    done_ = false;
    last_ = -HUGE_VAL;
    return true;
  }

  /// Tries jumps that EM cannot make, a few iterations after each; keeps what is better than before.
  void jump(std::uint64_t attempts, std::uint64_t iterations) {
    Random random(options_.seed, record_.number, 1);
    std::size_t failures = 0;
    for (std::uint64_t i = 0; i < attempts && !options_.stopped(); ++i) {
      ShortEm other = *this;
      Parameters theta = batch_.parameters();
      const Context context = options_.terms.context(buffer_.total_weight());
      if (!thalweg::rearrange(*model_, buffer_, context, failures, random, theta)) return;
      other.batch_.begin(theta);
      other.done_ = false;
      other.last_ = -HUGE_VAL;
      other.go_on(iterations);
      if (other.value() > value() + 10 * options_.enough) {
        *this = std::move(other);
        failures = 0;
      } else {
        ++failures;
      }
    }
  }

  double value() const {  // a guess that does not explain the data at all goes last
    return std::isfinite(record_.after_short_em) ? record_.after_short_em : -HUGE_VAL;
  }
  Start result() const {
    Start start{batch_.parameters(), batch_.statistic(), record_};
    start.record.repairs = batch_.events();
    start.record.repairs.add(reborn_, Event::component_reborn);
    return start;
  }

 private:
  std::shared_ptr<const M> model_;
  Block buffer_;
  StartOptions options_;
  Batch<M> batch_;
  StartRecord record_;
  Events reborn_;
  double last_ = -HUGE_VAL;  // objective a row before
  bool begun_ = false;
  bool done_ = false;
};

/// All starts, best first; those that repeat another come last. Every start gets a few iterations, the better half some more,
/// the best few the rest: most of the work goes where it may win.
template <Model M>
std::vector<Start> find_starts(const std::shared_ptr<const M>& model, const Schema& schema,
                               const Block& buffer, const StartOptions& options) {
  std::vector<ShortEm<M>> runs;
  const std::size_t wanted = distinct_starts(*model, static_cast<std::size_t>(options.starts));
  for (std::uint64_t r = 1; r <= std::max<std::size_t>(wanted, 1); ++r) {
    if (r > 1 && options.stopped()) break;
    runs.emplace_back(model, schema, buffer, options, r);
  }
  const auto better = [](const ShortEm<M>& a, const ShortEm<M>& b) {
    return a.value() > b.value();
  };
  std::size_t alive = runs.size();
  for (const std::uint64_t portion :
       {options.iterations * 3 / 20, options.iterations / 4, options.iterations}) {
    for (std::size_t r = 0; r < alive; ++r) {
      runs[r].go_on(portion);
      if (portion < options.iterations && runs[r].revive()) runs[r].go_on(portion);
    }
    std::stable_sort(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(alive), better);
    alive = std::max<std::size_t>((alive + 1) / 2, std::min<std::size_t>(alive, options.survivors));
  }
  runs.front().jump(options.jumps, options.iterations / 5);
  std::stable_sort(runs.begin(), runs.end(), better);
  std::vector<Start> starts;
  starts.reserve(runs.size());
  for (const ShortEm<M>& run : runs) starts.push_back(run.result());
  constexpr double alike = 5e-5;  // nat a row; short EM ends at steps of 1e-6
  for (std::size_t r = 1; r < starts.size(); ++r)
    starts[r].record.repeats = runs[r - 1].value() - runs[r].value() < alike;
  std::stable_partition(starts.begin(), starts.end(),
                        [](const Start& start) { return !start.record.repeats; });
  return starts;
}

}  // namespace thalweg
