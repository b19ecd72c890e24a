// What the theory says of a run before it is made: the limiting map, EM's rate, Fisher information. The law is the source's mixture of two
// Poissons, (.8; 1, 3), given exactly: every count with its probability.
#include "samples.hpp"
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/estimators/information.hpp>
#include <thalweg/estimators/limiting_map.hpp>
#include <thalweg/estimators/slowest.hpp>
#include <thalweg/models/ppca.hpp>
#include <thalweg/sources/memory.hpp>
#include <thalweg/sources/simulated.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace test_theory {

using namespace thalweg;

struct TwoPoissons {
  std::shared_ptr<const Model> model = poisson_mixture({.components = 2});
  Schema schema = Schema::numbered(1);
  Plan plan = model->plan(schema);

  Parameters at(double first, double second, double weight) const {
    textbook::Theta theta = samples::source_poisson();
    theta.weights = {weight, 1 - weight};
    theta.first = {{first}, {second}};
    return samples::parameters(*model, theta);
  }
  Parameters truth() const { return at(1, 3, 0.8); }

  /// Counts up to 60: what is beyond weighs less than 1e-50.
  Table law() const {
    Table rows(1);
    for (int y = 0; y <= 60; ++y) {
      const double count = y;
      const double p = 0.8 * std::exp(-1 - std::lgamma(count + 1)) +
                       0.2 * std::exp(-3 + count * std::log(3.0) - std::lgamma(count + 1));
      rows.append_row(&count, p);
    }
    return rows;
  }
};

TEST(LimitingMap, divergence_never_rises_and_the_truth_stays) {
  const TwoPoissons two;
  MemorySource law(two.schema, two.law());
  LimitingMap map(two.model, law);
  Parameters theta = two.at(0.7, 4.5, 0.5);
  double before = map.expected_log_density(theta);
  for (int k = 0; k < 2000; ++k) {
    theta = map(theta);
    const double now = map.expected_log_density(theta);
    EXPECT_GE(now, before - 1e-14) << "step " << k;
    before = now;
  }
  EXPECT_NEAR(before, -1.581295, 1e-6);
  EXPECT_NEAR(theta["rates"][0], 1, 1e-9);
  EXPECT_NEAR(theta["rates"][1], 3, 1e-9);
  EXPECT_NEAR(theta["weights"][0], 0.8, 1e-9);
}

TEST(LimitingMap, equal_means_are_the_best_single_poisson) {
  const TwoPoissons two;
  MemorySource law(two.schema, two.law());
  LimitingMap map(two.model, law);
  const Parameters theta = map(two.at(2, 2, 0.5));
  EXPECT_NEAR(theta["rates"][0], 1.4, 1e-12);
  EXPECT_NEAR(map.expected_log_density(theta), -1.618274, 1e-6);
}

