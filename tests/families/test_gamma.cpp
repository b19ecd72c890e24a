// The gamma family beside slow, plain versions: density, M-step, extreme shapes, the gauge that keeps digits, repairs.
#include <thalweg/core/capabilities.hpp>
#include <thalweg/estimators/batch.hpp>
#include <thalweg/families/gamma.hpp>
#include <thalweg/kernels/special.hpp>
#include <thalweg/models/mixture.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace test_gamma {

using namespace thalweg;
using Real = long double;
using GammaMixture = Mixture<Gamma>;

/// One column; the gauge is that of the rows, or of the parameters where there are none.
Parameters parameters(const GammaMixture& model, const std::vector<double>& weights,
                      const std::vector<double>& shapes, const std::vector<double>& scales,
                      const Block& rows = dense_block(nullptr, 0, 1)) {
  Parameters theta(model.plan(Schema::numbered(1)).parameters);
  std::ranges::copy(weights, theta["weights"].begin());
  std::ranges::copy(shapes, theta["shapes"].begin());
  std::ranges::copy(scales, theta["scales"].begin());
  calibrate(model, rows, theta);
  return theta;
}

Real slow_log_density(Real a, Real b, Real y) {
  return (a - 1) * std::log(y) - y / b - std::lgamma(a) - a * std::log(b);
}

double log_density(const GammaMixture& model, const Parameters& theta, double y) {
  Explanation out;
  explain(model, theta, dense_block(&y, 1, 1), out);
  return out.log_density[0];
}

std::vector<double> drawn(double shape, double scale, std::size_t n, std::uint64_t seed) {
  const GammaMixture model({}, 1);
  const Parameters theta = parameters(model, {1}, {shape}, {scale});
  std::vector<double> rows(n);
  for (std::size_t t = 0; t < n; ++t) {
    Random random(seed, t);
    draw(model, theta, random, &rows[t]);
  }
  return rows;
}

/// Of one component with everything in it: theta-bar of the rows, in their own gauge.
Parameters fitted(const std::vector<double>& rows, Context context = {}) {
  const GammaMixture model({}, 1);
  const Block block = dense_block(rows.data(), rows.size(), 1);
  Parameters theta = parameters(model, {1}, {1}, {1}, block);
  Sums sums(model.plan(Schema::numbered(1)).statistic);
  expect(model, theta, block, sums);
  maximise(model, mean(sums), context, theta);
  return theta;
}

TEST(Gamma, domain) {
  const Gamma gamma;
  for (const double y : {1e-300, 1e-5, 1.0, 17.5, 1e150}) EXPECT_TRUE(gamma.contains(y, 0)) << y;
  for (const double y : {0.0, -1.0, -0.0, 1e151, HUGE_VAL, -HUGE_VAL, std::nan("")})
    EXPECT_FALSE(gamma.contains(y, 0)) << y;
}

TEST(Gamma, density_is_the_textbooks_and_integrates_to_one) {
  const std::vector<double> w{0.3, 0.5, 0.2}, a{0.7, 3.0, 40.0}, b{2.0, 0.5, 0.25};
  const GammaMixture model({}, 3);
  const Parameters theta = parameters(model, w, a, b);
  Real total = 0;  // by the trapezium rule over x = log y, whose ends are flat
  const Real h = 0.01L;
  for (Real x = -60; x < 6; x += h) {
    const double y = static_cast<double>(std::exp(x));
    Real slow = 0;
    for (std::size_t k = 0; k < 3; ++k) slow += w[k] * std::exp(slow_log_density(a[k], b[k], y));
    const double fast = log_density(model, theta, y);
    EXPECT_NEAR(fast, static_cast<double>(std::log(slow)), 1e-12 * (1 + std::abs(fast))) << y;
    total += h * y * std::exp(Real(fast));
  }
  EXPECT_NEAR(static_cast<double>(total), 1, 1e-12);
}

