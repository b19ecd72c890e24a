// Probabilistic PCA against dense covariances, power iteration and the closed form, none of which the library shares.
#include "ppcas.hpp"
#include <thalweg/estimators/batch.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/sources/memory.hpp>

#include <gtest/gtest.h>

namespace test_ppca {

using namespace ppcas;

TEST(Ppca, log_density_is_that_of_the_dense_covariance) {
  for (const std::size_t r : {1U, 2U, 5U, 9U}) {
    for (const double noise : {2.0, 1e-3, 1e-7}) {  // the last one is steep
      const std::vector<double> lengths(r, 3.0);
      const Factors theta = random_factors(17, lengths, noise, 3);
      const Ppca model({.rank = r});
      const Table table = rows(random_factors(17, lengths, 0.5, 4), 131, 5);
      const Parameters at = parameters(model, theta, table.block());
      Explanation seen;
      explain(model, at, table.block(), seen);
      const auto regression = textbook::regression_on_rows(theta);
      for (std::size_t t = 0; t < table.rows(); ++t) {
        const std::vector<double> y(table.block().row(t), table.block().row(t) + 17);
        const double exact = static_cast<double>(textbook::log_density(theta, y));
        ASSERT_NEAR(seen.log_density[t], exact, 1e-11 * (std::abs(exact) + 10))
            << r << " " << noise;
        const auto z = textbook::scores(regression, theta, y);
        for (std::size_t k = 0; k < r; ++k)
          ASSERT_NEAR(seen.scores[t * r + k], static_cast<double>(z[k]), 1e-10);
      }
    }
  }
}

/// The statistic keeps its digits far away from zero.
TEST(Ppca, a_million_away_gives_the_same_fit) {
  Factors truth = random_factors(6, {2.0, 1.0}, 0.3, 11);
  const Table near = rows(truth, 900, 12);
  Table far(6);
  for (std::size_t t = 0; t < near.rows(); ++t) {
    std::vector<double> y(near.block().row(t), near.block().row(t) + 6);
    for (double& cell : y) cell = std::ldexp(std::round(std::ldexp(cell, 20)), -20) + 1e6;
    far.append_row(y.data());
  }
  Table grid(6);  // the same rows without the shift
  for (std::size_t t = 0; t < near.rows(); ++t) {
    std::vector<double> y(far.block().row(t), far.block().row(t) + 6);
    for (double& cell : y) cell -= 1e6;
    grid.append_row(y.data());
  }
  const auto expect_the_same = [&](Method method, const Averaging& average, double close) {
    const auto fitted = [&](const Table& table) {
      MemorySource source(Schema::numbered(6), table);
      return Fit(std::make_shared<const Ppca>(PpcaOptions{.rank = 2}),
                 {.method = method, .online = {.buffer = 200, .average = average}})
          .run(source)
          .parameters;
    };
    Factors here = factors(fitted(grid));
    const Factors there = factors(fitted(far));
    for (Real& m : here.mean) m += 1e6;
    EXPECT_LT(difference(there, here), close) << static_cast<int>(method);
    EXPECT_NEAR(static_cast<double>(there.noise / here.noise), 1, close);
  };
  for (const Method method : {Method::automatic, Method::online, Method::batch, Method::exact})
    expect_the_same(method, {}, 1e-6);
  // The scoring step takes derivatives by differences of log densities, which rounding blurs: a thousandth of a standard error.
  expect_the_same(Method::online, Averaging::automatic(), 3e-5);
}

/// u_k is proportional to C^k u_0, exactly, where the mean is held at that of the rows (theory: the E-step multiplies by C).
TEST(Ppca, plain_em_with_one_factor_is_power_iteration) {
  const Factors truth = random_factors(7, {2.0}, 1.5, 21);
  const Table table = rows(truth, 400, 22);
  const textbook::Vector centre = textbook::row_mean(plain(table.block()));
  const textbook::Matrix C = textbook::row_covariance(plain(table.block()), centre);
  Factors start = random_factors(7, {1.0}, 2.0, 23);
  start.mean = centre;
  for (const bool expanded : {false, true}) {  // the scale differs, the direction does not
    const Ppca model({.rank = 1, .expanded = expanded});
    Parameters theta = parameters(model, start, table.block());
    const Fixed held = Fixed::parse("mean");
    textbook::Vector u(7);
    for (std::size_t j = 0; j < 7; ++j) u[j] = start.loadings[j][0];
    for (int k = 1; k <= 12; ++k) {
      Sums sums(model.plan(Schema::numbered(7)).statistic);
      expect(model, theta, table.block(), sums);
      maximise(model, mean(sums), {.rows = 400, .fixed = &held}, theta);
      textbook::Vector next(7);
      Real length = 0;
      for (std::size_t i = 0; i < 7; ++i) {
        for (std::size_t j = 0; j < 7; ++j) next[i] += C[i][j] * u[j];
        length += next[i] * next[i];
      }
      Real own = 0;
      for (std::size_t i = 0; i < 7; ++i) {
        u[i] = next[i] / std::sqrt(length);
        own += Real(theta["loadings"][i]) * theta["loadings"][i];
      }
      for (std::size_t i = 0; i < 7; ++i)
        ASSERT_NEAR(theta["loadings"][i] / std::sqrt(static_cast<double>(own)),
                    static_cast<double>(u[i]), 1e-11)
            << "iteration " << k;
    }
  }
}

/// The limiting path of |u|² of Cappé (2010, figure 1): d = 20, |u*| = 1, noise 5, u_0 = ones/sqrt(20), noise_0 = 1. Rows with
/// exactly the limiting second moments: ± sqrt(d) times the columns of a root of I·5 + u* u*'.
TEST(Ppca, plain_em_follows_the_limiting_path) {
  constexpr std::size_t d = 20;
  Table table(d);
  for (std::size_t j = 0; j < d; ++j)
    for (const double sign : {-1.0, 1.0}) {
      std::vector<double> y(d);
      y[j] = sign * std::sqrt(d * (j == 0 ? 6.0 : 5.0));
      table.append_row(y.data());
    }
  Factors start{.mean = textbook::Vector(d),
                .loadings = textbook::Matrix(d, textbook::Vector(1, 1 / std::sqrt(Real(d)))),
                .noise = 1};
  const Ppca model({.rank = 1, .expanded = false});
  Parameters theta = parameters(model, start, table.block());
  const Fixed held = Fixed::parse("mean");
  const std::vector<double> path = {1,    2.056, 1.304, .931, .730, .613,
                                    .544, .505,  .488,  .489, .504};
  for (std::size_t k = 0; k <= 30; ++k) {
    double squared = 0;
    for (const double u : theta["loadings"]) squared += u * u;
    if (k < path.size()) {
      EXPECT_NEAR(squared, path[k], 6e-4) << k;
    }
    for (const auto& [later, value] : {std::pair(15U, .705), {20U, .895}, {30U, .993}})
      if (k == later) {
        EXPECT_NEAR(squared, value, 6e-4) << k;
      }
    Sums sums(model.plan(Schema::numbered(d)).statistic);
    expect(model, theta, table.block(), sums);
    maximise(model, mean(sums), {.rows = 40, .fixed = &held}, theta);
  }
}

TEST(Ppca, iterations_are_the_textbooks) {
  const Factors truth = random_factors(6, {3.0, 1.5, 1.0}, 0.4, 31);
  const Table table = rows(truth, 300, 32, true);
  for (const bool expanded : {false, true}) {
    for (const bool hold_mean : {false, true}) {
      const Ppca model({.rank = 3, .expanded = expanded});
      Factors slow = random_factors(6, {1.0, 2.0, 1.0}, 1.0, 33);
      Parameters fast = parameters(model, slow, table.block());
      const Fixed held = Fixed::parse("mean");
      for (int k = 0; k < 8; ++k) {
        slow = textbook::batch_iteration(slow, plain(table.block()),
                                         {.expanded = expanded, .hold_mean = hold_mean});
        Sums sums(model.plan(Schema::numbered(6)).statistic);
        expect(model, fast, table.block(), sums);
        maximise(model, mean(sums), {.rows = sums.weight, .fixed = hold_mean ? &held : nullptr},
                 fast);
        ASSERT_LT(difference(factors(fast), slow), 1e-10) << k << expanded << hold_mean;
      }
    }
  }
}

/// The closed form, EM of both kinds from anywhere, and the exact method meet.
TEST(Ppca, every_way_ends_at_the_closed_form) {
  const Factors truth = random_factors(8, {3.0, 2.0, 1.0}, 0.5, 41);
  const Table table = rows(truth, 700, 42, true);
  const Factors best = textbook::maximum(plain(table.block()), 3);
  const auto highest = static_cast<double>(textbook::log_likelihood(best, plain(table.block())));
  for (const bool expanded : {false, true}) {
    const Ppca model({.rank = 3, .expanded = expanded});
    Batch batch(model, Schema::numbered(8), {.tolerance = 1e-13, .max_iterations = 20000});
    batch.begin(parameters(model, random_factors(8, {1.0, 1.0, 1.0}, 1.0, 43), table.block()));
    batch.run(table.block());
    EXPECT_NEAR(batch.log_likelihood(), highest, 1e-8 * std::abs(highest));
    Parameters theta = batch.parameters();
    Statistic S = batch.statistic();
    model.align(theta, S);
    EXPECT_LT(difference(factors(theta), best), expanded ? 1e-6 : 1e-4);
  }
  MemorySource source(Schema::numbered(8), table);
  Fit fit(std::make_shared<const Ppca>(PpcaOptions{.rank = 3}), {.method = Method::exact});
  const FitResult result = fit.run(source);
  EXPECT_LT(difference(factors(result.parameters), best), 1e-12);
  EXPECT_NEAR(*result.log_likelihood, highest, 1e-11 * std::abs(highest));
  // Its statistic is that of an E-step there, and the M-step stays.
  const Ppca model({.rank = 3});
  Sums sums(result.statistic.shared_layout());
  expect(model, result.parameters, table.block(), sums);
  const Statistic own = mean(sums);
  for (std::size_t i = 0; i < own.size(); ++i)
    EXPECT_NEAR(result.statistic.data()[i], own.data()[i], 1e-11);
  EXPECT_EQ(result.statistic.weight, own.weight);
}

/// Plain EM contracts the scale inside the subspace by 1 - noise/variance an iteration: it stands still where expanded EM is done.
TEST(Ppca, expansion_cures_the_stall) {
  const Factors truth = random_factors(24, {300.0, 200.0, 150.0, 100.0}, 0.01, 51);
  const Table table = rows(truth, 1500, 52);
  const textbook::Data data = plain(table.block());
  const auto highest =
      static_cast<double>(textbook::log_likelihood(textbook::maximum(data, 4), data)) / 1500;
  const auto reached = [&](bool expanded) {
    const Ppca model({.rank = 4, .expanded = expanded});
    Batch batch(model, Schema::numbered(24),
                {.max_iterations = 60, .regularisation = {.floor = 0}});
    batch.begin(
        parameters(model, random_factors(24, {9.0, 9.0, 9.0, 9.0}, 1.0, 53), table.block()));
    batch.run(table.block());
    return batch.log_likelihood() / 1500;
  };
  EXPECT_LT(reached(false), highest - 0.1);
  EXPECT_NEAR(reached(true), highest, 1e-6);
}

}  // namespace test_ppca
