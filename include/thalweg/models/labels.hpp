// Rows whose component is known.
#pragma once

#include <thalweg/kernels/tile.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace thalweg {

/// tile_softmax where labels (NaN: unknown) are given: a row whose component is known has that one for certain, and counts with
/// the density of both together.
inline void labelled_softmax(double* scores, std::size_t K, std::size_t rows, const double* labels,
                             double* log_density) {
  using namespace kernels;
  std::array<double, tile_rows> known;
  for (std::size_t t = 0; t < rows; ++t)
    known[t] =
        std::isnan(labels[t]) ? 0 : scores[static_cast<std::size_t>(labels[t]) * tile_stride + t];
  tile_softmax(scores, K, rows, log_density);
  for (std::size_t t = 0; t < rows; ++t) {
    if (std::isnan(labels[t])) continue;
    log_density[t] = known[t];
    for (std::size_t k = 0; k < K; ++k)
      scores[k * tile_stride + t] = k == static_cast<std::size_t>(labels[t]) ? 1.0 : 0.0;
  }
}

}  // namespace thalweg
