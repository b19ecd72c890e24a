// The smaller promises of PPCA: gauges, rotations, steps of one row, starts in many columns, repairs.
#include "ppcas.hpp"
#include <thalweg/catalogue/factors.hpp>
#include <thalweg/core/absorb.hpp>
#include <thalweg/estimators/batch.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/estimators/recursion.hpp>
#include <thalweg/estimators/slowest.hpp>
#include <thalweg/sources/memory.hpp>

#include <gtest/gtest.h>

namespace test_ppca_parts {

using namespace ppcas;

Statistic e_step(const Ppca& model, const Parameters& theta, const Block& rows) {
  Sums sums(model.plan(Schema::numbered(rows.columns)).statistic);
  expect(model, theta, rows, sums);
  return mean(sums);
}

void expect_near(const Named& a, const Named& b, double bound) {
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a.data()[i], b.data()[i], bound * std::max(1.0, std::abs(b.data()[i]))) << i;
}

TEST(PpcaParts, a_statistic_moves_into_another_gauge) {
  const Factors truth = random_factors(5, {2.0, 1.0}, 0.5, 61);
  const Table table = rows(truth, 300, 62, true);
  const Ppca model({.rank = 2});
  const Parameters here = parameters(model, truth, table.block());
  Parameters there = here;
  for (double& shift : there["shift"]) shift += 0.7;
  there["scale"][0] *= 3.5;
  Statistic moved = e_step(model, here, table.block());
  model.regauge(here, there, moved);
  expect_near(moved, e_step(model, there, table.block()), 1e-12);
}

TEST(PpcaParts, aligned_is_the_same_model_in_one_form) {
  const Factors truth = random_factors(6, {1.0, 3.0, 2.0}, 0.5, 63);
  const Table table = rows(truth, 300, 64);
  const Ppca model({.rank = 3});
  const Parameters before = parameters(model, truth, table.block());
  const Statistic S = e_step(model, before, table.block());
  Parameters theta = before;
  Statistic turned = S;
  model.align(theta, turned);
  expect_near(turned, e_step(model, theta, table.block()), 1e-12);
  const auto w = factors(theta).loadings;
  const auto squared = textbook::product(textbook::transpose(w), w);
  for (std::size_t k = 0; k < 3; ++k) {
    Real top = 0;
    for (const auto& row : w)
      if (std::abs(row[k]) > std::abs(top)) top = row[k];
    EXPECT_GT(top, 0);
    for (std::size_t l = 0; l < k; ++l) {
      EXPECT_NEAR(static_cast<double>(squared[k][l]), 0, 1e-12);
      EXPECT_GE(squared[l][l], squared[k][k]);
    }
  }
  const auto covariance = textbook::covariance(factors(theta));
  const auto expected = textbook::covariance(truth);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      EXPECT_NEAR(static_cast<double>(covariance[i][j]), static_cast<double>(expected[i][j]),
                  1e-12);
  const Parameters once = theta;
  model.align(theta, turned);
  expect_near(theta, once, 1e-14);
}

/// The short cut for one row and one factor, with everything that an M-step may be told.
TEST(PpcaParts, one_row_is_expect_blend_maximise) {
  const Factors truth = random_factors(9, {2.0}, 0.8, 65);
  Table table = rows(truth, 60, 66, true);
  std::vector<double> far(9, 1e150);  // drawn in alike
  table.append_row(far.data());
  for (const char* held : {"", "mean", "loadings", "noise_variance", "mean,noise_variance"}) {
    for (const bool expanded : {false, true}) {
      const Ppca model({.rank = 1, .expanded = expanded});
      const Fixed fixed = Fixed::parse(held);
      Parameters fast = parameters(model, truth, table.block());
      Statistic fast_S = e_step(model, fast, table.block().slice(0, 20));
      Parameters slow = fast;
      Statistic slow_S = fast_S;
      Carry carry;
      for (std::size_t t = 20; t < table.rows(); ++t) {
        const Block row = table.block().slice(t, 1);
        const Context context{.rows = 1, .freeze = t % 5 == 0, .fixed = &fixed};
        const double a = model.absorb(fast, row, 0.1, fast_S, context, carry);
        const double b = absorb_by_expectation(model, slow, row, 0.1, slow_S, context, carry);
        ASSERT_NEAR(a, b, 1e-10 * std::abs(b)) << held << " row " << t;
        for (std::size_t i = 0; i < fast.size(); ++i)
          ASSERT_NEAR(fast.data()[i], slow.data()[i], 1e-10 * (1 + std::abs(slow.data()[i])))
              << held << " row " << t;
      }
    }
  }
}

