// Slow versions, written from the formulas of Cappé & Moulines (2009) and nothing else.
#include "known.hpp"
#include "laws.hpp"

#include <algorithm>
#include <cmath>

namespace laws {
namespace {}  // namespace

Explanation slow_explanation(const Subject& subject, const Parameters& theta, const Block& rows) {
  const Known& formulas = known_of(subject);
  if (formulas.explain) return formulas.explain(theta, rows);
  const std::size_t K = subject.components();
  Explanation out{.classes = K, .log_density = {}, .posterior = {}};
  for (std::size_t t = 0; t < rows.rows; ++t) {
    std::vector<double> joint;
    double density = 0;
    for (std::size_t k = 0; k < K; ++k) {
      joint.push_back(share(subject, theta, k) *
                      std::exp(formulas.log_density(theta, k, {rows.row(t), rows.columns})));
      density += joint.back();
    }
    out.log_density.push_back(std::log(density));
    for (const double j : joint) out.posterior.push_back(j / density);
    if (!formulas.scores) continue;
    for (const double z : formulas.scores(theta, {rows.row(t), rows.columns}))
      out.scores.push_back(z);
  }
  return out;
}

namespace {

void slow_model(const Subject& subject, const Parameters& theta, const Block& rows) {
  Explanation fast;
  explain(*subject.model, theta, rows, fast);
  const Explanation slow = slow_explanation(subject, theta, rows);
  for (std::size_t t = 0; t < rows.rows; ++t)
    ASSERT_TRUE(close(fast.log_density[t], slow.log_density[t], 1e-10)) << "row " << t;
  ASSERT_EQ(fast.scores.size(), slow.scores.size());
  for (std::size_t i = 0; i < slow.scores.size(); ++i)
    ASSERT_NEAR(fast.scores[i], slow.scores[i], 1e-10);
  if (!has_components(subject)) return;
  for (std::size_t i = 0; i < slow.posterior.size(); ++i)
    ASSERT_NEAR(fast.posterior[i], slow.posterior[i], 1e-10);
}

void slow_batch(const Trial& trial, const Block& rows, const Setting& setting) {
  Parameters theta = *setting.start;
  if (trial.who == Who::fit)
    calibrate(*trial.subject.model, trial.subject.of_starts(rows, setting.buffer).block(), theta);
  double log_likelihood = 0;
  for (std::uint64_t i = 0; i <= setting.iterations; ++i) {
    const Explanation e = slow_explanation(trial.subject, theta, rows);
    log_likelihood = 0;
    for (std::size_t t = 0; t < rows.rows; ++t) log_likelihood += rows.weight(t) * e.log_density[t];
    if (i < setting.iterations)
      known_of(trial.subject).maximise(trial.subject, rows, e.posterior, theta);
  }
  const Outcome fast = run(trial, rows, setting);
  EXPECT_TRUE(close(fast.theta, theta, 1e-9));
  EXPECT_TRUE(close(fast.log_likelihood, log_likelihood, 1e-10));
}

/// gamma_k of a batch of weight w, see Schedule::rate.
double slow_rate(const Setting& setting, double k, double w, double usual, double total) {
  if (setting.step.kind() == Schedule::Kind::reciprocal) return w / total;
  const double gamma = setting.step.kind() == Schedule::Kind::constant
                           ? 0.05
                           : std::pow(k + 5, -0.7);  // "0.7,offset=5"
  return 1 - std::pow(1 - gamma, w / usual);
}

struct SlowRun {
  Parameters theta;
  Statistic S;
  Statistic A;  // polynomial average, eta = 3
  double scored = 0;
  double scored_weight = 0;
};

/// The recursion over rows from `begin` on, k steps already counted; with a buffer the first steps only gather.
void slow_recursion(const Subject& subject, const Block& rows, std::size_t begin, bool cautious,
                    const Setting& setting, SlowRun& run) {
  const auto m = static_cast<double>(setting.batch_size);
  const auto p = static_cast<double>(subject.plan.free_parameters);
  auto k = static_cast<double>(begin / setting.batch_size);
  double averaged = 0;
  const Pieces batches(rows.slice(begin, rows.rows - begin), setting.batch_size, subject.plan.unit);
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const Block batch = batches[b];
    const std::size_t at = begin + batches.begin(b);
    const double w = batch.total_weight();
    const double seen = rows.slice(0, at + batch.rows).total_weight();
    const double usual = m * seen / static_cast<double>(at + batch.rows);
    k += 1;
    Sums sums(subject.plan.statistic);
    run.scored += expect(*subject.model, run.theta, batch, sums);
    run.scored_weight += w;
    const double alpha = setting.step.kind() == Schedule::Kind::power ? 0.7 : 1.0;
    const bool gathering = cautious && 2 * m * std::pow(k, alpha) < 5 * p;
    const double rate = gathering ? w / seen : slow_rate(setting, k, w, usual, seen);
    for (std::size_t i = 0; i < sums.size(); ++i)
      run.S.data()[i] = (1 - rate) * run.S.data()[i] + rate * sums.data()[i] / w;
    if (!gathering && at + batch.rows > setting.warmup)
      maximise(*subject.model, run.S, {.rows = seen}, run.theta);
    averaged += 1;
    const double newest = averaged == 1 ? 1 : 4 / (averaged + 3);
    for (std::size_t i = 0; i < run.A.size(); ++i)
      run.A.data()[i] = (1 - newest) * run.A.data()[i] + newest * run.S.data()[i];
  }
  maximise(*subject.model, run.A, {}, run.theta);
}

void slow_online(const Trial& trial, const Block& rows, Setting setting) {
  const Subject& subject = trial.subject;
  for (const char* step : {"0.7,offset=5", "1/n", "constant:0.05"}) {
    SCOPED_TRACE(step);
    setting.step = Schedule::parse(step);
    SlowRun slow{*setting.start, Statistic(subject.plan.statistic),
                 Statistic(subject.plan.statistic)};
    const bool buffered = trial.who != Who::recursion;
    const std::size_t begin = buffered ? subject.first(rows, setting.buffer).rows : 0;
    if (buffered) {  // S starts as the mean over the buffer, whose rows are not learned twice
      const Block buffer = rows.slice(0, begin);
      calibrate(*subject.model, buffer, slow.theta);
      Sums sums(subject.plan.statistic);
      expect(*subject.model, slow.theta, buffer, sums);
      slow.S = mean(sums);
    }
    slow_recursion(subject, rows, begin, buffered, setting, slow);
    const Outcome fast = run(trial, rows, setting);
    EXPECT_TRUE(close(fast.theta, slow.theta, 1e-8));
    EXPECT_TRUE(close(fast.statistic, slow.A, 1e-8));
    EXPECT_TRUE(close(fast.log_likelihood, slow.scored / slow.scored_weight, 1e-9));
  }
}

}  // namespace