TEST(LimitingMap, a_sampler_is_a_law_too) {
  const TwoPoissons two;
  SimulatedSource law(two.model, two.schema, two.truth(), {.rows = 200'000, .seed = 4});
  LimitingMap map(two.model, law);
  const Parameters image = map(two.truth());
  // Its image of the truth is the mean of 200,000 rows: sd of a share below .5 / sqrt(n).
  EXPECT_NEAR(image["weights"][0], 0.8, 5 * 0.5 / std::sqrt(2e5));
  const Parameters again = map(two.truth());
  EXPECT_EQ(std::vector<double>(image.values().begin(), image.values().end()),
            std::vector<double>(again.values().begin(), again.values().end()));
}

TEST(EmRate, finds_the_rate_that_the_theory_gives) {
  const TwoPoissons two;
  const Table law = two.law();
  const Slowest slowest = slowest_direction(*two.model, two.plan, two.truth(), law.block());
  EXPECT_NEAR(slowest.removed(), 0.02639, 1e-5);
  EXPECT_NEAR(slowest.iterations_a_digit(), 86, 0.5);
}

TEST(EmRate, one_component_has_nothing_to_forget_slowly) {
  const auto model = poisson_mixture({.components = 1});
  const TwoPoissons two;
  const Plan plan = model->plan(two.schema);
  Parameters theta(plan.parameters);
  theta["weights"][0] = 1;
  theta["rates"][0] = 1.4;
  EXPECT_LT(slowest_direction(*model, plan, theta, two.law().block()).rate, 1e-6);
}

TEST(EmRate, products_of_the_source) {
  // prod (1 - k^-a), k = 2 … 100, of theory: 4.49e-7 and 2.50e-3.
  EXPECT_NEAR(1 - forgotten(Schedule::power(0.6), 1, 100, 1), 4.49e-7, 1e-9);
  EXPECT_NEAR(1 - forgotten(Schedule::power(0.9), 1, 100, 1), 2.50e-3, 1e-5);
  // 1/n keeps n^-removed of the start.
  EXPECT_NEAR(1 - forgotten(Schedule::reciprocal(), 1, 100'000, 0.02639), std::pow(1e5, -0.02639),
              0.02);
}

TEST(Information, gives_the_errors_of_the_source) {
  const TwoPoissons two;
  const Table law = two.law();
  const Parameters truth = two.truth();
  const Information found = information(*two.model, truth, law.block());
  ASSERT_FALSE(found.singular);
  const std::vector<double> sd = found.standard_errors(truth.size(), 1);
  EXPECT_NEAR(sd[0], 2.0395, 1e-4);
  EXPECT_NEAR(sd[1], sd[0], 1e-9);  // the last weight is one minus the first
  EXPECT_NEAR(sd[2], 2.6931, 1e-4);
  EXPECT_NEAR(sd[3], 11.5453, 1e-3);
}

TEST(Information, of_one_gaussian_is_the_closed_form) {
  const auto model = gaussian_mixture({.components = 1});
  const Schema schema = Schema::numbered(2);
  Parameters theta(model->plan(schema).parameters);
  theta["weights"][0] = 1;
  const std::vector<double> mean = {1e4, -2};
  const std::vector<double> covariance = {4, 1, 1, 2};
  std::ranges::copy(mean, theta["means"].begin());
  std::ranges::copy(covariance, theta["covariances"].begin());
  calibrate(*model, dense_block(nullptr, 0, 2), theta);
  SimulatedSource source(model, schema, theta, {.rows = 100'000, .seed = 9, .block_rows = 100'000});
  Block rows;
  ASSERT_TRUE(source.next(rows));
  const Information found = information(*model, theta, rows);
  ASSERT_FALSE(found.singular);
  const std::vector<double> sd = found.standard_errors(theta.size(), 1);
  const auto at = [&](std::string_view name, std::size_t i) {
    return sd[theta.layout().find(name)->offset + i];
  };
  // sd sqrt(n): of means the sd, of variances sqrt(2) times them, of the covariance sqrt(ab + c²); empirical information from 1e5 rows
  // is off by about 1 %.
  EXPECT_NEAR(at("means", 0), 2, 0.05);
  EXPECT_NEAR(at("means", 1), std::sqrt(2.0), 0.04);
  EXPECT_NEAR(at("covariances", 0), std::sqrt(2.0) * 4, 0.2);
  EXPECT_NEAR(at("covariances", 1), 3, 0.1);
  EXPECT_NEAR(at("covariances", 1), at("covariances", 2), 1e-12);
  EXPECT_NEAR(at("covariances", 3), std::sqrt(2.0) * 2, 0.1);
  EXPECT_EQ(at("weights", 0), 0);
}

TEST(Information, of_one_factor_is_that_of_the_source) {
  // d = 20, |u| = 1, lambda = 5, mean known: n times the variance of |u|² is 72 where lambda is known, 74.63 where it is not.
  constexpr std::size_t d = 20;
  const auto model = ModelHandle(Ppca({.rank = 1})).shared();
  const Schema schema = Schema::numbered(d);
  Parameters theta(model->plan(schema).parameters);
  for (std::size_t i = 0; i < d; ++i) theta["loadings"][i] = 1 / std::sqrt(20.0);
  theta["noise_variance"][0] = 5;
  calibrate(*model, dense_block(nullptr, 0, d), theta);
  SimulatedSource source(model, schema, theta, {.rows = 100'000, .seed = 2, .block_rows = 100'000});
  Block rows;
  ASSERT_TRUE(source.next(rows));
  const std::size_t u = theta.layout().find("loadings")->offset;
  const auto variance_of_norm = [&](const char* held) {
    const Fixed fixed = Fixed::parse(held);
    const Information found = information(*model, theta, rows, &fixed);
    EXPECT_FALSE(found.singular);
    double sum = 0;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        sum += 4 * theta.data()[u + i] * theta.data()[u + j] * found.between(u + i, u + j);
    return sum;
  };
  // The empirical information of n rows is off by some 1 / sqrt(n) a direction: four standard deviations are below 5 %.
  EXPECT_NEAR(variance_of_norm("mean,noise_variance"), 72, 3.6);
  EXPECT_NEAR(variance_of_norm("mean"), 74.63, 3.7);
}

TEST(Information, what_the_rows_do_not_say_is_singular) {
  const TwoPoissons two;
  EXPECT_TRUE(information(*two.model, two.at(2, 2, 0.5), two.law().block()).singular);
}

}  // namespace test_theory
