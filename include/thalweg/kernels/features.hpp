// From rows of data to the features of a tile: standardised columns, their squares and their products in pairs.
#pragma once

#include <thalweg/export.hpp>
#include <thalweg/kernels/tile.hpp>

#include <cstddef>

namespace thalweg::kernels {

/// No standardised value is larger: its square is finite, and so is a sum of very many of them.
inline constexpr double largest_standardised = 1e150;

/// z (d × stride): z(j,t) = (y_tj - shift_j) · inverse_scale_j, cut off at ± largest_standardised; y_tj is
/// rows[t · row_stride + j], t < count <= tile_rows. Padding becomes 0.
THALWEG_API void tile_standardise(const double* rows, std::size_t row_stride, std::size_t count,
                                  std::size_t d, const double* shift, const double* inverse_scale,
                                  double* z);

/// out (d × stride): z(j,t)².
THALWEG_API void tile_squares(const double* z, std::size_t d, std::size_t rows, double* out);

/// out (d(d+1)/2 × stride): z(i,t) z(j,t), j <= i, the lower triangle row by row: (0,0), (1,0), (1,1), (2,0), …
THALWEG_API void tile_pair_products(const double* z, std::size_t d, std::size_t rows, double* out);

}  // namespace thalweg::kernels
