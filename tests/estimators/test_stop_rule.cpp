// When batch EM may stop, and the plateau on which it must not.
#include "runs.hpp"
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/estimators/starts.hpp>
#include <thalweg/estimators/stop_rule.hpp>

#include <array>
#include <random>

namespace test_stop_rule {

using namespace runs;

/// How many times the rule was told before it said stop; `limit` when it never did.
template <class Value, class Change>
int told_until_stop(StopRule& rule, Value value, Change change, int limit = 100000) {
  for (int i = 0; i < limit; ++i)
    if (rule.tell(value(i), change(i))) return i + 1;
  return limit;
}

TEST(StopRule, ends_a_sequence_that_has_converged_exactly) {
  StopRule rule(1e-8);
  const int told = told_until_stop(
      rule, [](int) { return -1.5; }, [](int) { return 0.0; });
  EXPECT_GE(told, 5);
  EXPECT_LE(told, 10);
}

// l_i = l - c a^i: the rule must wait until c a^i itself is small, not its increment.
TEST(StopRule, sees_the_gap_behind_slow_increments) {
  for (const double a : {0.5, 0.9, 0.99, 0.999}) {
    StopRule rule(1e-8);
    const auto gap = [a](int i) { return 0.1 * std::pow(a, i); };
    const int told = told_until_stop(
        rule, [&](int i) { return -2 - gap(i); }, [&](int i) { return 1e-3 * std::sqrt(gap(i)); });
    ASSERT_LT(told, 100000) << a;
    EXPECT_LT(gap(told - 1), 1e-8) << a;
    EXPECT_GT(gap(told - 1), 1e-12 * std::pow(a, 20)) << a << ": does not dawdle either";
    EXPECT_NEAR(rule.rate(), a, 1e-3) << "Aitken's rate";
  }
}

// Sums of large terms round: near the end EM's likelihood goes up and down by the same few bits for ever.
TEST(StopRule, gains_that_are_rounding_are_none) {
  const auto value = [](int i) {
    constexpr std::array<double, 3> noise = {0, 2e-12, 8e-12};
    return -33.6 - 1e-3 * std::pow(0.7, i) + noise[static_cast<std::size_t>(i % 3)];
  };
  const auto change = [](int i) { return 1e-2 * std::pow(0.9, i); };  // shrinks as its root
  StopRule patient(1e-8);
  EXPECT_EQ(told_until_stop(patient, value, change, 2000), 2000)
      << "the rate is hardly ever below 1";
  StopRule rule(1e-8, 5, true);
  EXPECT_LT(told_until_stop(rule, value, change, 2000), 120);
  rule.begin_anew();
  EXPECT_LE(told_until_stop(
                rule, value, [](int) { return 0.0; }, 2000),
            100);
}

TEST(StopRule, waits_for_the_parameters) {
  StopRule rule(1e-8);
  EXPECT_EQ(told_until_stop(
                rule, [](int) { return -1.0; }, [](int) { return 1e-3; }, 500),
            500);
}

TEST(StopRule, does_not_stop_while_things_move_apart) {
  StopRule rule(1e-8);
  const auto value = [](int i) { return -2 + 1e-20 * std::pow(1.4, i); };
  EXPECT_EQ(told_until_stop(
                rule, value, [](int i) { return 1e-9 * std::pow(1.2, i); }, 60),
            60);
}

TEST(StopRule, one_good_iteration_is_not_enough) {
  StopRule rule(1e-8);
  const auto change = [](int i) {
    return i % 4 == 3 ? 1e-3 : 1e-9;
  };  // something jumps now and then
  EXPECT_EQ(told_until_stop(
                rule, [](int) { return -1.0; }, change, 300),
            300);
}

TEST(StopRule, tolerance_zero_never_stops_and_nan_neither) {
  StopRule never(0);
  EXPECT_EQ(told_until_stop(
                never, [](int) { return -1.0; }, [](int) { return 0.0; }, 500),
            500);
  StopRule rule(1e-8);
  EXPECT_EQ(told_until_stop(
                rule, [](int) { return std::nan(""); }, [](int) { return 0.0; }, 500),
            500);
}

TEST(StopRule, goes_on_after_saving) {
  for (int moment = 1; moment < 40; ++moment) {
    const auto gap = [](int i) { return 0.1 * std::pow(0.5, i); };
    StopRule rule(1e-8);
    StopRule loaded(1e-8);
    int i = 0;
    for (; i < moment; ++i) rule.tell(-gap(i), gap(i));
    Archive archive;
    rule.save(archive, "rule");
    loaded.load(archive, "rule");
    for (; i < 60; ++i) {
      ASSERT_EQ(rule.tell(-gap(i), gap(i)), loaded.tell(-gap(i), gap(i)));
      ASSERT_EQ(rule.rate(), loaded.rate());
    }
  }
}

/// Batch EM on counts of the source's mixture.
double end_from(const textbook::Theta& start, const Table& table) {
  const PoissonMixture model({}, 2);
  Batch batch(model, Schema::numbered(1), {.max_iterations = 100000});
  batch.begin(samples::parameters(model, start));
  batch.run(table.block());
  EXPECT_TRUE(batch.converged());
  return batch.log_likelihood() / table.block().total_weight();
}

// Equal means are a saddle: the likelihood is flat there, increments are far below any tolerance, and EM leaves it slowly.
TEST(Plateau, a_start_beside_the_saddle_ends_at_the_maximum) {
  const Table table =
      samples::table(samples::histogram(samples::draw(samples::source_poisson(), 5000, 1)));
  const double best = end_from(samples::off(samples::source_poisson()), table);
  for (const double apart : {1e-2, 1e-4, 1e-6, 1e-8})
    for (const double middle : {1.4, 1.0, 3.0})
      for (const double weight : {0.5, 0.9}) {
        const textbook::Theta start{.kind = textbook::Kind::poisson,
                                    .weights = {weight, 1 - weight},
                                    .first = {{middle}, {middle + apart}}};
        EXPECT_NEAR(end_from(start, table), best, 2e-8) << apart << " " << middle << " " << weight;
      }
}

// Little overdispersion: the saddle is left at a snail's pace, and the rule must have the patience.
TEST(Plateau, patience_where_components_hardly_differ) {
  const textbook::Theta truth{
      .kind = textbook::Kind::poisson, .weights = {0.5L, 0.5L}, .first = {{2}, {3.2L}}};
  const Table table = samples::table(samples::histogram(samples::draw(truth, 20000, 2)));
  const double best = end_from(truth, table);
  for (const double apart : {1e-4, 1e-6}) {
    const textbook::Theta start{
        .kind = textbook::Kind::poisson, .weights = {0.5L, 0.5L}, .first = {{2.6}, {2.6 + apart}}};
    EXPECT_NEAR(end_from(start, table), best, 5e-8) << apart;
  }
}

// Counts in the thousands: log f is -9 a row, a sum of terms of 40,000.
TEST(StopRule, large_counts_converge) {
  const std::size_t n = 4000;
  Table table(1);
  std::mt19937_64 random(5);
  for (std::size_t t = 0; t < n; ++t) {
    const double rate = t % 3 == 0 ? 800 : t % 3 == 1 ? 3000 : 5200;
    const double spread = 0.7 + 0.6 * static_cast<double>(random() % 1000) / 1000;
    const double y = static_cast<double>(std::poisson_distribution<long>(rate * spread)(random));
    table.append_row(&y);
  }
  const auto model = poisson_mixture({.components = 5});
  const Schema schema = Schema::numbered(1);
  const auto starts = find_starts(model, schema, table.block(), {});
  for (const auto accelerate : {Acceleration::none, Acceleration::squarem}) {
    Batch batch(model, schema, {.max_iterations = 3000, .accelerate = accelerate});
    batch.begin(starts.front().theta);
    batch.run(table.block());
    EXPECT_TRUE(batch.converged());
    EXPECT_LT(batch.iterations(), 1000U);
  }
}

}  // namespace test_stop_rule