void textbook(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(803, 21);  // the last mini-batch is short
  const Block rows = table.block();
  // Without a warm-up the first unit makes all components equal, and rounding decides how they part.
  Setting setting{.start = subject.blurred(rows), .warmup = subject.rows_of(40)};
  setting.batch_size = subject.rows_of(7);
  switch (trial.who) {
    case Who::model:
      return slow_model(subject, *setting.start, rows);
    case Who::batch:
      return slow_batch(trial, rows, setting);
    case Who::fit:
      setting.method = Method::batch;
      slow_batch(trial, rows, setting);
      setting.method = Method::online;
      return slow_online(trial, rows, setting);
    case Who::squarem:
      return textbook_squarem(trial, rows, setting);
    case Who::incremental:
      return textbook_incremental(trial, rows, setting);
    case Who::variance_reduced:
      return textbook_variance_reduced(trial, rows, setting);
    case Who::gradient:
      return textbook_gradient(trial, rows, setting);
    case Who::recursion:
      for (const std::size_t m : {1U, 2U, 7U}) {
        setting.batch_size = subject.rows_of(m);
        slow_online(trial, rows, setting);
      }
      return;
    case Who::online:
      for (const std::size_t m : {1U, 7U}) {
        setting.batch_size = subject.rows_of(m);
        slow_online(trial, rows, setting);
      }
      return;
  }
}

}  // namespace laws