TEST(Gamma, of_shape_one_is_exponential) {
  const GammaMixture model({}, 1);
  const Parameters theta = parameters(model, {1}, {1}, {2.5});
  for (const double y : {1e-8, 0.3, 2.5, 77.0})
    EXPECT_NEAR(log_density(model, theta, y), -std::log(2.5) - y / 2.5, 1e-13 * (1 + y));
}

// Of large shapes log Gamma(a), a log b and y/b are large and nearly cancel: long double has 64 bits for it, the gauge needs none.
TEST(Gamma, density_of_extreme_shapes) {
  const GammaMixture model({}, 1);
  for (const double a : {1e-3, 1e-2, 1e4, 1e8, 1e11}) {
    const double b = a < 1 ? 3.0 : 3.0 / a;
    const Parameters theta = parameters(model, {1}, {a}, {b});
    for (const double sd : {-4.0, -1.0, 0.0, 0.5, 3.0}) {
      const double y = a < 1 ? std::exp(60 * sd) : 3 * (1 + sd / std::sqrt(a));
      const auto slow = static_cast<double>(slow_log_density(a, b, y));
      const double bound = 1e-12 * (1 + std::abs(slow)) + 1e-18 * a * std::log(a + 1);
      EXPECT_NEAR(log_density(model, theta, y), slow, bound) << a << ", " << sd;
    }
  }
}

/// <S, psi> - A of one component with sums of n rows, in long double and without any gauge.
Real slow_Q(const std::vector<double>& rows, Real a, Real b) {
  Real sum = 0;
  for (const double y : rows) sum += slow_log_density(a, b, y);
  return sum / static_cast<Real>(rows.size());
}

// The scale has a closed form given the shape, so the maximum lies on a line: golden sections of log a find it.
TEST(Gamma, m_step_is_the_maximum_found_by_golden_sections) {
  for (const double shape : {0.05, 0.8, 1.0, 3.7, 60.0, 2000.0}) {
    const std::vector<double> rows = drawn(shape, 1.7, 400, 9);
    Real total = 0;
    for (const double y : rows) total += y;
    const Real average = total / 400;
    const auto Q = [&](Real x) { return slow_Q(rows, std::exp(x), average / std::exp(x)); };
    const Real golden = (std::sqrt(5.0L) - 1) / 2;
    Real low = std::log(Real(shape)) - 3;
    Real high = low + 6;
    while (high - low > 1e-10L) {
      const Real left = high - golden * (high - low);
      const Real right = low + golden * (high - low);
      (Q(left) < Q(right) ? low : high) = Q(left) < Q(right) ? left : right;
    }
    const Parameters theta = fitted(rows);
    const auto a = static_cast<double>(std::exp(low));  // a maximum is known to half the digits
    EXPECT_NEAR(theta["shapes"][0] / a, 1, 1e-7) << shape;
    EXPECT_NEAR(theta["shapes"][0] * theta["scales"][0] / static_cast<double>(average), 1, 1e-13);
  }
}

// At the M-step the gradient of Q vanishes: to 1e-12 in the shape, by log a - psi(a) in long double.
TEST(Gamma, m_step_has_all_its_digits) {
  for (const double shape : {1e-2, 0.5, 2.0, 90.0, 1e4, 1e8}) {
    const std::vector<double> rows = drawn(shape, 1 / shape, 2000, 4);
    Real total = 0;
    Real logs = 0;
    for (const double y : rows) total += y, logs += std::log(Real(y));
    const auto difference = static_cast<double>(std::log(total / 2000) - logs / 2000);
    EXPECT_NEAR(fitted(rows)["shapes"][0] / kernels::inverse_log_less_digamma(difference), 1, 1e-10)
        << shape;
  }
}

