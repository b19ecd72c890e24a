// k-means: seeds (Arthur & Vassilvitskii 2007), Lloyd's iterations, and breathing (Fritzke 2020), which moves centres from where two
// share one cluster to where one covers two.
#pragma once

#include <thalweg/core/random.hpp>
#include <thalweg/kernels/tile.hpp>
#include <thalweg/models/seeding.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace thalweg {

/// A row drawn with probability in proportion to mass; any row when there is no mass.
inline std::size_t draw_row(const std::vector<double>& mass, Random& random) {
  const double total = std::accumulate(mass.begin(), mass.end(), 0.0);
  if (!(total > 0) || !std::isfinite(total)) return random.index(mass.size());
  double u = random.uniform() * total;
  for (std::size_t t = 0; t < mass.size(); ++t) {
    u -= mass[t];
    if (u < 0) return t;
  }
  return mass.size() - 1;
}

/// Seeds are any rows, rows drawn by their weight, or rows far from the seeds that are there: the best of a few candidates.
struct Manner {
  enum class Drawn { any_row, by_weight, far_away } drawn = Drawn::far_away;
  std::size_t candidates = 1;
  bool breathes = false;
};

template <class Centres>
class Clusters {
 public:
  Clusters(const Block& buffer, const Points& points)
      : buffer_(buffer),
        centres_(buffer, points),
        cluster_(buffer.rows),
        nearest_(buffer.rows),
        second_(buffer.rows) {}

  /// K seeds that are chosen in this manner; clusters with labelled rows begin at those.
  void choose(std::size_t K, Manner manner, Random& random) {
    std::fill(nearest_.begin(), nearest_.end(), std::numeric_limits<double>::max());
    const std::vector<bool> placed = place_labelled(K);
    for (std::size_t k = 0; k < K; ++k)
      if (!placed[k]) centres_.place(k, seed(manner, random));
  }

  void begin_with(const Clusters& others) { centres_.adopt(others.centres_.all()); }

  /// Lloyd's iterations until hardly a row changes its cluster.
  void settle(int iterations) {
    for (int step = 0;; ++step) {
      const std::size_t moved = assign();
      if (step == iterations || (step > 0 && moved <= buffer_.rows / 200)) return;
      centres_.move_to_means(centres_.count(), cluster_);
    }
  }

  /// A few centres more, beside those with the largest errors, then as many less, those that are missed least: while that lowers the
  /// error, with fewer and fewer.
  void breathe(Random& random) {
    const std::size_t K = centres_.count();
    constexpr int a_breath = 5;  // iterations
    double best = error();
    for (std::size_t m = std::min<std::size_t>(5, K / 2); m > 0;) {
      const auto before = centres_.all();
      breathe_in(m, random);
      settle(a_breath);
      breathe_out(m);
      settle(a_breath);
      const double now = error();
      if (now < best * (1 - 1e-4)) {
        best = now;
      } else {
        centres_.adopt(before);
        assign();
        --m;
      }
    }
  }

  std::vector<std::size_t> found() && { return std::move(cluster_); }

 private:
  bool labelled(std::size_t t) const {
    return buffer_.side.label && !std::isnan(buffer_.side.label[t]);
  }
  std::size_t label_of(std::size_t t) const {
    return static_cast<std::size_t>(buffer_.side.label[t]);
  }

  template <class Visit>  // of a tile, its first row and its rows
  void for_tiles(const Visit& visit) const {
    for (std::size_t first = 0; first < buffer_.rows; first += kernels::tile_rows)
      visit(first / kernels::tile_rows, first, std::min(kernels::tile_rows, buffer_.rows - first));
  }

  /// Clusters begin at the rows that are labelled theirs. Which did.
  std::vector<bool> place_labelled(std::size_t K) {
    std::vector<bool> placed(K);
    if (!buffer_.side.label) return placed;
    for (std::size_t t = 0; t < buffer_.rows; ++t) {
      cluster_[t] = labelled(t) ? label_of(t) : K;
      if (labelled(t) && buffer_.weight(t) > 0) placed[label_of(t)] = true;
    }
    centres_.move_to_means(K, cluster_);
    far_.resize(K * kernels::tile_stride);
    for_tiles([&](std::size_t tile, std::size_t first, std::size_t rows) {
      centres_.distances(tile, rows, far_.data());
      for (std::size_t k = 0; k < K; ++k)
        if (placed[k]) come_near(first, {far_.data() + k * kernels::tile_stride, rows});
    });
    return placed;
  }

  void come_near(std::size_t first, std::span<const double> distances) {
    for (std::size_t i = 0; i < distances.size(); ++i)
      nearest_[first + i] = std::min(nearest_[first + i], distances[i]);
    first_ = false;
  }

