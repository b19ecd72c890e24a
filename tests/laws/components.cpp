// Components have no order, and what is said of a row adds up.
#include "laws.hpp"
#include "outcome.hpp"

#include <cmath>

namespace laws {
namespace {

/// k → k+1 mod K: a cycle, so that a permutation and its inverse are not mixed up.
std::size_t next(std::size_t k, std::size_t K) { return (k + 1) % K; }

/// Along every extent that counts components.
template <class Values>
Values permuted(const Subject& subject, const Values& values) {
  const std::size_t K = subject.components();
  Values out = values;
  for (const Piece& piece : values.layout().pieces()) {
    if (piece.constant) continue;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      std::size_t to = 0;
      std::size_t rest = i;
      std::size_t stride = 1;
      for (std::size_t axis = piece.shape.size(); axis-- > 0;) {
        const std::size_t index = rest % piece.shape[axis];
        to += stride * (piece.axis(axis) == Axis::component ? next(index, K) : index);
        rest /= piece.shape[axis];
        stride *= piece.shape[axis];
      }
      out[piece.name][to] = values[piece.name][i];
    }
  }
  return out;
}

/// Compares each step's likelihood with what `explain` says of its rows at the parameters before the step.
class Scorer final : public Observer {
 public:
  Scorer(const Subject& subject, const Block& rows) : subject_(subject), rows_(rows) {}
  void expect_from(Parameters theta) { before_ = std::move(theta); }

  void on(const Step& step) override {
    if (step.phase != Phase::online) return;
    if (before_) {
      const Block batch = rows_.slice(step.rows - step.batch_rows, step.batch_rows);
      Explanation explanation;
      explain(*subject_.model, *before_, batch, explanation);
      double sum = 0;
      for (std::size_t t = 0; t < batch.rows; ++t)
        sum += batch.weight(t) * explanation.log_density[t];
      EXPECT_TRUE(close(step.log_likelihood, sum, 1e-10)) << "rows up to " << step.rows;
      EXPECT_TRUE(close(step.batch_weight, batch.total_weight(), 1e-12));
      ++steps_;
    }
    before_ = *step.current;
  }
  int steps() const { return steps_; }

 private:
  const Subject& subject_;
  Block rows_;
  std::optional<Parameters> before_;
  int steps_ = 0;
};

/// The scores of the rows are those that the statistic counts.
void factors_add_up(const Subject& subject, const Parameters& theta, const Block& rows,
                    const Explanation& e, double log_likelihood) {
  Sums sums(subject.plan.statistic);
  ASSERT_EQ(e.classes, 0U);
  ASSERT_EQ(e.factors, sums["scores"].size());
  ASSERT_EQ(e.scores.size(), rows.rows * e.factors);
  double total = 0;
  std::vector<double> scores(e.factors);
  for (std::size_t t = 0; t < rows.rows; ++t) {
    total += rows.weight(t) * e.log_density[t];
    for (std::size_t k = 0; k < e.factors; ++k)
      scores[k] += rows.weight(t) * e.scores[t * e.factors + k];
  }
  EXPECT_TRUE(close(total, log_likelihood, 1e-11));
  EXPECT_TRUE(close(expect(*subject.model, theta, rows, sums), total, 1e-11));
  for (std::size_t k = 0; k < e.factors; ++k)
    EXPECT_TRUE(close(sums["scores"][k], scores[k], 1e-11));
}

void explain_adds_up(const Subject& subject, const Parameters& theta, const Block& rows,
                     double log_likelihood) {
  Explanation e;
  explain(*subject.model, theta, rows, e);
  ASSERT_EQ(e.log_density.size(), rows.rows);
  if (!subject.entry->has_components()) {
    factors_add_up(subject, theta, rows, e, log_likelihood);
    return;
  }
  const std::size_t K = subject.components();
  ASSERT_EQ(e.classes, K);
  ASSERT_EQ(e.posterior.size(), rows.rows * K);
  double total = 0;
  std::vector<double> shares(K);
  for (std::size_t t = 0; t < rows.rows; ++t) {
    double sum = 0;
    for (std::size_t k = 0; k < K; ++k) {
      const double p = e.posterior[t * K + k];
      ASSERT_TRUE(p >= 0 && p <= 1 + 1e-12) << p;
      sum += p;
      shares[k] += rows.weight(t) * p;
    }
    ASSERT_NEAR(sum, 1, 1e-12) << "row " << t;
    total += rows.weight(t) * e.log_density[t];
  }
  EXPECT_TRUE(close(total, log_likelihood, 1e-11));
  Sums sums(subject.plan.statistic);
  EXPECT_TRUE(close(expect(*subject.model, theta, rows, sums), total, 1e-11));
  const char* piece = sums.layout().find("weights") ? "weights" : "occupancy";
  for (std::size_t k = 0; k < K; ++k) EXPECT_TRUE(close(sums[piece][k], shares[k], 1e-11));
}

}  // namespace

