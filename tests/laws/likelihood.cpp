// Where EM goes: never down, nowhere from the truth, and to the same place by every method.
#include "core/change.hpp"
#include "known.hpp"
#include "laws.hpp"

#include <algorithm>
#include <cmath>

namespace laws {
namespace {

/// Sees that each iteration of batch EM gains, as long as nothing was repaired.
class Ascent final : public Observer {
 public:
  void on(const Step& step) override {
    if (step.phase != Phase::batch) return;
    const double rounding = 1e-12 * std::abs(step.log_likelihood);
    if (seen_ > 0 && !step.events.any()) {
      EXPECT_GE(step.log_likelihood, last_ - rounding);
    }
    last_ = step.log_likelihood;
    ++seen_;
  }
  int seen() const { return seen_; }

 private:
  double last_ = 0;
  int seen_ = 0;
};

double mean_log_likelihood(const Subject& subject, const Parameters& theta, const Block& rows) {
  Sums sums(subject.plan.statistic);
  return expect(*subject.model, theta, rows, sums) / rows.total_weight();
}

/// One EM iteration in each of many groups: their mean is the truth, up to its standard error.
void em_step_at_truth(const Subject& subject) {
  constexpr std::size_t groups = 40;
  constexpr std::size_t group_rows = 5000;
  const Parameters& truth = subject.example.truth;
  std::vector<double> sum(truth.size());
  std::vector<double> squares(truth.size());
  for (std::size_t g = 0; g < groups; ++g) {
    const Table table = subject.draw(group_rows, 100 + g);
    Batch batch(subject.model, subject.example.schema, {.max_iterations = 1});
    batch.begin(truth);
    const Block rows = table.block();
    batch.iterate(rows);
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const double delta = batch.parameters().data()[i] - truth.data()[i];
      sum[i] += delta;
      squares[i] += delta * delta;
    }
  }
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double mean = sum[i] / groups;
    const double standard_error = std::sqrt((squares[i] / groups - mean * mean) / groups);
    EXPECT_LE(std::abs(mean), 5.5 * standard_error + 1e-14) << "entry " << i << " of theta";
  }
}

}  // namespace

void likelihood_never_falls(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(1500, 31);
  // Expanded M-steps are a power iteration on the factors, from the only start near its end: a dozen is the whole way. So it is
  // where rows tell of each other.
  const int enough = draws_starts(subject) && subject.plan.unit == Unit::row ? 20 : 12;
  if (trial.who == Who::batch || trial.who == Who::squarem) {
    Ascent ascent;
    Batch batch(subject.model, subject.example.schema,
                batch_options({.iterations = 300}, trial.who));
    batch.observe(ascent);
    batch.begin(subject.blurred(table.block()));
    batch.run(table.block());
    EXPECT_FALSE(batch.events().any());
    EXPECT_GT(ascent.seen(), trial.who == Who::batch ? enough : enough / 2);
    return;
  }
  if (trial.who == Who::variance_reduced) {  // from anchor to anchor
    Ascent ascent;
    VarianceReduced reduced(subject.model, subject.example.schema);
    reduced.observe(ascent);
    reduced.begin(subject.blurred(table.block()));
    reduced.run(table.block());
    EXPECT_TRUE(reduced.converged());
    EXPECT_GT(ascent.seen(), 3);
    return;
  }
  for (const Method method : {Method::batch, Method::automatic}) {
    Ascent ascent;
    // Starts on few rows leave something to climb.
    Fit fit(subject.model,
            {.method = method, .online = {.buffer = 60}, .batch = {.max_iterations = 150}});
    fit.observe(ascent);
    MemorySource source(subject.example.schema, table);
    fit.run(source);
    EXPECT_GT(ascent.seen(), enough);
  }
}

/// A maximum-likelihood fit gains about p/2 nat over the truth on its own rows; averaging with poly:3 costs a factor 16/7.
void truth_is_fixed(const Trial& trial) {
  const Subject& subject = trial.subject;
  if (trial.who == Who::batch) return em_step_at_truth(subject);
  const Table table = subject.draw(60'000, 32);
  const Block rows = table.block();
  Setting setting{.batch_size = subject.rows_of(20), .buffer = 1000, .method = Method::online};
  if (!finds_starts(trial.who)) {
    setting.start = subject.example.truth;
    setting.warmup = subject.rows_of(200);
  }
  if (trial.who == Who::variance_reduced) setting.batch_size = subject.rows_of(600);
  const Outcome all = run(trial, rows, setting);
  const double p = static_cast<double>(subject.plan.free_parameters);
  const double lost = mean_log_likelihood(subject, subject.example.truth, rows) -
                      mean_log_likelihood(subject, all.theta, rows);
  EXPECT_LT(lost, 3 * p / (2.0 * static_cast<double>(rows.rows)));
  if (setting.start) {
    EXPECT_LT(change(*setting.start, all.theta), 0.15);
  }
}

void methods_agree(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw(1500, 33);
  const Block rows = table.block();
  Batch batch(subject.model, subject.example.schema);
  batch.begin(subject.blurred(rows));
  batch.run(rows);
  ASSERT_TRUE(batch.converged());
  const double best = mean_log_likelihood(subject, batch.parameters(), rows);

  Parameters found;
  double bound = 1e-4;  // nat a row, of many passes
  if (trial.who == Who::squarem) {
    Batch squarem(subject.model, subject.example.schema,
                  batch_options({.iterations = 10000}, trial.who));
    squarem.begin(subject.blurred(rows));
    squarem.run(rows);
    EXPECT_TRUE(squarem.converged());
    // Where EM is quick, the pauses in which the stop rule looks on are all that there is.
    EXPECT_LE(squarem.iterations(), std::max<std::uint64_t>(batch.iterations(), 35));
    found = squarem.parameters();
    bound = 1e-7;
  } else if (trial.who == Who::incremental) {
    Incremental incremental(subject.model, subject.example.schema);
    incremental.begin(subject.blurred(rows));
    incremental.run(rows);
    EXPECT_TRUE(incremental.converged());
    found = incremental.parameters();
    bound = 1e-7;
  } else if (trial.who == Who::variance_reduced) {
    VarianceReduced reduced(subject.model, subject.example.schema);
    reduced.begin(subject.blurred(rows));
    reduced.run(rows);
    EXPECT_TRUE(reduced.converged());
    found = reduced.parameters();
    bound = 1e-7;
  } else if (trial.who == Who::recursion || trial.who == Who::gradient) {
    Recursion recursion(
        subject.model, subject.example.schema,
        recursion_options({.batch_size = subject.rows_of(15), .warmup = subject.rows_of(150)},
                          trial.who));
    recursion.begin(subject.blurred(rows));
    for (int pass = 0; pass < 100; ++pass) recursion.learn(rows);
    found = recursion.reported();
  } else if (trial.who == Who::online) {
    Online online(subject.model, subject.example.schema,
                  {.batch_size = subject.rows_of(15), .buffer = 500});
    for (int pass = 0; pass < 100; ++pass) online.learn(rows);
    found = online.reported();
  } else {
    MemorySource source(subject.example.schema, rows, 100);
    Fit fit(subject.model, {});
    const FitResult result = fit.run(source);
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.method, Method::batch);
    found = result.parameters;
    bound = 1e-6;
  }
  EXPECT_NEAR(mean_log_likelihood(subject, found, rows), best, bound);
}

}  // namespace laws
