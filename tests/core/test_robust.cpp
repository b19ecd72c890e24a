// The gauge of a column: outliers do not reach it, constants and ties do not break it, units go through it.

#include "core/robust.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace test_robust {

using thalweg::ColumnGauge;
using thalweg::robust_gauge;

std::vector<double> normals(std::size_t n, double mean = 0, double sd = 1) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(mean, sd);
  std::vector<double> column(n);
  for (double& y : column) y = normal(random);
  return column;
}

TEST(RobustGauge, of_normal_rows_is_their_mean_and_standard_deviation) {
  const ColumnGauge gauge = robust_gauge(normals(100'000, 7, 3));
  EXPECT_NEAR(gauge.shift, 7, 0.05);
  EXPECT_NEAR(gauge.scale, 3, 0.05);
}

TEST(RobustGauge, is_deaf_to_outliers) {
  const std::vector<double> calm = normals(1000);
  const ColumnGauge before = robust_gauge(calm);
  for (const double outlier : {1e3, 1e9, 1e150, -1e150, 1e300}) {
    std::vector<double> loud = calm;
    for (int i = 0; i < 20; ++i) loud.push_back(outlier);
    const ColumnGauge after = robust_gauge(loud);
    EXPECT_NEAR(after.shift, before.shift, 0.1) << outlier;
    EXPECT_NEAR(after.scale / before.scale, 1, 0.1) << outlier;
  }
}

TEST(RobustGauge, units_go_through_it) {
  const std::vector<double> column = normals(501);
  const ColumnGauge plain = robust_gauge(column);
  for (const double unit : {1e-9, 0.5, 1e9}) {
    std::vector<double> other = column;
    for (double& y : other) y = 3 * unit + unit * y;
    const ColumnGauge gauge = robust_gauge(other);
    EXPECT_NEAR(gauge.shift / unit, 3 + plain.shift, 1e-12);
    EXPECT_NEAR(gauge.scale / unit, plain.scale, 1e-12);
  }
}

TEST(RobustGauge, order_does_not_matter) {
  std::vector<double> column = normals(300);
  const ColumnGauge gauge = robust_gauge(column);
  std::shuffle(column.begin(), column.end(), std::mt19937_64(2));
  EXPECT_EQ(robust_gauge(column).shift, gauge.shift);
  EXPECT_EQ(robust_gauge(column).scale, gauge.scale);
}

TEST(RobustGauge, of_a_constant_is_as_wide_as_its_value) {
  for (const double constant : {5.0, -1e6, 1e-9, 1e150}) {
    for (const std::size_t rows : {1U, 2U, 1000U}) {
      const ColumnGauge gauge = robust_gauge(std::vector<double>(rows, constant));
      EXPECT_EQ(gauge.shift, constant);
      EXPECT_EQ(gauge.scale, std::abs(constant));
    }
  }
  const ColumnGauge zero = robust_gauge(std::vector<double>(10, 0.0));
  EXPECT_EQ(zero.shift, 0);
  EXPECT_EQ(zero.scale, 1);
}

// Most rows tied: the range grows until it holds something.
TEST(RobustGauge, of_ties_is_the_narrowest_range_that_is_not_empty) {
  for (const int others : {30, 8, 1}) {  // percent, on each side
    std::vector<double> column(100, 0.0);
    for (int i = 0; i < others; ++i) {
      column[static_cast<std::size_t>(i)] = -1;
      column[static_cast<std::size_t>(99 - i)] = 1;
    }
    const ColumnGauge gauge = robust_gauge(column);
    EXPECT_EQ(gauge.shift, 0);
    const double width = others == 30 ? 1.3489795 : others == 8 ? 4.1074978 : 5.1516586;
    EXPECT_NEAR(gauge.scale, 2 / width, 1e-12) << others;
  }
}

TEST(RobustGauge, is_always_positive_and_finite) {
  const std::vector<std::vector<double>> columns = {
      {1}, {1, 2}, {-1e150, 1e150}, {0, 0, 1e-300}, {1e308, -1e308}, {5e-324, 0}};
  for (const std::vector<double>& column : columns) {
    const ColumnGauge gauge = robust_gauge(column);
    EXPECT_TRUE(std::isfinite(gauge.shift) && std::isfinite(gauge.scale));
    EXPECT_GT(gauge.scale, 0) << testing::PrintToString(column);
  }
}

}  // namespace test_robust