void permutation(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(803, 71);
  const Block rows = table.block();
  const Parameters theta = subject.blurred(rows);
  if (trial.who == Who::model) {
    Sums a(subject.plan.statistic);
    Sums b(subject.plan.statistic);
    const double log_likelihood = expect(*subject.model, theta, rows, a);
    EXPECT_TRUE(
        close(expect(*subject.model, permuted(subject, theta), rows, b), log_likelihood, 1e-12));
    EXPECT_TRUE(close(b, permuted(subject, a), 1e-11));
    Explanation first;
    Explanation second;
    explain(*subject.model, theta, rows, first);
    explain(*subject.model, permuted(subject, theta), rows, second);
    const std::size_t K = subject.components();
    for (std::size_t i = 0; i < first.posterior.size(); ++i)
      ASSERT_NEAR(second.posterior[i / K * K + next(i % K, K)], first.posterior[i], 1e-12);
    return;
  }
  Setting setting{.start = theta, .batch_size = subject.rows_of(7)};
  const Outcome first = run(trial, rows, setting);
  setting.start = permuted(subject, theta);
  const Outcome second = run(trial, rows, setting);
  EXPECT_TRUE(close(second.theta, permuted(subject, first.theta), 1e-8));
  EXPECT_TRUE(close(second.statistic, permuted(subject, first.statistic), 1e-8));
  EXPECT_TRUE(close(second.log_likelihood, first.log_likelihood, 1e-10));
}

void explanation(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(803, 72);
  const Block rows = table.block();
  const Setting setting{.start = subject.blurred(rows)};
  if (trial.who == Who::model) {
    for (const std::size_t n : {1U, 2U, 15U, 16U, 17U, 127U, 128U, 129U, 803U}) {
      Sums sums(subject.plan.statistic);
      const double log_likelihood = expect(*subject.model, *setting.start, rows.slice(0, n), sums);
      explain_adds_up(subject, *setting.start, rows.slice(0, n), log_likelihood);
    }
  } else if (knows_all_rows(trial.who) || trial.who == Who::fit) {
    const Outcome all = run(trial, rows, setting);
    explain_adds_up(subject, all.theta, rows, all.log_likelihood);
  } else if (trial.who == Who::recursion || trial.who == Who::gradient) {
    for (const std::size_t m : {1U, 7U}) {
      Scorer scorer(subject, rows);
      scorer.expect_from(*setting.start);
      Recursion recursion(subject.model, subject.example.schema,
                          recursion_options({.batch_size = m}, trial.who));
      recursion.observe(scorer);
      recursion.begin(*setting.start);
      recursion.learn(rows);
      int whole = 0;  // batches: the rows behind them wait for more
      for (std::optional<std::size_t> end = 0; (end = next_cut(rows, *end, m, subject.plan.unit));)
        ++whole;
      EXPECT_EQ(scorer.steps(), whole);
    }
  } else {
    Scorer scorer(subject, rows);
    Online online(subject.model, subject.example.schema, online_options(setting));
    online.observe(scorer);
    online.begin(*setting.start);
    online.learn(rows);
    EXPECT_GT(scorer.steps(), 50);
  }
}

}  // namespace laws
