// Clusters of rows whose coordinates are numbers, by their means.
#pragma once

#include "kernels/distance.hpp"
#include <thalweg/kernels/tile.hpp>
#include <thalweg/models/seeding.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace thalweg {

/// Rows lie in tiles, so that all distances come from products.
class NumberCentres {
 public:
  NumberCentres(const Block& buffer, const Points& points)
      : buffer_(buffer), m_(points.in.coordinates) {
    const std::size_t tiles = (buffer.rows + kernels::tile_rows - 1) / kernels::tile_rows;
    z_.resize(tiles * m_ * kernels::tile_stride);
    norms_.resize(tiles * kernels::tile_stride);
    for (std::size_t t = 0; t < buffer.rows; ++t)
      for (std::size_t j = 0; j < m_; ++j) z_[place_of(t, j)] = points.x[t * m_ + j];
    for (std::size_t tile = 0; tile < tiles; ++tile)
      kernels::tile_squared_norm(z(tile), m_, kernels::tile_rows,
                                 norms_.data() + tile * kernels::tile_stride);
  }

  std::size_t count() const { return centres_.size() / m_; }

  /// At a row; behind the last one is a new one.
  void place(std::size_t k, std::size_t t) {
    centres_.resize(std::max(centres_.size(), (k + 1) * m_));
    for (std::size_t j = 0; j < m_; ++j) centres_[k * m_ + j] = z_[place_of(t, j)];
  }

  /// The last centre takes the place of this one.
  void remove(std::size_t k) {
    std::copy(centres_.end() - static_cast<std::ptrdiff_t>(m_), centres_.end(),
              centres_.begin() + static_cast<std::ptrdiff_t>(k * m_));
    centres_.resize(centres_.size() - m_);
  }

  const std::vector<double>& all() const { return centres_; }
  void adopt(std::vector<double> centres) { centres_ = std::move(centres); }

  double apart(std::size_t k, std::size_t l) const {
    double sum = 0;
    for (std::size_t j = 0; j < m_; ++j) {
      const double difference = centres_[k * m_ + j] - centres_[l * m_ + j];
      sum += difference * difference;
    }
    return sum;
  }

  /// So many clusters, each that has rows to their mean; rows of no cluster (K or more) do not count.
  void move_to_means(std::size_t K, const std::vector<std::size_t>& cluster) {
    centres_.resize(K * m_);
    std::vector<double> sums(centres_.size());
    std::vector<double> weights(K);
    for (std::size_t t = 0; t < buffer_.rows; ++t) {
      if (cluster[t] >= K) continue;
      weights[cluster[t]] += buffer_.weight(t);
      for (std::size_t j = 0; j < m_; ++j)
        sums[cluster[t] * m_ + j] += buffer_.weight(t) * z_[place_of(t, j)];
    }
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t j = 0; j < m_ && weights[k] > 0; ++j)
        centres_[k * m_ + j] = sums[k * m_ + j] / weights[k];
  }

  /// Squared distances of a tile's rows to all centres: out (centres × stride).
  void distances(std::size_t tile, std::size_t rows, double* out) const {
    distances(centres_, count(), tile, rows, out);
  }

  /// … and to some rows.
  void distances(const std::vector<std::size_t>& others, std::size_t tile, std::size_t rows,
                 double* out) const {
    std::vector<double> at(others.size() * m_);
    for (std::size_t i = 0; i < others.size(); ++i)
      for (std::size_t j = 0; j < m_; ++j) at[i * m_ + j] = z_[place_of(others[i], j)];
    distances(at, others.size(), tile, rows, out);
  }

 private:
  std::size_t place_of(std::size_t t, std::size_t j) const {
    const std::size_t tile = t / kernels::tile_rows;
    return (tile * m_ + j) * kernels::tile_stride + t % kernels::tile_rows;
  }
  const double* z(std::size_t tile) const { return z_.data() + tile * m_ * kernels::tile_stride; }

  static constexpr double rounding = 1e-13;  // of a row's own norm: equal rows are at no distance

  /// |z|² - 2 z'c + |c|².
  void distances(const std::vector<double>& at, std::size_t K, std::size_t tile, std::size_t rows,
                 double* out) const {
    std::vector<double> psi(m_ * K);
    std::vector<double> squares(K);
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t j = 0; j < m_; ++j) {
        psi[j * K + k] = -2 * at[k * m_ + j];
        squares[k] += at[k * m_ + j] * at[k * m_ + j];
      }
    kernels::tile_fill(squares.data(), K, rows, out);
    kernels::tile_scores(psi.data(), m_, K, z(tile), rows, out);
    const double* norm = norms_.data() + tile * kernels::tile_stride;
    for (std::size_t k = 0; k < K; ++k, out += kernels::tile_stride)
      for (std::size_t t = 0; t < rows; ++t) {
        const double square = out[t] + norm[t];
        out[t] = square > rounding * norm[t] ? square : 0.0;
      }
  }

  const Block& buffer_;
  std::size_t m_;
  std::vector<double> z_;        // tiles × m × stride
  std::vector<double> norms_;    // tiles × stride
  std::vector<double> centres_;  // K × m
};

}  // namespace thalweg
