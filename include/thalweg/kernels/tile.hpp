// Two matrix products around a softmax, on a tile of rows: the E-step of every mixture of exponential families.
//
// A tile holds up to `tile_rows` rows with the row index running fastest, so that a SIMD lane is a row: products and softmax
// need no shuffles. Rows from `rows` up to the next multiple of `tile_lanes` are padding; their features must be finite.
#pragma once

#include <thalweg/export.hpp>

#include <cstddef>

namespace thalweg::kernels {

inline constexpr std::size_t tile_rows = 128;
inline constexpr std::size_t tile_lanes = 16;        // two of the widest vectors of doubles
inline constexpr std::size_t tile_stride = 128 + 8;  // not a power of two: spares the cache's sets

/// Rows of a tile with their padding.
constexpr std::size_t padded(std::size_t rows) {
  return (rows + tile_lanes - 1) / tile_lanes * tile_lanes;
}

/// scores (K × stride) = values[k] in all of row k, padding included.
THALWEG_API void tile_fill(const double* values, std::size_t K, std::size_t rows, double* scores);

/// scores (K × stride) += Psi' (K × D) · features (D × stride), padding included; psi is D × K, entry (j,k) at psi[j K + k].
THALWEG_API void tile_scores(const double* psi, std::size_t D, std::size_t K,
                             const double* features, std::size_t rows, double* scores);

/// scores become exp(scores - log_sum) column by column, log_sum[t] = log sum_k exp scores(k,t); padding becomes 0.
/// A row with a score that is not finite gets a log_sum that is not finite.
THALWEG_API void tile_softmax(double* scores, std::size_t K, std::size_t rows, double* log_sum);

/// sums (D × K) += features (D × stride) · weights' (stride × K).
THALWEG_API void tile_accumulate(const double* features, const double* weights, std::size_t D,
                                 std::size_t K, std::size_t rows, double* sums);

}  // namespace thalweg::kernels