  /// Greedy: of the candidates the one that leaves the smallest sum of squared distances.
  std::size_t seed(Manner manner, Random& random) {
    const bool anywhere = first_ || manner.drawn != Manner::Drawn::far_away;
    std::vector<std::size_t> rows(anywhere ? 1 : manner.candidates);
    if (manner.drawn == Manner::Drawn::any_row) {
      rows[0] = random.index(buffer_.rows);
    } else {
      std::vector<double> mass(buffer_.rows);
      for (std::size_t t = 0; t < buffer_.rows; ++t)
        mass[t] = buffer_.weight(t) * (anywhere ? 1.0 : nearest_[t]);
      for (std::size_t& row : rows) row = draw_row(mass, random);
    }
    const std::size_t tiles = (buffer_.rows + kernels::tile_rows - 1) / kernels::tile_rows;
    const std::size_t a_tile = rows.size() * kernels::tile_stride;
    far_.resize(tiles * a_tile);
    std::vector<double> left(rows.size());
    for_tiles([&](std::size_t tile, std::size_t first, std::size_t n) {
      const double* far = far_.data() + tile * a_tile;
      centres_.distances(rows, tile, n, far_.data() + tile * a_tile);
      for (double& sum : left) {
        for (std::size_t i = 0; i < n; ++i)
          sum += buffer_.weight(first + i) * std::min(nearest_[first + i], far[i]);
        far += kernels::tile_stride;
      }
    });
    const auto best =
        static_cast<std::size_t>(std::min_element(left.begin(), left.end()) - left.begin());
    for_tiles([&](std::size_t tile, std::size_t first, std::size_t n) {
      come_near(first, {far_.data() + tile * a_tile + best * kernels::tile_stride, n});
    });
    return rows[best];
  }

  /// Every row to the nearest centre, or to that of its label. How many move.
  std::size_t assign() {
    const std::size_t K = centres_.count();
    far_.resize(K * kernels::tile_stride);
    std::size_t moved = 0;
    for_tiles([&](std::size_t tile, std::size_t first, std::size_t n) {
      centres_.distances(tile, n, far_.data());
      std::array<std::size_t, kernels::tile_rows> best{};
      double* nearest = nearest_.data() + first;
      double* second = second_.data() + first;
      std::copy_n(far_.data(), n, nearest);
      std::fill_n(second, n, std::numeric_limits<double>::infinity());
      for (std::size_t k = 1; k < K; ++k) {
        const double* far = far_.data() + k * kernels::tile_stride;
        for (std::size_t i = 0; i < n; ++i) {
          second[i] = std::min(second[i], std::max(nearest[i], far[i]));
          best[i] = far[i] < nearest[i] ? k : best[i];
          nearest[i] = std::min(nearest[i], far[i]);
        }
      }
      for (std::size_t i = 0; i < n; ++i) {
        if (labelled(first + i)) best[i] = label_of(first + i);
        moved += cluster_[first + i] != best[i] ? 1 : 0;
        cluster_[first + i] = best[i];
      }
    });
    return moved;
  }

  double error() const {
    double sum = 0;
    for (std::size_t t = 0; t < buffer_.rows; ++t) sum += buffer_.weight(t) * nearest_[t];
    return sum;
  }

  /// A row far from its centre becomes one in each of the m clusters with the largest errors.
  void breathe_in(std::size_t m, Random& random) {
    const std::size_t K = centres_.count();
    std::vector<double> errors(K);
    std::vector<std::vector<std::size_t>> rows(K);
    for (std::size_t t = 0; t < buffer_.rows; ++t) {
      errors[cluster_[t]] += buffer_.weight(t) * nearest_[t];
      rows[cluster_[t]].push_back(t);
    }
    for (const std::size_t k : in_order(errors, std::greater<>())) {
      if (m-- == 0) break;
      std::vector<double> mass;
      for (const std::size_t t : rows[k]) mass.push_back(buffer_.weight(t) * nearest_[t]);
      if (!mass.empty()) centres_.place(centres_.count(), rows[k][draw_row(mass, random)]);
    }
  }

  /// The m centres that are missed least go; of two that could stand for each other only one.
  void breathe_out(std::size_t m) {
    const std::size_t K = centres_.count();
    std::vector<double> missed(K);
    for (std::size_t t = 0; t < buffer_.rows; ++t)
      missed[cluster_[t]] += buffer_.weight(t) * (second_[t] - nearest_[t]);
    std::vector<bool> stays(K);
    std::vector<std::size_t> gone;
    for (const std::size_t k : in_order(missed, std::less<>())) {
      if (gone.size() == m) break;
      if (stays[k]) continue;
      gone.push_back(k);
      std::size_t next = k == 0 ? 1 : 0;
      for (std::size_t l = 0; l < K; ++l)
        if (l != k && centres_.apart(k, l) < centres_.apart(k, next)) next = l;
      stays[next] = true;
    }
    std::sort(gone.begin(), gone.end(), std::greater<>());
    for (const std::size_t k : gone) centres_.remove(k);
  }

  template <class Order>
  static std::vector<std::size_t> in_order(const std::vector<double>& values, Order before) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return before(values[a], values[b]); });
    return order;
  }

  const Block& buffer_;
  Centres centres_;
  std::vector<std::size_t> cluster_;
  std::vector<double> nearest_;  // squared distance to the nearest centre
  std::vector<double> second_;   // … and to the next one
  std::vector<double> far_;      // tiles of squared distances to several
  bool first_ = true;            // there is no centre yet
};

}  // namespace thalweg
