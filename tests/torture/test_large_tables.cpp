// Large tables without information: a million identical rows, and hardly more rows than columns.
#include "ways.hpp"

#include <gtest/gtest.h>

namespace test_large_tables {

using namespace torture;

class SlowTorture : public ::testing::TestWithParam<Shape> {};

// The likelihood of a point mass grows with the inverse of the floor; what counts is that it ends, and that it is true.
TEST_P(SlowTorture, a_million_identical_rows) {
  const Shape shape = GetParam();
  constexpr std::size_t n = 1000000;
  const std::vector<double> row{3.5, -2, 1e6};
  std::vector<double> values;
  for (std::size_t t = 0; t < n; ++t) values.insert(values.end(), row.begin(), row.end());
  Table rows(3);
  rows.append(dense_block(values.data(), n, 3));
  const auto model = samples::gaussian_model(shape, 3);
  for (const Method method : {Method::automatic, Method::online, Method::batch}) {
    samples::ListSource source(rows, 4096);
    const FitResult result = Fit(model, {.method = method}).run(source);
    EXPECT_EQ(invalid(result.parameters, shape), "") << name(method);
    const auto mixture = samples::gaussians(result.parameters, shape);
    const auto exact = textbook::log_likelihood(mixture, {.rows = {row}, .weights = {double{n}}});
    if (result.log_likelihood) {
      EXPECT_EQ(wrong_likelihood(*result.log_likelihood, {exact, exact}, n), "") << name(method);
    }
    const auto heaviest = static_cast<std::size_t>(
        std::max_element(mixture.weights.begin(), mixture.weights.end()) - mixture.weights.begin());
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_LT(std::abs(mixture.means[heaviest][j] - row[j]), 1e-6 * (1 + std::abs(row[j])));
  }
}

// 600 rows of 500 columns in two groups of 300: every full covariance is singular.
TEST_P(SlowTorture, more_columns_than_rows_of_a_component) {
  const Shape shape = GetParam();
  constexpr std::size_t n = 600;
  constexpr std::size_t d = 500;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Table rows(d);
  std::vector<double> y(d);
  for (std::size_t t = 0; t < n; ++t) {
    for (double& x : y) x = normal(random) + (t % 2 == 0 ? 0 : 1);
    rows.append_row(y.data());
  }
  const auto model = samples::gaussian_model(shape, 2);
  for (const Method method : {Method::automatic, Method::online, Method::batch}) {
    samples::ListSource source(rows, 100);
    FitOptions options{.method = method};
    options.batch.max_iterations = 20;
    options.online.starts = 2;
    const FitResult result = Fit(model, options).run(source);
    EXPECT_EQ(unsound(*model, shape, result.parameters, result.log_likelihood, rows.block()), "")
        << name(method);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SlowTorture, ::testing::ValuesIn(samples::shapes),
                         [](const auto& shape) { return textbook::name(shape.param); });

}  // namespace test_large_tables
