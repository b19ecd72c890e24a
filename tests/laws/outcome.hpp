// One run of any estimator under the same few settings, and everything it leaves behind.
#pragma once

#include "law.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>

namespace laws {

struct Setting {
  std::optional<Parameters> start = {};  // none: the estimator finds its own, where it can
  std::size_t cut = 0;                   // rows a block, 0: all at once
  std::uint64_t iterations = 5;          // of batch EM
  Schedule step = Schedule::power();
  std::size_t batch_size = 7;
  std::uint64_t buffer = 150;
  std::uint64_t warmup = 0;
  Averaging average = {};
  std::uint64_t seed = 0;
  std::uint64_t passes = 1;
  Method method = Method::automatic;
  Regularisation regularisation = {};
  ThreadPool pool = {};
};

struct Outcome {
  Parameters theta;  // as reported
  Statistic statistic;
  double log_likelihood = 0;  // of all rows, or progressive
  std::string bytes;          // all of it and the saved state, bit for bit
};

/// A writer of doubles as they are.
class Bytes {
 public:
  Bytes& operator<<(std::span<const double> values) {
    text_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }
  Bytes& operator<<(double value) { return *this << std::span<const double>(&value, 1); }
  Bytes& operator<<(std::uint64_t count) {
    text_ += std::to_string(count) + ",";
    return *this;
  }
  Bytes& operator<<(const Events& events) {
    for (const std::uint64_t count : events.counts()) *this << count;
    return *this;
  }
  Bytes& operator<<(const Archive& archive) {
    std::ostringstream out;
    archive.write(out);
    text_ += out.str();
    return *this;
  }
  Bytes& operator<<(const std::vector<StartRecord>& starts) {
    for (const StartRecord& s : starts)
      *this << s.number << s.at_start << s.after_short_em << s.in_race << std::uint64_t{s.chosen};
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

inline Outcome outcome(const Batch& batch) {
  Bytes bytes;
  bytes << batch.reported().values() << batch.statistic().values() << batch.log_likelihood()
        << batch.iterations() << std::uint64_t{batch.converged()} << batch.rate() << batch.events()
        << batch.save();
  return {batch.reported(), batch.statistic(), batch.log_likelihood(), bytes.text()};
}

inline Outcome outcome(const Incremental& run) {
  Bytes bytes;
  bytes << run.reported().values() << run.statistic().values() << run.log_likelihood()
        << run.iterations() << run.passes() << run.memory() << run.events() << run.save();
  return {run.reported(), run.statistic(), run.log_likelihood(), bytes.text()};
}

inline Outcome outcome(const VarianceReduced& run) {
  Bytes bytes;
  bytes << run.reported().values() << run.statistic().values() << run.log_likelihood()
        << run.iterations() << run.passes() << run.rate() << run.events() << run.save();
  return {run.reported(), run.statistic(), run.log_likelihood(), bytes.text()};
}

inline Outcome outcome(const Recursion& run) {
  Bytes bytes;
  bytes << run.reported().values() << run.parameters().values() << run.statistic().values()
        << run.reported_statistic().values() << run.weight() << run.rows() << run.steps()
        << run.progressive().value_or(0) << run.events() << run.save();
  return {run.reported(), run.reported_statistic(), run.progressive().value_or(0), bytes.text()};
}

inline Outcome outcome(const Online& online) {
  Outcome all = outcome(online.run());
  Bytes bytes;
  bytes << online.starts() << online.rows() << online.save();
  all.bytes += bytes.text();
  return all;
}

inline Outcome outcome(const FitResult& fit) {
  Bytes bytes;
  bytes << fit.parameters.values() << fit.statistic.values() << fit.statistic.weight
        << fit.log_likelihood.value_or(0) << fit.progressive.value_or(0) << fit.rows << fit.weight
        << fit.iterations << fit.passes << fit.buffer << fit.events << fit.starts;
  return {fit.parameters, fit.statistic, fit.log_likelihood.value_or(fit.progressive.value_or(0)),
          bytes.text()};
}

inline RecursionOptions recursion_options(const Setting& setting, Who who = Who::recursion) {
  return {.update = who == Who::gradient ? Update::gradient : Update::em,
          .step = setting.step,
          .batch_size = setting.batch_size,
          .warmup = setting.warmup,
          .average = setting.average,
          .regularisation = setting.regularisation,
          .pool = setting.pool};
}

inline BatchOptions batch_options(const Setting& setting, Who who = Who::batch) {
  return {.max_iterations = setting.iterations,
          .accelerate = who == Who::squarem ? Acceleration::squarem : Acceleration::none,
          .regularisation = setting.regularisation,
          .pool = setting.pool};
}

inline IncrementalOptions incremental_options(const Setting& setting) {
  return {.batch_size = setting.batch_size,
          .warmup = setting.warmup,
          .max_iterations = setting.iterations,
          .regularisation = setting.regularisation,
          .pool = setting.pool};
}

inline VarianceReducedOptions variance_reduced_options(const Setting& setting) {
  VarianceReducedOptions options{.batch_size = setting.batch_size,
                                 .max_iterations = setting.iterations,
                                 .seed = setting.seed,
                                 .regularisation = setting.regularisation,
                                 .pool = setting.pool};
  if (setting.step.kind() == Schedule::Kind::constant) options.rate = setting.step.constant_rate();
  return options;
}

inline OnlineOptions online_options(const Setting& setting) {
  return {.step = setting.step,
          .batch_size = setting.batch_size,
          .buffer = setting.buffer,
          .warmup = setting.warmup,
          .average = setting.average,
          .seed = setting.seed,
          .regularisation = setting.regularisation,
          .pool = setting.pool};
}

/// Batch EM and the recursion need a start.
inline Outcome run(Who who, const std::shared_ptr<const Model>& model, const Schema& schema,
                   const Block& rows, const Setting& setting) {
  MemorySource source(schema, rows, setting.cut);
  if (who == Who::incremental) {
    Incremental incremental(model, schema, incremental_options(setting));
    incremental.begin(setting.start.value());
    incremental.run(rows);
    return outcome(incremental);
  }
  if (who == Who::variance_reduced) {
    VarianceReduced reduced(model, schema, variance_reduced_options(setting));
    reduced.begin(setting.start.value());
    reduced.run(rows);
    return outcome(reduced);
  }
  if (who == Who::batch || who == Who::squarem) {
    Batch batch(model, schema, batch_options(setting, who));
    batch.begin(setting.start.value());
    while (source.rewind() && !batch.iterate(source)) {
    }
    return outcome(batch);
  }
  if (who == Who::recursion || who == Who::gradient) {
    Recursion recursion(model, schema, recursion_options(setting, who));
    recursion.begin(setting.start.value());
    for (const Block& block : source) recursion.learn(block);
    recursion.finish();
    return outcome(recursion);
  }
  if (who == Who::online) {
    Online online(model, schema, online_options(setting));
    if (setting.start) online.begin(*setting.start);
    for (const Block& block : source) online.learn(block);
    online.finish();
    return outcome(online);
  }
  OnlineOptions online = online_options(setting);
  online.regularisation = {};  // those of the fit
  online.pool = {};
  Fit fit(model, {.method = setting.method,
                  .online = online,
                  .batch = {.max_iterations = setting.iterations},
                  .passes = setting.passes,
                  .regularisation = setting.regularisation,
                  .pool = setting.pool});
  if (setting.start) fit.begin(*setting.start);
  return outcome(fit.run(source));
}

inline Outcome run(const Trial& trial, const Block& rows, const Setting& setting) {
  return run(trial.who, trial.subject.model, trial.subject.example.schema, rows, setting);
}

/// Every entry within `bound` of the other, relative to its size where that is above 1.
testing::AssertionResult close(const Named& a, const Named& b, double bound);
testing::AssertionResult close(double a, double b, double bound);

/// The same bytes; they are not printed where they differ.
testing::AssertionResult same_bits(const std::string& a, const std::string& b);

/// The same bits where the table says exact, else parameters, statistic and likelihood within `bound`.
testing::AssertionResult agree(const Trial& trial, const Outcome& a, const Outcome& b,
                               double bound = 1e-9);

}  // namespace laws
