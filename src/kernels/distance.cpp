// Plain loops over lanes: compilers make vectors of them, and they are rarely the dear part.
#include "distance.hpp"

#include "quadratic.hpp"
#include <thalweg/kernels/tile.hpp>

#include <algorithm>
#include <array>

namespace thalweg::kernels {

void tile_squared_norm(const double* z, std::size_t d, std::size_t rows, double* out) {
  for (std::size_t begin = 0; begin < padded(rows); begin += tile_lanes) {
    std::array<double, tile_lanes> sums{};  // in registers, not in memory
    const double* at = z + begin;
    for (std::size_t j = 0; j < d; ++j, at += tile_stride)
      for (std::size_t t = 0; t < tile_lanes; ++t) sums[t] += at[t] * at[t];
    std::copy(sums.begin(), sums.end(), out + begin);
  }
}

void tile_scaled_distance(const double* z, std::size_t d, std::size_t rows, const double* mean,
                          const double* inverse_sd, double* out) {
  std::fill(out, out + padded(rows), 0.0);
  for (std::size_t j = 0; j < d; ++j, z += tile_stride)
    for (std::size_t t = 0; t < padded(rows); ++t) {
      const double w = (z[t] - mean[j]) * inverse_sd[j];
      out[t] += w * w;
    }
  for (std::size_t t = 0; t < padded(rows); ++t) out[t] = std::min(out[t], largest_distance);
}

}  // namespace thalweg::kernels
