// How weights, order and units of the rows act.
#include "known.hpp"
#include "laws.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace laws {
namespace {

/// What a model alone says of rows: one E-step and its M-step.
Outcome one_iteration(const Subject& subject, const Block& rows, const Setting& setting) {
  Sums sums(subject.plan.statistic);
  const double log_likelihood = expect(*subject.model, *setting.start, rows, sums);
  Parameters theta = *setting.start;
  maximise(*subject.model, mean(sums), {.rows = sums.weight}, theta);
  return {theta, mean(sums), log_likelihood, {}};
}

Outcome outcome_of(const Trial& trial, const Block& rows, const Setting& setting) {
  return trial.who == Who::model ? one_iteration(trial.subject, rows, setting)
                                 : run(trial, rows, setting);
}

}  // namespace

void weight_is_repetition(const Trial& trial) {
  const Table plain = trial.subject.draw(600, 41);
  const Unit unit = trial.subject.plan.unit;
  const Units units(plain.block(), unit);
  Table weighted(plain.columns());
  std::vector<std::size_t> repeated;
  for (std::size_t u = 0; u < units.size(); ++u) {  // weights 0, 1, 2, 3 in turn
    Block one = units[u];
    const std::vector<double> weights(one.rows, static_cast<double>(u % 4));
    one.side.weight = weights.data();
    weighted.append(one);
    repeated.insert(repeated.end(), u % 4, u);
  }
  const Table expanded = pick(plain.block(), unit, repeated);
  const Setting setting{
      .start = trial.subject.blurred(plain.block()), .buffer = 5000, .method = Method::batch};
  const Outcome a = outcome_of(trial, weighted.block(), setting);
  const Outcome b = outcome_of(trial, expanded.block(), setting);
  if (trial.who == Who::fit) {  // gauges are medians of rows, and need not be the same
    EXPECT_TRUE(close(a.log_likelihood, b.log_likelihood, 1e-9));
    for (const Piece& piece : trial.subject.plan.parameters->pieces())
      for (std::size_t i = 0; i < piece.size() && !piece.constant; ++i)
        EXPECT_TRUE(close(a.theta[piece.name][i], b.theta[piece.name][i], 1e-8)) << piece.name;
  } else {
    EXPECT_TRUE(agree(trial, a, b));
  }
  EXPECT_TRUE(close(a.statistic.weight, b.statistic.weight, 1e-12));
}

void unit_of_weight(const Trial& trial) {
  const Table table = trial.subject.draw_weighted(803, 42);
  const Table tripled = reweighted(table.block(), 3);
  Setting setting{.start = trial.subject.blurred(table.block()),
                  .batch_size = trial.subject.rows_of(7)};
  for (const char* step : {"0.6", "1/n", "constant:0.1"}) {
    setting.step = Schedule::parse(step);
    const Outcome a = outcome_of(trial, table.block(), setting);
    Outcome b = outcome_of(trial, tripled.block(), setting);
    EXPECT_TRUE(close(b.statistic.weight, 3 * a.statistic.weight, 1e-12));
    const bool of_all_rows =
        knows_all_rows(trial.who) || trial.who == Who::fit || trial.who == Who::model;
    if (of_all_rows) b.log_likelihood /= 3;
    EXPECT_TRUE(agree(trial, a, b, 1e-8)) << step;
  }
}

void row_order(const Trial& trial) {
  const Table table = trial.subject.draw_weighted(5000, 43);
  const Unit unit = trial.subject.plan.unit;
  std::vector<std::size_t> order(Units(table.block(), unit).size());
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin(), order.end());
  std::rotate(order.begin(), order.begin() + std::ssize(order) / 4, order.end());
  const Table other = pick(table.block(), unit, order);
  const Setting setting{
      .start = trial.subject.blurred(table.block()), .buffer = 5000, .method = Method::batch};
  EXPECT_TRUE(agree(trial, outcome_of(trial, other.block(), setting),
                    outcome_of(trial, table.block(), setting)));
}

/// Starts of its own where the estimator finds them: seeding, short EM and race are free of units too.
void units(const Trial& trial) {
  const Subject& subject = trial.subject;
  const std::size_t d = subject.columns();
  std::vector<double> a(d);
  std::vector<double> b(d);
  std::vector<double> back_a(d);
  std::vector<double> back_b(d);
  double log_scale = 0;
  const Known& formula = known_of(subject);
  const bool one_unit = formula.one_unit && formula.one_unit(subject.example.truth);
  for (std::size_t j = 0; j < d; ++j) {  // the first column has mean 1e6 and spread 1, or is large
    a[j] = formula.has_origin ? 0 : j == 0 ? 1e6 : -40;
    b[j] = one_unit ? 0.5 : j > 0 ? 0.02 : formula.has_origin ? 1e6 : 1;
    back_a[j] = -a[j] / b[j];
    back_b[j] = 1 / b[j];
    log_scale += std::log(b[j]);
  }
  const Table table = subject.draw(1200, 44);
  Table moved(d);
  std::vector<double> row(d);
  for (std::size_t t = 0; t < table.rows(); ++t) {
    Block one = table.block().slice(t, 1);
    for (std::size_t j = 0; j < d; ++j) row[j] = a[j] + b[j] * one.row(0)[j];
    one.values = row.data();
    moved.append(one);
  }
  Setting here{.batch_size = subject.rows_of(7)};
  // Rounding may decide when a search ends: it is maxima that agree.
  if (trial.who == Who::fit) here.iterations = 1000;
  Setting there = here;
  if (!finds_starts(trial.who)) {
    here.start = subject.blurred(table.block());
    there.start = here.start;
    formula.rescale(*there.start, a, b);
    calibrate(*subject.model, moved.block(), *there.start);  // the gauge follows by itself
  }
  const Outcome first = outcome_of(trial, table.block(), here);
  Outcome second = outcome_of(trial, moved.block(), there);
  formula.rescale(second.theta, back_a, back_b);
  const bool a_row =
      trial.who == Who::recursion || trial.who == Who::gradient || trial.who == Who::online;
  second.log_likelihood += log_scale * (a_row ? 1 : static_cast<double>(table.rows()));
  EXPECT_TRUE(agree(trial, first, second, 1e-6));
}

}  // namespace laws
