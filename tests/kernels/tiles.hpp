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

/// d(d+1)/2: sum_t weights(t) z(i,t) z(j,t), j <= i.
inline Plain outer(const std::vector<double>& z, const std::vector<double>& weights, std::size_t d,
                   std::size_t rows) {
  Plain out;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      long double value = 0;
      long double size = 0;
      for (std::size_t t = 0; t < rows; ++t) {
        const long double term =
            static_cast<long double>(weights[t]) * z[i * tile_stride + t] * z[j * tile_stride + t];
        value += term;
        size += std::abs(term);
      }
      out.value.push_back(value);
      out.size.push_back(size);
    }
  return out;
}

/// Weights between 0 and 4, every third of them 0.
inline std::vector<double> random_weights(unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 4);
  std::vector<double> weights(tile_stride);
  for (double& w : weights) w = random() % 3 == 0 ? 0.0 : uniform(random);
  return weights;
}

/// A lower triangular matrix row by row, well conditioned whatever its size.
inline std::vector<double> random_factor(std::size_t d, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 0.5 / std::sqrt(static_cast<double>(d)));
  std::vector<double> factor;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) factor.push_back(normal(random));
    factor.push_back(1 + std::abs(normal(random)));
  }
  return factor;
}

/// rows: |L⁻¹ (z(·,t) - mean)|².
inline std::vector<long double> mahalanobis(const std::vector<double>& z, std::size_t d,
                                            std::size_t rows, const std::vector<double>& mean,
                                            const std::vector<double>& factor) {
  std::vector<long double> out(rows);
  std::vector<long double> u(d);
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t i = 0; i < d; ++i) {
      u[i] = static_cast<long double>(z[i * tile_stride + t]) - mean[i];
      for (std::size_t j = 0; j < i; ++j) u[i] -= factor[i * (i + 1) / 2 + j] * u[j];
      u[i] /= factor[i * (i + 1) / 2 + i];
      out[t] += u[i] * u[i];
    }
  return out;
}

}  // namespace tiles
