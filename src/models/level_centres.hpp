// Clusters of rows whose coordinates are levels, by the shares of the levels in them.
#pragma once

#include <thalweg/kernels/tile.hpp>
#include <thalweg/models/seeding.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace thalweg {

/// Rows are points that have 1 at their levels and 0 elsewhere; a missing cell is at no distance from anything.
class LevelCentres {
 public:
  LevelCentres(const Block& buffer, const Points& points)
      : buffer_(buffer),
        points_(points),
        levels_(points.in.levels),
        total_(std::accumulate(levels_.begin(), levels_.end(), std::size_t{0})) {}

  std::size_t count() const { return p_.size() / total_; }

  /// At a row; behind the last one is a new one.
  void place(std::size_t k, std::size_t t) {
    grow(std::max(count(), k + 1));
    std::fill_n(p_.begin() + static_cast<std::ptrdiff_t>(k * total_), total_, 0.0);
    add(k, t, 1.0);
    settle(k, {});
  }

  /// The last centre takes the place of this one.
  void remove(std::size_t k) {
    std::copy_n(p_.end() - static_cast<std::ptrdiff_t>(total_), total_,
                p_.begin() + static_cast<std::ptrdiff_t>(k * total_));
    std::copy_n(squares_.end() - static_cast<std::ptrdiff_t>(levels_.size()), levels_.size(),
                squares_.begin() + static_cast<std::ptrdiff_t>(k * levels_.size()));
    grow(count() - 1);
  }

  using All = std::pair<std::vector<double>, std::vector<double>>;
  All all() const { return {p_, squares_}; }
  void adopt(All centres) { std::tie(p_, squares_) = std::move(centres); }

  double apart(std::size_t k, std::size_t l) const {
    double sum = 0;
    for (std::size_t i = 0; i < total_; ++i)
      sum += 0.5 * (p_[k * total_ + i] - p_[l * total_ + i]) *
             (p_[k * total_ + i] - p_[l * total_ + i]);
    return sum;
  }

  /// So many clusters, each that has rows to their shares; rows of no cluster (K or more) do not count.
  void move_to_means(std::size_t K, const std::vector<std::size_t>& cluster) {
    grow(K);
    const std::vector<double> before = p_;
    std::fill(p_.begin(), p_.end(), 0.0);
    for (std::size_t t = 0; t < buffer_.rows; ++t)
      if (cluster[t] < K) add(cluster[t], t, buffer_.weight(t));
    for (std::size_t k = 0; k < K; ++k) settle(k, {before.data() + k * total_, total_});
  }

  /// Of a tile's rows to all centres, K × stride; halved: the number of cells that differ, where the cluster is one row.
  void distances(std::size_t tile, std::size_t rows, double* out) const {
    for (std::size_t k = 0; k < count(); ++k, out += kernels::tile_stride)
      for (std::size_t i = 0; i < rows; ++i) out[i] = distance(k, tile * kernels::tile_rows + i);
  }

  /// … to some rows.
  void distances(const std::vector<std::size_t>& others, std::size_t tile, std::size_t rows,
                 double* out) const {
    for (const std::size_t other : others) {
      const double* y = point(other);
      for (std::size_t i = 0; i < rows; ++i) {
        const double* x = point(tile * kernels::tile_rows + i);
        out[i] = 0;
        for (std::size_t j = 0; j < levels_.size(); ++j)
          out[i] += !std::isnan(x[j]) && !std::isnan(y[j]) && x[j] != y[j] ? 1 : 0;
      }
      out += kernels::tile_stride;
    }
  }

 private:
  void grow(std::size_t K) {
    p_.resize(K * total_);
    squares_.resize(K * levels_.size());
  }

  double distance(std::size_t k, std::size_t t) const {
    const double* x = point(t);
    const double* p = p_.data() + k * total_;
    double sum = 0;
    for (std::size_t j = 0; j < levels_.size(); p += levels_[j++])
      if (!std::isnan(x[j]))
        sum += 0.5 * (1 + squares_[k * levels_.size() + j]) - p[static_cast<std::size_t>(x[j])];
    return std::max(sum, 0.0);
  }

  const double* point(std::size_t t) const { return points_.x.data() + t * levels_.size(); }

  void add(std::size_t k, std::size_t t, double weight) {
    const double* x = point(t);
    double* p = p_.data() + k * total_;
    for (std::size_t j = 0; j < levels_.size(); p += levels_[j++])
      if (!std::isnan(x[j])) p[static_cast<std::size_t>(x[j])] += weight;
  }

  /// Counts become shares; where there are none, those of before or of all levels alike.
  void settle(std::size_t k, std::span<const double> before) {
    double* p = p_.data() + k * total_;
    for (std::size_t j = 0; j < levels_.size(); p += levels_[j++]) {
      const double sum = std::accumulate(p, p + levels_[j], 0.0);
      double squares = 0;
      for (std::size_t l = 0; l < levels_[j]; ++l) {
        if (sum > 0) {
          p[l] /= sum;
        } else if (before.empty()) {
          p[l] = 1.0 / static_cast<double>(levels_[j]);
        } else {
          p[l] = before[static_cast<std::size_t>(p - p_.data()) - k * total_ + l];
        }
        squares += p[l] * p[l];
      }
      squares_[k * levels_.size() + j] = squares;
    }
  }

  const Block& buffer_;
  const Points& points_;
  const std::vector<std::size_t>& levels_;
  std::size_t total_;
  std::vector<double> p_;        // K × levels
  std::vector<double> squares_;  // K × columns: their sums of squares
};

}  // namespace thalweg
