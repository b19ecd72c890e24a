// Mahalanobis distances and weighted second moments against the textbook in long double.
#include "kernels/quadratic.hpp"
#include "tiles.hpp"

#include <gtest/gtest.h>

namespace test_quadratic {

using namespace thalweg::kernels;
using tiles::random_tile;

template <class Try>
void for_many_shapes(Try&& attempt) {
  for (const std::size_t d : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 16U, 17U, 33U, 50U, 64U})
    for (const std::size_t rows : {1U, 2U, 7U, 15U, 16U, 17U, 33U, 48U, 100U, 127U, 128U})
      attempt(d, rows);
  attempt(500, 101);
}

std::vector<double> distances(const std::vector<double>& z, std::size_t d, std::size_t rows,
                              const std::vector<double>& mean, const std::vector<double>& factor) {
  std::vector<double> work(mahalanobis_work(d));
  std::vector<double> out(tile_stride, 42.0);
  tile_mahalanobis(z.data(), d, rows, mean.data(), factor.data(), work.data(), out.data());
  return out;
}

TEST(TileMahalanobis, is_the_distance) {
  for_many_shapes([](std::size_t d, std::size_t rows) {
    const auto z = random_tile(d, 1);
    const auto mean = random_tile(4, 2);
    const auto factor = tiles::random_factor(d, 3);
    const auto out = distances(z, d, rows, mean, factor);
    const auto plain = tiles::mahalanobis(z, d, rows, mean, factor);
    for (std::size_t t = 0; t < rows; ++t)
      ASSERT_NEAR(out[t], static_cast<double>(plain[t]), 1e-13 * static_cast<double>(plain[t]))
          << "d " << d << " rows " << rows << " at " << t;
    for (std::size_t t = padded(rows); t < tile_stride; ++t) ASSERT_EQ(out[t], 42.0);
  });
}

// Squares overflow, or differences of infinities are no numbers: far away all the same, and the neighbours see nothing.
TEST(TileMahalanobis, has_a_largest_value) {
  for (const double smallest : {1e-5, 1e-200}) {
    constexpr std::size_t d = 6;
    auto factor = tiles::random_factor(d, 4);
    factor[0] = factor[2] = smallest;
    auto z = random_tile(d, 5);
    for (std::size_t t = 0; t < tile_rows; ++t)
      for (std::size_t j = 0; j < d; ++j)
        z[j * tile_stride + t] = t % 3 == 0 ? 1e150 : (t % 3 == 1 ? -1e150 : 0.0);
    const auto out = distances(z, d, tile_rows, std::vector<double>(d), factor);
    for (std::size_t t = 0; t < tile_rows; ++t)
      ASSERT_EQ(out[t], t % 3 == 2 ? 0.0 : 2e300) << smallest << " at " << t;
  }
}

TEST(TileOuter, adds_weighted_products) {
  for_many_shapes([](std::size_t d, std::size_t rows) {
    const auto z = random_tile(d, 6);
    const auto weights = tiles::random_weights(7);
    std::vector<double> work(outer_work(d));
    std::vector<double> packed(d * (d + 1) / 2);
    for (std::size_t p = 0; p < packed.size(); ++p) packed[p] = static_cast<double>(p % 100);
    tile_outer(z.data(), weights.data(), d, rows, work.data(), packed.data());
    const auto plain = tiles::outer(z, weights, d, rows);
    for (std::size_t p = 0; p < packed.size(); ++p) {
      const auto before = static_cast<double>(p % 100);
      ASSERT_NEAR(packed[p], static_cast<double>(plain.value[p]) + before,
                  1e-13 * (static_cast<double>(plain.size[p]) + before))
          << "d " << d << " rows " << rows << " at " << p;
    }
  });
}

TEST(TileOuter, rows_of_weight_zero_may_be_anything_finite) {
  constexpr std::size_t d = 40;
  auto z = random_tile(d, 8);
  const auto weights = tiles::random_weights(9);
  std::vector<double> work(outer_work(d));
  std::vector<double> calm(d * (d + 1) / 2);
  tile_outer(z.data(), weights.data(), d, 100, work.data(), calm.data());
  for (std::size_t t = 0; t < tile_rows; ++t)
    if (t >= 100 || weights[t] == 0)
      for (std::size_t j = 0; j < d; ++j) z[j * tile_stride + t] = 1e300;
  std::vector<double> loud(calm.size());
  tile_outer(z.data(), weights.data(), d, 100, work.data(), loud.data());
  EXPECT_EQ(calm, loud);
}

TEST(TileOuter, no_weight_no_change) {
  constexpr std::size_t d = 35;
  std::vector<double> work(outer_work(d));
  std::vector<double> packed(d * (d + 1) / 2, 3.0);
  const std::vector<double> nothing(tile_stride);
  tile_outer(random_tile(d, 10).data(), nothing.data(), d, 128, work.data(), packed.data());
  for (const double entry : packed) EXPECT_EQ(entry, 3.0);
}

}  // namespace test_quadratic
