#include "climb.hpp"

#include <thalweg/core/error.hpp>
#include <thalweg/core/schedule.hpp>
#include <thalweg/estimators/starts.hpp>

#include <cmath>
#include <utility>

namespace thalweg::python {
namespace {

/// Passes rows on until it is told to stop.
class Watched final : public Source {
 public:
  Watched(Source& source, std::function<bool()> stop) : source_(source), stop_(std::move(stop)) {}

  const Schema& schema() const override { return source_.schema(); }
  bool next(Block& block) override {
    check_stop();
    const bool more = source_.next(block);
    if (!more) check_stop();  // that may not be the end of the rows
    return more;
  }
  bool rewind() override {
    if (source_.rewind()) return true;
    throw Error(
        "batch EM reads the rows many times, and these can be read only once (give an "
        "array or a file, or use method='online')");
  }
  std::optional<std::uint64_t> rows() const override { return source_.rows(); }

 private:
  void check_stop() const {
    if (stop_ && stop_()) throw Interrupted();
  }

  Source& source_;
  std::function<bool()> stop_;
};

/// One look at every row: it is checked, counted, and some of them, evenly spread where the length is known, are kept.
class FirstLook {
 public:
  FirstLook(const AnyModel& model, Source& source, std::uint64_t wanted)
      : sample_(source.schema().width()) {
    const std::uint64_t length = source.rows().value_or(wanted);
    const std::uint64_t size = std::min(length, wanted);
    std::uint64_t taken = 0;
    const auto place = [&](std::uint64_t i) {  // of the i-th row of the sample
      return size == length ? i : static_cast<std::uint64_t>(real(i) * (real(length) / real(size)));
    };
    for (const Block& block : source) {
      model.check(source.schema(), block);
      for (; taken < size && place(taken) < rows_ + block.rows; ++taken)
        sample_.append(block.slice(static_cast<std::size_t>(place(taken) - rows_), 1));
      rows_ += block.rows;
      weight_ += block.total_weight();
    }
  }

  Block sample() const { return sample_.block(); }
  std::uint64_t rows() const { return rows_; }
  double weight() const { return weight_; }

 private:
  Table sample_;
  std::uint64_t rows_ = 0;
  double weight_ = 0;
};

/// One run of EM into `out`, which always holds something that can be used.
void run(const std::shared_ptr<const AnyModel>& model, Source& source, const ClimbOptions& options,
         const std::vector<Observer*>& observers, Climbed& out) {
  const bool leaps = options.accelerate == Acceleration::squarem;
  // Plain EM stops by the rule below; leaps need the rule of Batch.
  Batch<> batch(model, source.schema(),
                {.tolerance = leaps ? options.tolerance : 0.0,
                 .max_iterations = leaps ? options.max_iterations : options.max_iterations + 1,
                 .accelerate = options.accelerate,
                 .terms = options.terms});
  for (Observer* observer : observers) batch.observe(*observer);
  batch.begin(out.theta);
  try {
    for (bool done = false; !done && out.iterations < options.max_iterations;) {
      source.rewind();
      done = batch.iterate(source);
      ++out.iterations;
      const double before = std::exchange(out.lower_bound, batch.log_likelihood() / out.weight);
      out.theta = batch.parameters();
      out.statistic = batch.statistic();
      out.converged = leaps ? batch.converged()
                            : done || std::abs(out.lower_bound - before) < options.tolerance;
      done = done || out.converged;
      if (!done && options.stop && options.stop()) throw Interrupted();
    }
  } catch (const Interrupted&) {
    out.stopped = true;
  }
  out.events = batch.events();
}

}  // namespace

Climbed climb(const std::shared_ptr<const AnyModel>& model, Source& rows,
              const std::optional<Parameters>& given, const ClimbOptions& asked,
              const std::vector<Observer*>& observers) {
  Watched source(rows, asked.stop);
  const Plan plan = model->plan(source.schema());
  const FirstLook look(*model, source, asked.buffer.value_or(default_buffer(plan)));
  require_rows(plan, look.rows());
  ClimbOptions options = asked;
  options.terms = settle(*model, asked.terms, plan, look.sample(), given ? &*given : nullptr);
  Climbed best;
  for (std::uint64_t r = 0; r < (given ? 1 : std::max<std::uint64_t>(asked.runs, 1)); ++r) {
    Climbed one;
    one.rows = look.rows();
    one.weight = look.weight();
    if (given) {
      one.theta = *given;
      model->calibrate(look.sample(), one.theta);
    } else {
      one.theta =
          find_starts(model, source.schema(), look.sample(),
                      {.starts = options.starts, .seed = options.seed + r, .terms = options.terms})
              .front()
              .theta;
      fill_from(options.given, one.theta);
    }
    run(model, source, options, observers, one);
    if (r == 0 || one.lower_bound > best.lower_bound) {
      const bool stopped = one.stopped;
      best = std::move(one);
      if (stopped) break;
    } else if (one.stopped) {
      best.stopped = true;
      break;
    }
  }
  return best;
}

}  // namespace thalweg::python
