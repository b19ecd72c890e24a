// The two matrix products of a tile against plain loops, for many shapes.
#include "tiles.hpp"

#include <gtest/gtest.h>

namespace test_products {

using namespace thalweg::kernels;
using tiles::random_tile;

constexpr double close = 1e-13;  // relative to the sum of absolute values

template <class Try>
void for_many_shapes(Try&& attempt) {
  for (std::size_t D = 1; D <= 20; ++D)
    for (const std::size_t K : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 13U, 15U, 16U, 40U})
      for (const std::size_t rows : {1U, 2U, 3U, 8U, 15U, 16U, 17U, 33U, 64U, 100U, 127U, 128U})
        attempt(D, K, rows);
  for (const std::size_t K : {1U, 3U, 16U, 31U}) attempt(153, K, 128);
}

TEST(TileScores, gain_the_product) {
  for_many_shapes([](std::size_t D, std::size_t K, std::size_t rows) {
    const auto features = random_tile(D, 1);
    const auto psi = random_tile(2 * K, 2);  // D × K fits: D <= 2 tile_stride
    std::vector<double> scores(K * tile_stride, 2.5);
    tile_scores(psi.data(), D, K, features.data(), rows, scores.data());
    const auto plain = tiles::scores(psi, D, K, features, rows);
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t t = 0; t < rows; ++t)
        ASSERT_NEAR(scores[k * tile_stride + t],
                    2.5 + static_cast<double>(plain.value[k * rows + t]),
                    close * (2.5 + static_cast<double>(plain.size[k * rows + t])))
            << "D " << D << " K " << K << " rows " << rows << " at " << k << "," << t;
  });
}

TEST(TileFill, writes_a_value_for_each_component_and_no_further_than_the_padding) {
  for_many_shapes([](std::size_t D, std::size_t K, std::size_t rows) {
    if (D > 1) return;
    const auto values = random_tile(1, 7);
    std::vector<double> scores(K * tile_stride, 42.0);
    tile_fill(values.data(), K, rows, scores.data());
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t t = 0; t < tile_stride; ++t)
        ASSERT_EQ(scores[k * tile_stride + t], t < padded(rows) ? values[k] : 42.0)
            << "K " << K << " rows " << rows << " at " << k << "," << t;
  });
}

TEST(TileAccumulate, adds_the_product) {
  for_many_shapes([](std::size_t D, std::size_t K, std::size_t rows) {
    const auto features = random_tile(D, 3);
    auto weights = random_tile(K, 4);
    for (std::size_t k = 0; k < K; ++k)  // as tile_softmax leaves it
      for (std::size_t t = rows; t < padded(rows); ++t) weights[k * tile_stride + t] = 0;
    std::vector<double> sums(D * K);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<double>(i);
    tile_accumulate(features.data(), weights.data(), D, K, rows, sums.data());
    const auto plain = tiles::sums(features, weights, D, K, rows);
    for (std::size_t i = 0; i < sums.size(); ++i)
      ASSERT_NEAR(sums[i], static_cast<double>(plain.value[i]) + static_cast<double>(i),
                  close * (static_cast<double>(plain.size[i]) + static_cast<double>(i)))
          << "D " << D << " K " << K << " rows " << rows << " at " << i;
  });
}

// What lies beyond the padding belongs to others.
TEST(TileScores, write_no_further_than_the_padding) {
  for (const std::size_t rows : {1U, 15U, 16U, 17U, 100U}) {
    const auto features = random_tile(3, 5);
    const auto psi = random_tile(1, 6);
    std::vector<double> scores(5 * tile_stride, 42.0);
    tile_scores(psi.data(), 3, 5, features.data(), rows, scores.data());
    for (std::size_t k = 0; k < 5; ++k)
      for (std::size_t t = padded(rows); t < tile_stride; ++t)
        EXPECT_EQ(scores[k * tile_stride + t], 42.0) << rows;
  }
}

TEST(TileAccumulate, reads_no_further_than_the_padding) {
  auto features = random_tile(2, 7);
  auto weights = random_tile(3, 8);
  constexpr std::size_t rows = 20;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t t = rows; t < tile_stride; ++t)
      weights[k * tile_stride + t] = t < padded(rows) ? 0 : std::nan("");
  for (std::size_t j = 0; j < 2; ++j)
    for (std::size_t t = padded(rows); t < tile_stride; ++t)
      features[j * tile_stride + t] = std::nan("");
  std::vector<double> sums(6);
  tile_accumulate(features.data(), weights.data(), 2, 3, rows, sums.data());
  const auto plain = tiles::sums(features, weights, 2, 3, rows);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(sums[i], static_cast<double>(plain.value[i]), 1e-12);
}

TEST(Tile, padding_rounds_up) {
  EXPECT_EQ(padded(0), 0U);
  EXPECT_EQ(padded(1), tile_lanes);
  EXPECT_EQ(padded(tile_lanes), tile_lanes);
  EXPECT_EQ(padded(tile_rows), tile_rows);
}

}  // namespace test_products
