// Factors, inverses, updates and eigenvalues of symmetric matrices, against their definitions.
#include "tiles.hpp"
#include <thalweg/kernels/cholesky.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace test_cholesky {

using namespace thalweg::kernels;
using Packed = std::vector<double>;

/// Entry (i,j) of a symmetric matrix, whichever half is asked for.
long double at(const Packed& a, std::size_t i, std::size_t j) {
  return a[packed_at(std::max(i, j), std::min(i, j))];
}

/// L L' in long double, rounded once.
Packed product(const Packed& factor, std::size_t d) {
  Packed a(triangle(d));
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      long double sum = 0;
      for (std::size_t m = 0; m <= j; ++m)
        sum += static_cast<long double>(factor[packed_at(i, m)]) * factor[packed_at(j, m)];
      a[packed_at(i, j)] = static_cast<double>(sum);
    }
  return a;
}

/// Both within `bound` of each other, relative to the sizes sqrt(a_ii a_jj) that no scaling of the columns changes.
void expect_equal(const Packed& a, const Packed& b, std::size_t d, double bound) {
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const auto size = static_cast<double>(std::sqrt(at(b, i, i)) * std::sqrt(at(b, j, j)));
      ASSERT_NEAR(a[packed_at(i, j)], b[packed_at(i, j)], bound * size) << i << "," << j;
    }
}

Packed scaled(Packed a, std::size_t d) {  // columns in units from 1e-9 to 1e9
  const auto unit = [d](std::size_t i) {
    return std::pow(10.0, -9 + 18.0 * static_cast<double>(i) /
                                   static_cast<double>(std::max<std::size_t>(d - 1, 1)));
  };
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) a[packed_at(i, j)] *= unit(i) * unit(j);
  return a;
}

Packed hilbert(std::size_t d) {  // condition 1e10 for d = 8
  Packed a;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) a.push_back(1.0 / static_cast<double>(i + j + 1));
  return a;
}

TEST(Cholesky, a_factor_times_its_transpose_is_the_matrix) {
  for (std::size_t d = 1; d <= 40; ++d) {
    const Packed a = product(tiles::random_factor(d, static_cast<unsigned>(d)), d);
    for (const Packed& matrix : {a, scaled(a, d)}) {
      Packed factor = matrix;
      ASSERT_TRUE(cholesky(factor.data(), d));
      for (std::size_t i = 0; i < d; ++i) ASSERT_GT(factor[packed_at(i, i)], 0);
      expect_equal(product(factor, d), matrix, d, 1e-14 * static_cast<double>(d));
    }
  }
  for (std::size_t d = 1; d <= 10; ++d) {  // up to condition 1e13: the backward error stays small
    Packed factor = hilbert(d);
    ASSERT_TRUE(cholesky(factor.data(), d)) << d;
    expect_equal(product(factor, d), hilbert(d), d, 1e-14);
  }
}

TEST(Cholesky, half_the_log_determinant_is_that_of_the_diagonal) {
  const Packed factor{2, 7, 3, 7, 7, 0.5};
  EXPECT_NEAR(half_log_determinant(factor.data(), 3), std::log(3.0), 1e-15);
  EXPECT_EQ(half_log_determinant(factor.data(), 0), 0);
}

TEST(Cholesky, an_inverse_factor_undoes_it) {
  for (std::size_t d = 1; d <= 40; ++d) {
    const Packed factor = tiles::random_factor(d, static_cast<unsigned>(d) + 50);
    Packed inverse(triangle(d));
    invert_factor(factor.data(), d, inverse.data());
    Packed in_place = factor;
    invert_factor(in_place.data(), d, in_place.data());
    ASSERT_EQ(in_place, inverse);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        long double sum = 0;
        for (std::size_t m = j; m <= i; ++m)
          sum += static_cast<long double>(factor[packed_at(i, m)]) * inverse[packed_at(m, j)];
        ASSERT_NEAR(static_cast<double>(sum), i == j ? 1 : 0, 1e-13) << d;
      }
  }
}

TEST(Cholesky, a_precision_is_the_inverse_of_the_matrix) {
  for (std::size_t d = 1; d <= 40; ++d) {
    const Packed a = product(tiles::random_factor(d, static_cast<unsigned>(d) + 90), d);
    Packed factor = a;
    ASSERT_TRUE(cholesky(factor.data(), d));
    invert_factor(factor.data(), d, factor.data());
    Packed precision(triangle(d), -1.0);
    precision_of(factor.data(), d, precision.data());
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) {
        long double sum = 0;
        for (std::size_t m = 0; m < d; ++m) sum += at(a, i, m) * at(precision, m, j);
        ASSERT_NEAR(static_cast<double>(sum), i == j ? 1 : 0, 1e-11) << d;
      }
  }
}

TEST(Cholesky, forward_substitution_solves) {
  for (std::size_t d = 1; d <= 40; ++d) {
    const Packed factor = tiles::random_factor(d, static_cast<unsigned>(d) + 130);
    const std::vector<double> b = tiles::random_tile(1, static_cast<unsigned>(d));
    std::vector<double> x(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(d));
    forward_substitute(factor.data(), d, x.data());
    for (std::size_t i = 0; i < d; ++i) {
      long double sum = 0;
      for (std::size_t m = 0; m <= i; ++m)
        sum += static_cast<long double>(factor[packed_at(i, m)]) * x[m];
      ASSERT_NEAR(static_cast<double>(sum), b[i], 1e-13 * (1 + std::abs(b[i]))) << d;
    }
  }
}