TEST(PpcaParts, many_columns_start_in_random_directions) {
  const Factors truth = random_factors(1100, {30.0, 20.0}, 1.0, 67);
  const Table table = rows(truth, 250, 68);
  const Schema schema = Schema::numbered(1100);
  const auto model = ppca({.rank = 2});
  const auto likelihood = [&](Method method) {
    MemorySource source(schema, table.block());
    const FitResult result = Fit(model, {.method = method}).run(source);
    EXPECT_FALSE(result.events.any());
    return *result.log_likelihood / 250;
  };
  EXPECT_NEAR(likelihood(Method::batch), likelihood(Method::exact), 1e-6);
}

/// The rate by which mean and covariance converge; rotations, which EM never removes, do not count.
TEST(PpcaParts, the_slowest_direction_is_no_rotation) {
  const Factors truth = random_factors(6, {2.0, 1.3}, 1.0, 73);
  const Table table = rows(truth, 2000, 74);
  const Schema schema = Schema::numbered(6);
  for (const bool expanded : {true, false}) {
    const Ppca model({.rank = 2, .expanded = expanded});
    Parameters theta = parameters(model, random_factors(6, {1.5, 1.0}, 1.5, 75), table.block());
    textbook::Vector steps;  // lengths of the steps of mean and covariance
    for (int k = 0; k < (expanded ? 60 : 110); ++k) {
      const Factors before = factors(theta);
      maximise(model, e_step(model, theta, table.block()), {.rows = 2000}, theta);
      const Factors after = factors(theta);
      const auto from = textbook::covariance(before);
      const auto to = textbook::covariance(after);
      Real squares = 0;
      for (std::size_t i = 0; i < 6; ++i) {
        squares += std::pow(after.mean[i] - before.mean[i], Real(2));
        for (std::size_t j = 0; j < 6; ++j) squares += std::pow(to[i][j] - from[i][j], Real(2));
      }
      steps.push_back(std::sqrt(squares));
    }
    const auto seen = static_cast<double>(steps.back() / steps[steps.size() - 2]);
    Batch batch(model, schema, {.tolerance = 1e-12, .max_iterations = 5000});
    batch.begin(theta);
    batch.run(table.block());
    const Slowest slowest =
        slowest_direction(model, batch.plan(), batch.parameters(), table.block());
    EXPECT_NEAR(slowest.rate, seen, 0.02) << expanded;
    EXPECT_LT(slowest.rate, 0.97);
  }
}

TEST(PpcaParts, there_is_one_start) {
  const Table table = rows(random_factors(4, {2.0}, 1.0, 69), 200, 70);
  MemorySource source(Schema::numbered(4), table.block());
  const FitResult result = Fit(ppca({.rank = 1}), {}).run(source);
  EXPECT_EQ(result.starts.size(), 1U);
  EXPECT_FALSE(result.entropy) << "no components, no entropy of them";
}

/// Rows in an exact plane have no noise: the floor stands in, and says so.
TEST(PpcaParts, no_noise_reaches_the_floor) {
  Factors truth = random_factors(5, {2.0, 1.0}, 0.0, 71);
  const Table table = rows(truth, 100, 72);
  for (const Method method : {Method::automatic, Method::batch, Method::exact}) {
    MemorySource source(Schema::numbered(5), table.block());
    const FitResult result = Fit(ppca({.rank = 2}), {.method = method}).run(source);
    const double scale = result.parameters["scale"][0];
    EXPECT_NEAR(result.parameters["noise_variance"][0], 1e-6 * scale * scale, 1e-12);
    EXPECT_GT(result.events[Event::floor_reached], 0U);
  }
}

TEST(PpcaParts, as_many_factors_as_columns_are_refused) {
  EXPECT_THROW(ppca({.rank = 0}), UsageError);
  for (const std::size_t d : {1U, 2U, 3U})
    EXPECT_THROW(ppca({.rank = 3})->plan(Schema::numbered(d)), UsageError) << d;
  EXPECT_NO_THROW(ppca({.rank = 3})->plan(Schema::numbered(4)));
}

}  // namespace test_ppca_parts
