// Batch EM by scikit-learn's rules of starting and stopping.
#include "climb.hpp"

#include <thalweg/core/capabilities.hpp>
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

/// Which rows make a sample of `wanted` from `length`: evenly spread.
class Spread {
 public:
  Spread(std::uint64_t wanted, std::uint64_t length)
      : size_(std::min(wanted, length)), length_(length) {}

  bool whole() const { return taken_ == size_; }
  /// Of the next one.
  std::uint64_t row() const {
    if (size_ == length_) return taken_;
    return static_cast<std::uint64_t>(real(taken_) * (real(length_) / real(size_)));
  }
  void take() { ++taken_; }

 private:
  std::uint64_t size_;
  std::uint64_t length_;
  std::uint64_t taken_ = 0;
};

/// One look at every row: it is checked, counted, and some of them, evenly spread where the length is known, are kept. Rows of
/// weight 0 are as if they were not there; where there are any, the sample takes a second look.
class FirstLook {
 public:
  FirstLook(const Model& model, Source& source, std::uint64_t wanted)
      : sample_(source.schema().width()) {
    Spread spread(wanted, source.rows().value_or(wanted));
    for (const Block& block : source) {
      model.check(source.schema(), block);
      for (; !spread.whole() && spread.row() < rows_ + block.rows; spread.take())
        sample_.append(block.slice(static_cast<std::size_t>(spread.row() - rows_), 1));
      rows_ += block.rows;
      weight_ += block.total_weight();
      for (std::size_t t = 0; block.side.weight && t < block.rows; ++t)
        weightless_ += block.weight(t) == 0 ? 1 : 0;
    }
    if (weightless_ > 0) look_again(source, wanted);
  }

  Block sample() const { return sample_.block(); }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t rows_that_count() const { return rows_ - weightless_; }
  double weight() const { return weight_; }

 private:
  void look_again(Source& source, std::uint64_t wanted) {
    source.rewind();
    sample_ = Table(source.schema().width());
    Spread spread(wanted, rows_that_count());
    std::uint64_t row = 0;
    for (const Block& block : source)
      for (std::size_t t = 0; t < block.rows && !spread.whole(); ++t) {
        if (block.weight(t) == 0 || row++ < spread.row()) continue;
        sample_.append(block.slice(t, 1));
        spread.take();
      }
  }

  Table sample_;
  std::uint64_t rows_ = 0;
  std::uint64_t weightless_ = 0;
  double weight_ = 0;
};

/// One run of EM into `out`, which always holds something that can be used.
void run(const std::shared_ptr<const Model>& model, Source& source, const ClimbOptions& options,
         const std::vector<Observer*>& observers, Climbed& out) {
  const bool leaps = options.accelerate == Acceleration::squarem;
  // Plain EM stops by the rule below; leaps need the rule of Batch.
  Batch batch(model, source.schema(),
              {.tolerance = leaps ? options.tolerance : 0.0,
               .max_iterations = leaps ? options.max_iterations : options.max_iterations + 1,
               .accelerate = options.accelerate,
               .regularisation = options.regularisation,
               .pool = options.pool});
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

Climbed climb(const std::shared_ptr<const Model>& model, Source& rows,
              const std::vector<Parameters>& given, const ClimbOptions& asked,
              const std::vector<Observer*>& observers) {
  Watched source(rows, asked.stop);
  const Plan plan = model->plan(source.schema());
  const FirstLook look(*model, source, asked.buffer.value_or(default_buffer(plan)));
  require_rows(plan, look.rows_that_count());
  ClimbOptions options = asked;
  options.regularisation = settle(*model, asked.regularisation, plan, look.sample(),
                                  given.empty() ? nullptr : &given.front());
  Climbed best;
  const std::uint64_t runs = given.empty() ? std::max<std::uint64_t>(asked.runs, 1) : given.size();
  for (std::uint64_t r = 0; r < runs; ++r) {
    Climbed one;
    one.rows = look.rows();
    one.weight = look.weight();
    if (!given.empty()) {
      one.theta = given[r];
      one.lower_bound = asked.bound;
      calibrate(*model, look.sample(), one.theta);
    } else {
      one.theta = find_starts(model, source.schema(), look.sample(),
                              {.starts = options.starts,
                               .seed = options.seed + r,
                               .regularisation = options.regularisation,
                               .pool = options.pool,
                               .stop = options.stop})
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
  best.regularisation = options.regularisation;
  return best;
}

}  // namespace thalweg::python
