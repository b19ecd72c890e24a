// Clusters of rows whose coordinates are levels, by the shares of the levels in them.
#pragma once

#include <thalweg/models/seeding.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace thalweg {

/// Rows are points that have 1 at their levels and 0 elsewhere; a missing cell is at no distance from anything.
class LevelCentres {
 public:
  LevelCentres(const Block& buffer, std::size_t K, const Points& points)
      : buffer_(buffer),
        points_(points),
        levels_(points.in.levels),
        total_(std::accumulate(levels_.begin(), levels_.end(), std::size_t{0})),
        p_(K * total_),
        squares_(K * levels_.size()) {}

  void place(std::size_t k, std::size_t t) {
    std::fill_n(p_.begin() + static_cast<std::ptrdiff_t>(k * total_), total_, 0.0);
    add(k, t, 1.0);
    settle(k, {});
  }

  /// Every cluster that has rows; those of no cluster (K or more) do not count.
  void move_to_means(const std::vector<std::size_t>& cluster) {
    const std::size_t K = p_.size() / total_;
    const std::vector<double> before = p_;
    std::fill(p_.begin(), p_.end(), 0.0);
    for (std::size_t t = 0; t < buffer_.rows; ++t)
      if (cluster[t] < K) add(cluster[t], t, buffer_.weight(t));
    for (std::size_t k = 0; k < K; ++k) settle(k, {before.data() + k * total_, total_});
  }

  /// Halved: the number of cells that differ, where the cluster is one row.
  double distance(std::size_t k, std::size_t t) const {
    const double* x = point(t);
    const double* p = p_.data() + k * total_;
    double sum = 0;
    for (std::size_t j = 0; j < levels_.size(); p += levels_[j++])
      if (!std::isnan(x[j]))
        sum += 0.5 * (1 + squares_[k * levels_.size() + j]) - p[static_cast<std::size_t>(x[j])];
    return std::max(sum, 0.0);
  }

 private:
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