// Q is what `score` tells, up to log h: its differences are the gradient by the formulas, away from the maximum too.
TEST(Gamma, gradient_of_Q_equals_differences) {
  const std::vector<double> rows = drawn(2.0, 3.0, 500, 6);
  const GammaMixture model({}, 1);
  const Block block = dense_block(rows.data(), rows.size(), 1);
  const Parameters theta = parameters(model, {1}, {2.6}, {1.9}, block);
  Sums sums(model.plan(Schema::numbered(1)).statistic);
  expect(model, theta, block, sums);
  const Statistic S = mean(sums);
  double logs = 0;
  double total = 0;
  for (const double y : rows) logs += std::log(y) / 500, total += y / 500;
  const double by_shape = logs - kernels::digamma(2.6) - std::log(1.9);
  const double by_scale = total / (1.9 * 1.9) - 2.6 / 1.9;
  const auto slope = [&](const char* piece) {
    const double h = 1e-5;
    Parameters more = theta;
    Parameters less = theta;
    more[piece][0] += h;
    less[piece][0] -= h;
    return (model.score(more, S) - model.score(less, S)) / (2 * h);
  };
  EXPECT_NEAR(slope("shapes"), by_shape, 1e-8);
  EXPECT_NEAR(slope("scales"), by_scale, 1e-8);
}

TEST(Gamma, moments_lead_back_to_the_parameters) {
  const GammaMixture model({}, 3);
  for (const double a : {1e-3, 0.4, 5.0, 1e5, 1e8}) {
    const Parameters truth =
        parameters(model, {0.5, 0.3, 0.2}, {a, 1.1 * a, 2 * a}, {1 / a, 0.95 / a, 0.49 / a});
    Statistic S(model.plan(Schema::numbered(1)).statistic);
    model.moments(truth, S);
    EXPECT_TRUE(model.valid(truth, S));
    Parameters theta = truth;
    maximise(model, S, {.floor = 0}, theta);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(theta["shapes"][i] / truth["shapes"][i], 1, 1e-12 + 1e-15 * a) << a;
      EXPECT_NEAR(
          theta["shapes"][i] * theta["scales"][i] / (truth["shapes"][i] * truth["scales"][i]), 1,
          1e-13);
    }
  }
}

TEST(Gamma, values_all_alike_stop_at_the_floor_and_are_counted) {
  for (const double value : {1e-9, 1.0, 5.0, 1e9}) {
    Events events;
    const Parameters theta = fitted(std::vector<double>(50, value), {.events = &events});
    EXPECT_NEAR(theta["shapes"][0], 1e6, 1e-3) << value;  // a spread of 1e-3 of the value itself
    EXPECT_NEAR(theta["shapes"][0] * theta["scales"][0] / value, 1, 1e-13);
    EXPECT_EQ(events[Event::floor_reached], 1U);
    EXPECT_TRUE(events.columns(Event::floor_reached).has(0));
    const Parameters bare = fitted(std::vector<double>(50, value), {.floor = 0, .events = &events});
    EXPECT_TRUE(bare.finite());
    EXPECT_LE(bare["shapes"][0], Gamma::largest_shape);
    EXPECT_EQ(events[Event::floor_reached], 2U);
  }
}

// The floor is relative to how wide the data are: a narrow component among narrow data is none that needs repair.
TEST(Gamma, the_floor_knows_how_wide_the_data_are) {
  Events events;
  const Parameters theta = fitted(drawn(1e8, 1e-8, 3000, 2), {.events = &events});
  EXPECT_EQ(events[Event::floor_reached], 0U);
  EXPECT_NEAR(theta["shapes"][0] / 1e8, 1, 0.1);  // its standard error is sqrt(2 / 3000)
}

