// Quadratic forms of a tile for columns too many for features in pairs: Mahalanobis distances and weighted second moments.
#pragma once

#include <thalweg/export.hpp>
#include <thalweg/kernels/tile.hpp>

#include <cstddef>

namespace thalweg::kernels {

/// No squared distance is larger, so that half of it, a score, is finite.
inline constexpr double largest_distance = 2e300;

/// Doubles of workspace for tile_mahalanobis.
constexpr std::size_t mahalanobis_work(std::size_t d) { return d * 2 * tile_lanes; }

/// out(t) = min(|L⁻¹ (z(·,t) - mean)|², largest_distance), padding included; L lower triangular, row by row: L_ij at
/// factor[i(i+1)/2 + j].
THALWEG_API void tile_mahalanobis(const double* z, std::size_t d, std::size_t rows,
                                  const double* mean, const double* factor, double* work,
                                  double* out);

/// Doubles of workspace for tile_outer.
constexpr std::size_t outer_work(std::size_t d) { return padded(d) * tile_rows; }

/// packed[i(i+1)/2 + j] += sum_t weights(t) z(i,t) z(j,t), j <= i; weights >= 0. Rows of weight 0 cost next to nothing.
/// The first moments sum_t weights(t) z(j,t) are tile_accumulate with one component.
THALWEG_API void tile_outer(const double* z, const double* weights, std::size_t d, std::size_t rows,
                            double* work, double* packed);

}  // namespace thalweg::kernels
