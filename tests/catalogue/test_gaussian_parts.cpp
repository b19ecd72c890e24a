// Marginals and conditionals: p(a, b) = p(a) p(b | a), and both ways round agree.
#include <thalweg/catalogue/gaussian_parts.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace thalweg;

using Columns = std::vector<std::size_t>;

constexpr std::size_t d = 4;

double normal(Random& random) {  // Box and Muller 1958
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307 * random.uniform());
}

/// Random parameters; matrices are M M' + I / 2.
Fitted mixture(const std::string& kind, std::uint64_t seed) {
  Fitted fitted = prepare(find_entry("gaussian"), {{"components", "3"}, {"covariance", kind}},
                          {{"a", "b", "c", "d"}});
  Random random(seed);
  const auto fill = [&](auto values, auto draw) {
    for (double& value : values) value = draw();
  };
  std::ranges::copy(std::vector<double>{0.5, 0.3, 0.2}, fitted.parameters["weights"].begin());
  fill(fitted.parameters["means"], [&] { return 3 * normal(random); });
  const auto covariances = fitted.parameters["covariances"];
  fill(covariances, [&] { return 0.5 + random.uniform(); });
  if (kind == "full" || kind == "tied")
    for (std::size_t at = 0; at < covariances.size(); at += d * d) {
      std::vector<double> m(d * d);
      fill(std::span(m), [&] { return normal(random); });
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) {
          double sum = i == j ? 0.5 : 0;
          for (std::size_t l = 0; l < d; ++l) sum += m[i * d + l] * m[j * d + l];
          covariances[at + i * d + j] = sum;
        }
    }
  calibrate(*fitted.model, dense_block(nullptr, 0, d), fitted.parameters);
  return fitted;
}

double log_density(const Fitted& fitted, const std::vector<double>& row) {
  Explanation seen;
  explain(*fitted.model, fitted.parameters, dense_block(row.data(), 1, row.size()), seen);
  return seen.log_density[0];
}

std::vector<double> pick(const std::vector<double>& row, const Columns& columns) {
  std::vector<double> picked;
  for (const std::size_t j : columns) picked.push_back(row[j]);
  return picked;
}

class GaussianParts : public testing::TestWithParam<std::string> {};

TEST_P(GaussianParts, joint_is_marginal_times_conditional) {
  const Fitted joint = mixture(GetParam(), 1);
  Random random(2);
  for (const Columns& given : {Columns{0}, Columns{2, 0}, Columns{3, 1, 2}}) {
    Columns others;
    for (std::size_t j = 0; j < d; ++j)
      if (std::ranges::find(given, j) == given.end()) others.push_back(j);
    for (int i = 0; i < 20; ++i) {
      std::vector<double> row(d);
      for (double& y : row) y = 4 * normal(random);
      const Fitted rest = condition(joint, given, pick(row, given));
      EXPECT_EQ(rest.options.text("covariance"), GetParam());
      EXPECT_NEAR(log_density(joint, row),
                  log_density(marginal(joint, given), pick(row, given)) +
                      log_density(rest, pick(row, others)),
                  1e-10 * std::abs(log_density(joint, row)));
    }
  }
}

TEST_P(GaussianParts, marginal_of_a_conditional_is_the_conditional_of_a_marginal) {
  const Fitted joint = mixture(GetParam(), 3);
  const std::vector<double> at{0.7};
  const Fitted one = marginal(condition(joint, {1}, at), {2, 0});  // of a, c, d: d and a
  const Fitted other = condition(marginal(joint, {3, 1, 0}), {1}, at);
  EXPECT_EQ(one.schema.columns, (std::vector<std::string>{"d", "a"}));
  EXPECT_EQ(other.schema.columns, one.schema.columns);
  for (const char* name : {"weights", "means", "covariances"})
    for (std::size_t i = 0; i < one.parameters[name].size(); ++i)
      EXPECT_NEAR(one.parameters[name][i], other.parameters[name][i], 1e-12) << name;
}

TEST_P(GaussianParts, one_condition_after_the_other) {
  const Fitted joint = mixture(GetParam(), 4);
  const std::vector<double> both{0.2, -0.4};
  const Fitted once = condition(joint, {1, 3}, both);
  const Fitted twice =
      condition(condition(joint, {1}, std::span(both).first(1)), {2}, std::span(both).last(1));
  for (const char* name : {"weights", "means", "covariances"})
    for (std::size_t i = 0; i < once.parameters[name].size(); ++i)
      EXPECT_NEAR(once.parameters[name][i], twice.parameters[name][i], 1e-10) << name;
}

TEST_P(GaussianParts, a_density_integrates_to_one) {
  const Fitted joint = mixture(GetParam(), 5);
  const std::vector<double> at{1.0, -1.0, 0.5};
  const Fitted rest = condition(joint, {0, 1, 2}, at);
  double sum = 0;
  for (double y = -60; y < 60; y += 0.01) sum += 0.01 * std::exp(log_density(rest, {y}));
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST_P(GaussianParts, far_away_the_weights_stay_finite) {
  const Fitted rest = condition(mixture(GetParam(), 6), {0}, std::vector<double>{1e8});
  double sum = 0;
  for (const double w : rest.parameters["weights"]) sum += w;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_TRUE(std::isfinite(log_density(rest, {0, 0, 0})));
}

INSTANTIATE_TEST_SUITE_P(Kinds, GaussianParts, testing::Values("full", "tied", "diag", "spherical"),
                         [](const auto& kind) { return kind.param; });

TEST(GaussianPartsRefuse, what_cannot_be) {
  const Fitted joint = mixture("full", 1);
  const std::vector<double> four(d);
  EXPECT_THROW(marginal(joint, {}), UsageError);
  EXPECT_THROW(marginal(joint, {4}), UsageError);
  EXPECT_THROW(marginal(joint, {1, 1}), UsageError);
  EXPECT_THROW(condition(joint, {0, 1, 2, 3}, four), UsageError);
  EXPECT_THROW(condition(joint, {0}, four), UsageError);
  EXPECT_THROW(columns_named(joint, {"e"}), UsageError);
  EXPECT_EQ(columns_named(joint, {"c", "a"}), (Columns{2, 0}));
  const Fitted counts = prepare(find_entry("poisson"), {{"components", "2"}}, {{"a", "b"}});
  EXPECT_THROW(marginal(counts, {0}), UsageError);
}

}  // namespace