TEST(Gamma, a_held_half_leaves_the_maximum_of_the_other) {
  const std::vector<double> rows = drawn(2.0, 3.0, 800, 7);
  const Block block = dense_block(rows.data(), rows.size(), 1);
  const GammaMixture model({}, 1);
  double logs = 0;
  double total = 0;
  for (const double y : rows) logs += std::log(y) / 800, total += y / 800;
  for (const char* held : {"shapes", "scales"}) {
    Parameters theta = parameters(model, {1}, {1.5}, {2.0}, block);
    Sums sums(model.plan(Schema::numbered(1)).statistic);
    expect(model, theta, block, sums);
    const Fixed fixed = Fixed::parse(held);
    maximise(model, mean(sums), {.fixed = &fixed}, theta);
    const double a = theta["shapes"][0];
    const double b = theta["scales"][0];
    if (held == std::string("shapes")) {
      EXPECT_EQ(a, 1.5);
      EXPECT_NEAR(b, total / 1.5, 1e-12);
    } else {
      EXPECT_EQ(b, 2.0);
      EXPECT_NEAR(kernels::digamma(a), logs - std::log(2.0), 1e-12);
    }
  }
}

TEST(Gamma, a_statistic_moves_between_gauges) {
  const GammaMixture model({}, 3);
  const Parameters theta = parameters(model, {0.5, 0.3, 0.2}, {0.4, 5, 30}, {1.0, 0.5, 0.2});
  for (const double narrow : {0.5, 0.01})
    for (const double other : {0.5, 0.01}) {
      Parameters here = theta;
      Parameters there = theta;
      here["centre"][0] = 2.5;
      here["spread"][0] = narrow;
      there["centre"][0] = 0.7;
      there["spread"][0] = other;
      Statistic S(model.plan(Schema::numbered(1)).statistic);
      Statistic expected = S;
      model.moments(here, S);
      model.moments(there, expected);
      regauge(model, here, there, S);
      for (std::size_t i = 0; i < S.size(); ++i)
        EXPECT_NEAR(S.data()[i], expected.data()[i], 1e-13) << i;
      for (const double y : {0.1, 1.0, 9.0})
        EXPECT_NEAR(log_density(model, here, y), log_density(model, there, y), 1e-12);
      maximise(model, S, {.floor = 0}, there);
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(there["shapes"][i] / theta["shapes"][i], 1, 1e-11);
    }
}

TEST(Gamma, what_is_no_mean_of_statistics_is_not_valid) {
  const GammaMixture model({}, 2);
  for (const double spread : {0.5, 0.01}) {
    Parameters theta = parameters(model, {0.5, 0.5}, {3, 4}, {1, 1});
    theta["spread"][0] = spread;
    Statistic S(model.plan(Schema::numbered(1)).statistic);
    model.moments(theta, S);
    EXPECT_TRUE(model.valid(theta, S));
    Statistic jensen = S;
    jensen["logs"][1] += 0.5 * kernels::log_less_digamma(4) + 1e-9;
    EXPECT_FALSE(model.valid(theta, jensen));
    Statistic negative = S;
    negative["sums"][0] = -0.6;
    EXPECT_FALSE(model.valid(theta, negative));
  }
}

// A component a millionth as large as the others is fitted as well as they are, and a cell far from all has a density.
TEST(Gamma, components_of_other_sizes) {
  std::vector<double> rows = drawn(3.0, 1.0, 3000, 11);
  for (const double y : drawn(5.0, 1e-9, 1000, 12)) rows.push_back(y);
  const Block block = dense_block(rows.data(), rows.size(), 1);
  const GammaMixture model({}, 2);
  Batch batch(model, Schema::numbered(1));
  batch.begin(parameters(model, {0.5, 0.5}, {1, 1}, {2.0, 1e-8}, block));
  batch.run(block);
  EXPECT_TRUE(batch.converged());
  const std::vector<double> small(rows.begin() + 3000, rows.end());
  EXPECT_NEAR(batch.parameters()["shapes"][1] / fitted(small)["shapes"][0], 1, 1e-6);
  EXPECT_NEAR(batch.parameters()["scales"][1] / fitted(small)["scales"][0], 1, 1e-6);
  for (const double y : {1e-300, 1e-100, 1e100, 1e150})
    EXPECT_TRUE(std::isfinite(log_density(model, batch.parameters(), y))) << y;
}

}  // namespace test_gamma
