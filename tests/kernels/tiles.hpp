// A tile filled at random and the plain loops that the kernels must agree with.
#pragma once

#include <thalweg/kernels/tile.hpp>

#include <cmath>
#include <random>
#include <vector>

namespace tiles {

using thalweg::kernels::tile_stride;

/// `count` rows of numbers, tile_stride apart.
inline std::vector<double> random_tile(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 2);
  std::vector<double> tile(count * tile_stride);
  for (double& x : tile) x = normal(random);
  return tile;
}

struct Plain {
  std::vector<long double> value;  // rows × columns, rows of the result
  std::vector<long double> size;   // the same sums of absolute values: what rounding is relative to
};

/// K × rows: sum_j psi(j,k) features(j,t).
inline Plain scores(const std::vector<double>& psi, std::size_t D, std::size_t K,
                    const std::vector<double>& features, std::size_t rows) {
  Plain out{std::vector<long double>(K * rows), std::vector<long double>(K * rows)};
  for (std::size_t k = 0; k < K; ++k)
    for (std::size_t t = 0; t < rows; ++t)
      for (std::size_t j = 0; j < D; ++j) {
        const long double term =
            static_cast<long double>(psi[j * K + k]) * features[j * tile_stride + t];
        out.value[k * rows + t] += term;
        out.size[k * rows + t] += std::abs(term);
      }
  return out;
}

/// D × K: sum_t features(j,t) weights(k,t).
inline Plain sums(const std::vector<double>& features, const std::vector<double>& weights,
                  std::size_t D, std::size_t K, std::size_t rows) {
  Plain out{std::vector<long double>(D * K), std::vector<long double>(D * K)};
  for (std::size_t j = 0; j < D; ++j)
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t t = 0; t < rows; ++t) {
        const long double term =
            static_cast<long double>(features[j * tile_stride + t]) * weights[k * tile_stride + t];
        out.value[j * K + k] += term;
        out.size[j * K + k] += std::abs(term);
      }
  return out;
}

/// log sum_k exp scores(k,t).
inline long double log_sum(const std::vector<double>& scores, std::size_t K, std::size_t t) {
  long double top = scores[t];
  for (std::size_t k = 1; k < K; ++k) top = std::max<long double>(top, scores[k * tile_stride + t]);
  long double sum = 0;
  for (std::size_t k = 0; k < K; ++k) sum += std::exp(scores[k * tile_stride + t] - top);
  return top + std::log(sum);
}

}  // namespace tiles
