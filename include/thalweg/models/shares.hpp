// The structure of a mixture: rows are independent, and component k has the share w_k of them.
#pragma once

#include <thalweg/kernels/tile.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace thalweg {

namespace mixture_limits {
inline constexpr double smallest_weight = 1e-300;  // its logarithm is finite
inline constexpr double empty_weight = 1e-12;      // below this the moments are rounding noise
}  // namespace mixture_limits

/// Stands between the two products of a tile: log w_k before forms add their log densities, a softmax behind them.
class Shares {
 public:
  Shares(const double* weights, std::size_t K) {
    for (std::size_t k = 0; k < K; ++k)
      log_weights_.push_back(std::log(std::max(weights[k], mixture_limits::smallest_weight)));
  }

  /// What is known of a row's component before the row is seen.
  void fill(std::size_t rows, double* scores) const {
    kernels::tile_fill(log_weights_.data(), log_weights_.size(), rows, scores);
  }

  /// Scores become posteriors. A row whose component is known by its label (NaN: it is not; null: no row has one) has that one for
  /// certain, and counts with the density of both together.
  void normalise(double* scores, std::size_t rows, const double* labels,
                 double* log_density) const {
    using namespace kernels;
    const std::size_t K = log_weights_.size();
    if (!labels) return tile_softmax(scores, K, rows, log_density);
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

 private:
  std::vector<double> log_weights_;
};

}  // namespace thalweg