TEST(Cholesky, a_rank_one_update_is_the_factor_of_the_sum) {
  for (std::size_t d = 1; d <= 40; ++d)
    for (const double size : {0.0, 1e-8, 1.0, 1e8}) {
      Packed factor = tiles::random_factor(d, static_cast<unsigned>(d) + 170);
      std::vector<double> x = tiles::random_tile(1, static_cast<unsigned>(d) + 7);
      x.resize(d);
      for (double& value : x) value *= size;
      Packed sum = product(factor, d);
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j <= i; ++j) sum[packed_at(i, j)] += x[i] * x[j];
      const Packed before = factor;
      add_rank_one(factor.data(), d, x.data());
      if (size == 0) {
        EXPECT_EQ(factor, before);
      }
      for (std::size_t i = 0; i < d; ++i) ASSERT_GT(factor[packed_at(i, i)], 0);
      expect_equal(product(factor, d), sum, d, 1e-13);
    }
}

TEST(Cholesky, ten_thousand_updates_keep_their_digits) {
  constexpr std::size_t d = 6;
  Packed factor = tiles::random_factor(d, 3);
  Packed sum = product(factor, d);
  for (unsigned step = 0; step < 10'000; ++step) {
    std::vector<double> x(d);
    for (std::size_t i = 0; i < d; ++i) x[i] = std::sin(step * 1.7 + static_cast<double>(i * i));
    for (double& value : sum) value *= 0.99;
    for (double& value : factor) value *= std::sqrt(0.99);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) sum[packed_at(i, j)] += x[i] * x[j];
    add_rank_one(factor.data(), d, x.data());
  }
  expect_equal(product(factor, d), sum, d, 1e-11);
}

TEST(Cholesky, what_is_not_positive_definite_is_refused) {
  const double nan = std::nan("");
  const double infinity = HUGE_VAL;
  const std::vector<std::pair<Packed, std::size_t>> bad = {{{0}, 1},
                                                           {{-1}, 1},
                                                           {{nan}, 1},
                                                           {{infinity}, 1},
                                                           {{1, 2, 1}, 2},
                                                           {{1, 1, 1}, 2},
                                                           {{1, nan, 1}, 2},
                                                           {{1, 0, nan}, 2},
                                                           {{nan, 0, 1}, 2},
                                                           {{1, 0, -1e-300}, 2},
                                                           {{1, infinity, 1}, 2},
                                                           {{1, 0, 1, 1, 1, 1}, 3}};
  for (const auto& [matrix, d] : bad) {
    Packed a = matrix;
    EXPECT_FALSE(cholesky(a.data(), d)) << testing::PrintToString(matrix);
  }
  for (std::size_t d = 2; d <= 40; d += 7) {  // one negative direction, any size
    Packed a = product(tiles::random_factor(d, 1), d);
    a[packed_at(d - 1, d - 1)] = -1e-6;
    EXPECT_FALSE(cholesky(a.data(), d));
  }
}

TEST(Eigenvalues, rebuild_the_matrix) {
  for (std::size_t d = 1; d <= 40; ++d) {
    Packed a = product(tiles::random_factor(d, static_cast<unsigned>(d) + 210), d);
    a[0] -= 3;  // indefinite ones have eigenvalues too
    std::vector<double> values(d);
    std::vector<double> vectors(d * d);
    ASSERT_TRUE(symmetric_eigen(a.data(), d, values.data(), vectors.data()));
    for (std::size_t m = 1; m < d; ++m) ASSERT_LE(values[m - 1], values[m]);
    const double size = std::max(std::abs(values.front()), std::abs(values.back()));
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        long double sum = 0;
        long double dot = 0;
        for (std::size_t m = 0; m < d; ++m) {
          sum += static_cast<long double>(values[m]) * vectors[i * d + m] * vectors[j * d + m];
          dot += static_cast<long double>(vectors[m * d + i]) * vectors[m * d + j];
        }
        ASSERT_NEAR(static_cast<double>(sum), a[packed_at(i, j)], 1e-13 * size) << d;
        ASSERT_NEAR(static_cast<double>(dot), i == j ? 1 : 0, 1e-13) << d;
      }
  }
}

TEST(Eigenvalues, of_a_matrix_without_rank_are_zero_and_its_trace) {
  constexpr std::size_t d = 5;
  const Packed a(triangle(d), 2.0);  // 2 (1 … 1)'(1 … 1)
  std::vector<double> values(d);
  std::vector<double> vectors(d * d);
  ASSERT_TRUE(symmetric_eigen(a.data(), d, values.data(), vectors.data()));
  for (std::size_t m = 0; m + 1 < d; ++m) EXPECT_NEAR(values[m], 0, 1e-14);
  EXPECT_NEAR(values[d - 1], 10, 1e-13);
}

TEST(Eigenvalues, of_what_is_no_number_are_refused_or_no_number) {
  for (const double bad : {std::nan(""), static_cast<double>(HUGE_VAL)}) {
    const Packed a{1, bad, 1};
    std::vector<double> values(2);
    std::vector<double> vectors(4);
    const bool solved = symmetric_eigen(a.data(), 2, values.data(), vectors.data());
    EXPECT_FALSE(solved && std::isfinite(values[0]) && std::isfinite(values[1])) << bad;
  }
}

}  // namespace test_cholesky
