// Statistics are sums over rows: what adds, what averages, and what the first step forgets.
#include "laws.hpp"
#include "outcome.hpp"

namespace laws {
namespace {

Sums sums_of(const Subject& subject, const Parameters& theta, const Block& rows) {
  Sums sums(subject.plan.statistic);
  expect(*subject.model, theta, rows, sums);
  return sums;
}

/// One E-step of batch EM, as its statistic.
Statistic e_step(const Subject& subject, const Parameters& theta, const Block& rows) {
  Batch batch(subject.model, subject.example.schema, {.max_iterations = 0});
  batch.begin(theta);
  batch.iterate(rows);
  return batch.statistic();
}

}  // namespace

void statistics_add(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(10'001, 11);  // more than two compute slices
  const Block rows = table.block();
  const Parameters theta = subject.blurred(rows);
  const Statistic whole = mean(sums_of(subject, theta, rows));
  EXPECT_TRUE(close(whole.weight, rows.total_weight(), 1e-12));
  EXPECT_TRUE(close(e_step(subject, theta, rows), whole, 1e-11));

  for (const std::size_t first : {1U, 130U, 5000U, 9980U, 9999U}) {
    const Block head = subject.first(rows, first);
    if (head.rows == rows.rows) continue;  // in the middle of the last unit
    const Block tail = rows.slice(head.rows, rows.rows - head.rows);
    Statistic merged;
    if (trial.who == Who::model) {
      Sums sums = sums_of(subject, theta, head);
      sums.add(sums_of(subject, theta, tail));
      merged = mean(sums);
      Sums again = sums_of(subject, theta, head);  // expect adds to what is there
      expect(*subject.model, theta, tail, again);
      EXPECT_TRUE(close(mean(again), whole, 1e-11));
    } else {
      merged = e_step(subject, theta, head);
      blend(merged, e_step(subject, theta, tail), tail.total_weight() / rows.total_weight());
    }
    EXPECT_TRUE(close(merged, whole, 1e-11)) << "cut after " << first;
    EXPECT_TRUE(close(merged.weight, whole.weight, 1e-12));
  }
}

void plain_average(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(5'003, 12);
  const Block rows = table.block();
  const Parameters theta = subject.blurred(rows);
  const Statistic average = mean(sums_of(subject, theta, rows));
  for (const std::size_t batch_size : {1U, 7U, 300U}) {
    Setting setting{.start = theta,
                    .iterations = 0,
                    .step = Schedule::reciprocal(),
                    .batch_size = batch_size,
                    .buffer = 100,
                    .warmup = 1'000'000'000,  // theta stands still
                    .average = {.kind = Averaging::Kind::off},
                    .method = Method::online};
    const Outcome all = run(trial, rows, setting);
    // The gauge is taken from the buffer where there is one; only the same gauge gives the same statistic.
    Parameters in_gauge = theta;
    if (finds_starts(trial.who)) calibrate(*subject.model, subject.first(rows, 100), in_gauge);
    EXPECT_TRUE(close(all.statistic, mean(sums_of(subject, in_gauge, rows)), 1e-10));
    EXPECT_TRUE(close(all.statistic.weight, average.weight, 1e-12));
    EXPECT_TRUE(close(all.theta, in_gauge, 0));
  }
}

void first_rate_one(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw(500, 13);
  const Parameters theta = subject.blurred(table.block());
  for (const std::size_t units : {1U, 10U}) {
    for (const Schedule& step : {Schedule::power(0.6), Schedule::reciprocal()}) {
      const Setting setting{.start = theta,
                            .step = step,
                            .batch_size = subject.rows_of(units),
                            .warmup = subject.rows_of(20),
                            .average = {.kind = Averaging::Kind::off}};
      Recursion with_another(subject.model, subject.example.schema, recursion_options(setting));
      Statistic other(subject.plan.statistic);
      for (double& value : other.values()) value = 3.5;
      with_another.begin(theta, other, 0);
      with_another.learn(table.block());
      with_another.finish();
      const Outcome plain = run(trial, table.block(), setting);
      EXPECT_TRUE(close(with_another.reported(), plain.theta, 1e-10));
      EXPECT_TRUE(close(with_another.statistic(), plain.statistic, 1e-10));
    }
  }
}

/// Shapes differ in the code that serves them; the step does not.
void one_row(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(60, 14);
  for (std::size_t K = 1; K <= 5; ++K) {
    ModelOptions options = subject.example.options;
    options.set(subject.entry->size().name, std::to_string(K));
    const std::size_t fewest = subject.entry->has_components() ? 1 : K + 1;  // columns
    for (std::size_t d = fewest; d < fewest + 3; ++d) {
      SCOPED_TRACE(std::string(subject.entry->size().name) + " " + std::to_string(K) + ", " +
                   std::to_string(d) + " columns");
      const auto model = subject.entry->make(options, subject.schema_of(d));
      Table rows(d);
      for (std::size_t t = 0; t < table.rows(); ++t) {
        std::vector<double> row;
        for (std::size_t j = 0; j < d; ++j)
          row.push_back(table.values()[(t * d + j) % table.rows()]);
        rows.append_row(row.data(), table.block().weight(t));
      }
      Random random(1, 1);
      Parameters fast = model->start(model->plan(subject.schema_of(d)), rows.block(), random);
      Statistic fast_S(model->plan(Schema::numbered(d)).statistic);
      Carry carry;
      absorb_by_expectation(*model, fast, rows.block(), 1, fast_S, {}, carry);
      Statistic slow_S = fast_S;
      Parameters slow = fast;
      for (std::size_t t = 0; t < rows.rows(); ++t) {
        const Block row = rows.block().slice(t, 1);
        const Context context{.rows = 1, .freeze = t % 4 == 3};
        const double a = absorb(*model, fast, row, 0.1, fast_S, context, carry);
        const double b = absorb_by_expectation(*model, slow, row, 0.1, slow_S, context, carry);
        ASSERT_TRUE(close(a, b, 1e-9)) << "row " << t;
        ASSERT_TRUE(close(fast, slow, 1e-9)) << "row " << t;
        ASSERT_TRUE(close(fast_S, slow_S, 1e-9)) << "row " << t;
        ASSERT_TRUE(close(fast_S.weight, slow_S.weight, 1e-12));
      }
    }
  }
}

}  // namespace laws
