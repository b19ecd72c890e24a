// Rows standardised into a tile, squares and products in pairs against plain loops: equal to the last bit.
#include "tiles.hpp"
#include <thalweg/kernels/features.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace test_features {

using namespace thalweg::kernels;
using tiles::random_tile;

constexpr std::size_t columns[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33, 64, 500};
constexpr std::size_t row_counts[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 100, 127, 128};
constexpr double untouched = 42;

TEST(TileStandardise, shifts_scales_and_transposes) {
  for (const std::size_t d : columns)
    for (const std::size_t count : row_counts)
      for (const std::size_t row_stride : {d, d + 3}) {
        const auto data = random_tile(row_stride, 1);
        const auto shift = random_tile(4, 2);
        const auto inverse_scale = random_tile(4, 3);
        std::vector<double> z(d * tile_stride, untouched);
        tile_standardise(data.data(), row_stride, count, d, shift.data(), inverse_scale.data(),
                         z.data());
        for (std::size_t j = 0; j < d; ++j)
          for (std::size_t t = 0; t < tile_stride; ++t) {
            const double expected = t < count
                                        ? (data[t * row_stride + j] - shift[j]) * inverse_scale[j]
                                        : (t < padded(count) ? 0.0 : untouched);
            ASSERT_EQ(z[j * tile_stride + t], expected)
                << "d " << d << " count " << count << " at " << j << "," << t;
          }
      }
}

TEST(TileStandardise, cuts_off_what_would_overflow) {
  const std::vector<double> zero(3);
  const std::vector<double> large(3, 1e10);
  for (const double y : {1e308, 1e141, -1e141, -1e308}) {
    std::vector<double> z(3 * tile_stride);
    const std::vector<double> data(3 * tile_rows, y);
    for (const std::size_t count : {1U, 6U, 128U}) {
      tile_standardise(data.data(), 3, count, 3, zero.data(), large.data(), z.data());
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t t = 0; t < count; ++t)
          ASSERT_EQ(z[j * tile_stride + t], std::copysign(1e150, y));
    }
  }
}

TEST(TileSquares, are_squares) {
  for (const std::size_t d : columns)
    for (const std::size_t rows : row_counts) {
      const auto z = random_tile(d, 4);
      std::vector<double> out(d * tile_stride, untouched);
      tile_squares(z.data(), d, rows, out.data());
      for (std::size_t j = 0; j < d; ++j)
        for (std::size_t t = 0; t < tile_stride; ++t) {
          const std::size_t i = j * tile_stride + t;
          ASSERT_EQ(out[i], t < padded(rows) ? z[i] * z[i] : untouched) << d << " " << rows;
        }
    }
}

TEST(TilePairProducts, are_the_lower_triangle_row_by_row) {
  for (const std::size_t d : columns) {
    if (d > 64) continue;
    for (const std::size_t rows : row_counts) {
      const auto z = random_tile(d, 5);
      std::vector<double> out(d * (d + 1) / 2 * tile_stride, untouched);
      tile_pair_products(z.data(), d, rows, out.data());
      std::size_t p = 0;
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j <= i; ++j, ++p)
          for (std::size_t t = 0; t < tile_stride; ++t)
            ASSERT_EQ(
                out[p * tile_stride + t],
                t < padded(rows) ? z[i * tile_stride + t] * z[j * tile_stride + t] : untouched)
                << d << " " << rows;
    }
  }
}

}  // namespace test_features
