// The softmax of a tile: exact for tame scores, safe for wild ones, honest about what is not a number.
#include "tiles.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace test_softmax {

using namespace thalweg::kernels;

struct Result {
  std::vector<double> posterior, log_sum;
};

Result softmax(std::vector<double> scores, std::size_t K, std::size_t rows) {
  std::vector<double> log_sum(tile_stride, 42.0);
  tile_softmax(scores.data(), K, rows, log_sum.data());
  return {std::move(scores), std::move(log_sum)};
}

void expect_right(const std::vector<double>& scores, std::size_t K, std::size_t rows) {
  const Result result = softmax(scores, K, rows);
  for (std::size_t t = 0; t < rows; ++t) {
    const long double expected = tiles::log_sum(scores, K, t);
    ASSERT_NEAR(result.log_sum[t], static_cast<double>(expected),
                1e-14 * std::max(1.0, std::abs(static_cast<double>(expected))))
        << "K " << K << " rows " << rows << " at " << t;
    double total = 0;
    for (std::size_t k = 0; k < K; ++k) {
      const double r = result.posterior[k * tile_stride + t];
      // exp carries the rounding of scores of that size; below exp(-700) only smallness counts
      const long double exact = std::exp(scores[k * tile_stride + t] - expected);
      ASSERT_NEAR(r, static_cast<double>(exact),
                  1e-13 * static_cast<double>(exact) *
                          std::max(1.0, std::abs(scores[k * tile_stride + t])) +
                      1e-300)
          << "K " << K << " rows " << rows << " at " << k << "," << t;
      total += r;
    }
    ASSERT_NEAR(total, 1.0, 1e-14 * static_cast<double>(K + 1));
  }
  // Padding counts for nothing in the second product, whatever finite features stand there.
  const std::vector<double> ones(tile_stride, 1.0);
  std::vector<double> sums(K);
  tile_accumulate(ones.data(), result.posterior.data(), 1, K, rows, sums.data());
  double total = 0;
  for (const double sum : sums) total += sum;
  ASSERT_NEAR(total, static_cast<double>(rows), 1e-12 * static_cast<double>(rows));
}

TEST(TileSoftmax, tame_scores) {
  for (const std::size_t K : {1U, 2U, 3U, 4U, 5U, 8U, 17U, 40U})
    for (std::size_t rows = 1; rows <= tile_rows; rows += rows < 20 ? 1 : 12)
      expect_right(tiles::random_tile(K, 1), K, rows);
}

TEST(TileSoftmax, wild_scores) {
  const std::vector<double> wild{0,   1,    -1,   700,   -700,  709,    -709,   745,  -745,
                                 1e5, -1e5, 1e10, -1e10, 1e300, -1e300, 1e-300, 710.5};
  for (const std::size_t K : {1U, 2U, 3U, 5U, 40U}) {
    std::mt19937_64 random(K);
    std::vector<double> scores(K * tile_stride);
    for (int round = 0; round < 50; ++round) {
      for (double& x : scores) x = wild[random() % wild.size()];
      expect_right(scores, K, 1 + random() % tile_rows);
    }
  }
}

TEST(TileSoftmax, a_far_away_row_still_has_a_density) {
  std::vector<double> scores(3 * tile_stride, 0.0);
  for (std::size_t t = 0; t < tile_rows; ++t) {
    scores[t] = -1e5;
    scores[tile_stride + t] = -1e5 - 1;
    scores[2 * tile_stride + t] = -2e5;
  }
  const Result result = softmax(scores, 3, tile_rows);
  for (std::size_t t = 0; t < tile_rows; ++t) {
    EXPECT_NEAR(result.log_sum[t], -1e5 + std::log1p(std::exp(-1.0)), 1e-10);
    EXPECT_NEAR(result.posterior[t], 1 / (1 + std::exp(-1.0)), 1e-14);
    EXPECT_EQ(result.posterior[2 * tile_stride + t], 0.0);
  }
}

TEST(TileSoftmax, what_is_not_finite_shows_in_its_own_row_only) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {std::nan(""), infinity, -infinity})
    for (const std::size_t K : {1U, 2U, 5U})
      for (std::size_t k = 0; k < K; ++k)
        for (const std::size_t t : {0U, 1U, 7U, 19U}) {
          std::vector<double> scores = tiles::random_tile(K, 9);
          scores[k * tile_stride + t] = bad;
          const Result result = softmax(scores, K, 20);
          for (std::size_t u = 0; u < 20; ++u)
            EXPECT_EQ(std::isfinite(result.log_sum[u]), u != t)
                << bad << " K " << K << " at " << k << "," << t << " seen from " << u;
        }
}

TEST(TileSoftmax, padding_may_hold_anything_finite) {
  std::vector<double> calm = tiles::random_tile(3, 2);
  std::vector<double> loud = calm;
  constexpr std::size_t rows = 21;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t t = rows; t < tile_stride; ++t) loud[k * tile_stride + t] = 1e308;
  const Result a = softmax(calm, 3, rows);
  const Result b = softmax(loud, 3, rows);
  for (std::size_t t = 0; t < rows; ++t) {
    EXPECT_EQ(a.log_sum[t], b.log_sum[t]);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(a.posterior[k * tile_stride + t], b.posterior[k * tile_stride + t]);
  }
}

}  // namespace test_softmax
