// Squared distances of a tile's rows where columns are independent.
#pragma once

#include <thalweg/export.hpp>

#include <cstddef>

namespace thalweg::kernels {

/// out (1 × stride) = sum_j z_j².
THALWEG_API void tile_squared_norm(const double* z, std::size_t d, std::size_t rows, double* out);

/// out(t) = sum_j ((z(j,t) - mean_j) · inverse_sd_j)², at most 2e300, padding included.
THALWEG_API void tile_scaled_distance(const double* z, std::size_t d, std::size_t rows,
                                      const double* mean, const double* inverse_sd, double* out);

}  // namespace thalweg::kernels
