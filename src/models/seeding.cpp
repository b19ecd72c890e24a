#include <thalweg/core/robust.hpp>
#include <thalweg/kernels/cholesky.hpp>
#include <thalweg/models/seeding.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace thalweg {
namespace {

constexpr int lloyd_steps = 3;
constexpr int candidates = 4;                 // for each seed
constexpr std::size_t widest_whitened = 512;  // columns: whitening costs their cube
constexpr double far_away = 10;  // robust units: beyond, distance grows like a logarithm

double drawn_in(double x) {
  const double size = std::abs(x);
  return size <= far_away ? x : std::copysign(far_away * (1 + std::log(size / far_away)), x);
}

/// rows × d, each column in its robust units.
std::vector<double> scaled_space(const Block& buffer,
                                 const std::function<double(double)>& coordinate) {
  const std::size_t d = buffer.columns;
  std::vector<double> x(buffer.rows * d);
  std::vector<double> column(buffer.rows);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t t = 0; t < buffer.rows; ++t) column[t] = coordinate(buffer.row(t)[j]);
    const ColumnGauge gauge = robust_gauge(column);
    for (std::size_t t = 0; t < buffer.rows; ++t)
      x[t * d + j] = drawn_in((column[t] - gauge.shift) / gauge.scale);
  }
  return x;
}

/// x becomes L^-1 x with L L' the covariance of all rows: a direction in which everything is long counts no more than others.
void whiten(const Block& buffer, std::vector<double>& x) {
  const std::size_t d = buffer.columns;
  std::vector<double> mean(d);
  std::vector<double> factor(kernels::triangle(d));
  const double total = buffer.total_weight();
  for (std::size_t t = 0; t < buffer.rows; ++t)
    for (std::size_t j = 0; j < d; ++j) mean[j] += buffer.weight(t) / total * x[t * d + j];
  for (std::size_t t = 0; t < buffer.rows; ++t) {
    double* row = x.data() + t * d;
    for (std::size_t j = 0; j < d; ++j) row[j] -= mean[j];
    double* into = factor.data();
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) *into++ += buffer.weight(t) / total * row[i] * row[j];
  }
  double trace = 0;
  for (std::size_t j = 0; j < d; ++j) trace += factor[kernels::packed_at(j, j)];
  for (std::size_t j = 0; j < d; ++j)
    factor[kernels::packed_at(j, j)] += 1e-6 * (trace + 1) / static_cast<double>(d);
  if (!kernels::cholesky(factor.data(), d)) return;
  for (std::size_t t = 0; t < buffer.rows; ++t)
    kernels::forward_substitute(factor.data(), d, x.data() + t * d);
}

double squared_distance(const double* a, const double* b, std::size_t d) {
  double sum = 0;
  for (std::size_t j = 0; j < d; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

/// A row drawn with probability in proportion to mass; any row when there is no mass.
std::size_t draw_row(const std::vector<double>& mass, Random& random) {
  double total = 0;
  for (const double m : mass) total += m;
  if (!(total > 0) || !std::isfinite(total)) return random.index(mass.size());
  double u = random.uniform() * total;
  for (std::size_t t = 0; t < mass.size(); ++t) {
    u -= mass[t];
    if (u < 0) return t;
  }
  return mass.size() - 1;
}

constexpr std::size_t unknown = static_cast<std::size_t>(-1);

std::size_t label_of(const Block& buffer, std::size_t t) {
  if (!buffer.side.label || std::isnan(buffer.side.label[t])) return unknown;
  return static_cast<std::size_t>(buffer.side.label[t]);
}

/// Centres of clusters in a space, and how far each row is from the nearest.
class Seeds {
 public:
  Seeds(const Block& buffer, std::size_t K, const std::vector<double>& x)
      : buffer_(buffer),
        x_(x),
        d_(buffer.columns),
        centres_(K * d_),
        placed_(K),
        nearest_(buffer.rows, std::numeric_limits<double>::max()) {}

  bool placed(std::size_t k) const { return placed_[k] != 0; }
  const double* centre(std::size_t k) const { return centres_.data() + k * d_; }
  const double* point(std::size_t t) const { return x_.data() + t * d_; }

  void place(std::size_t k, const double* at) {
    std::copy(at, at + d_, centres_.begin() + static_cast<std::ptrdiff_t>(k * d_));
    placed_[k] = 1;
    for (std::size_t t = 0; t < buffer_.rows; ++t)
      nearest_[t] = std::min(nearest_[t], squared_distance(point(t), at, d_));
  }

  /// Greedy: of a few candidates the one that leaves the smallest sum of squared distances.
  void place_far_away(std::size_t k, Random& random) {
    std::vector<double> mass(buffer_.rows);
    const bool first = std::find(placed_.begin(), placed_.end(), 1) == placed_.end();
    for (std::size_t t = 0; t < buffer_.rows; ++t)
      mass[t] = buffer_.weight(t) * (first ? 1.0 : nearest_[t]);
    std::size_t seed = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int candidate = 0; candidate < (first ? 1 : candidates); ++candidate) {
      const std::size_t row = draw_row(mass, random);
      double sum = 0;
      for (std::size_t t = 0; t < buffer_.rows; ++t)
        sum +=
            buffer_.weight(t) * std::min(nearest_[t], squared_distance(point(t), point(row), d_));
      if (candidate == 0 || sum < least) {
        least = sum;
        seed = row;
      }
    }
    place(k, point(seed));
  }

  std::size_t nearest_cluster(std::size_t t) const {
    std::size_t cluster = 0;
    double best = std::numeric_limits<double>::max();
    for (std::size_t k = 0; k < placed_.size(); ++k) {
      const double distance = squared_distance(point(t), centre(k), d_);
      if (distance < best) {
        best = distance;
        cluster = k;
      }
    }
    return cluster;
  }

  /// Moves every centre of a cluster that has rows to their mean.
  void move_to_means(const std::vector<std::size_t>& cluster) {
    std::vector<double> sums(centres_.size());
    std::vector<double> weights(placed_.size());
    for (std::size_t t = 0; t < buffer_.rows; ++t) {
      if (cluster[t] == unknown) continue;
      weights[cluster[t]] += buffer_.weight(t);
      for (std::size_t j = 0; j < d_; ++j)
        sums[cluster[t] * d_ + j] += buffer_.weight(t) * point(t)[j];
    }
    for (std::size_t k = 0; k < placed_.size(); ++k) {
      if (!(weights[k] > 0)) continue;
      for (std::size_t j = 0; j < d_; ++j) sums[k * d_ + j] /= weights[k];
      place(k, sums.data() + k * d_);
    }
  }

 private:
  const Block& buffer_;
  const std::vector<double>& x_;
  std::size_t d_;
  std::vector<double> centres_;        // K × d
  std::vector<unsigned char> placed_;  // K
  std::vector<double> nearest_;        // squared distance to the nearest centre
};

}  // namespace

std::vector<std::size_t> seed_clusters(const Block& buffer, std::size_t K,
                                       const std::function<double(double)>& coordinate,
                                       Random& random) {
  const std::size_t n = buffer.rows;
  std::vector<double> x = scaled_space(buffer, coordinate);
  const std::size_t style = random.index(5);  // 0, 1: scaled; 2, 3: whitened; 4: random rows
  const bool narrow = buffer.columns > 1 && buffer.columns <= widest_whitened;
  if ((style == 2 || style == 3) && narrow) whiten(buffer, x);

  Seeds seeds(buffer, K, x);
  std::vector<std::size_t> cluster(n);
  for (std::size_t t = 0; t < n; ++t) cluster[t] = label_of(buffer, t);
  if (buffer.side.label) seeds.move_to_means(cluster);
  for (std::size_t k = 0; k < K; ++k) {
    if (seeds.placed(k)) continue;
    if (style == 4) {
      seeds.place(k, seeds.point(random.index(n)));
    } else {
      seeds.place_far_away(k, random);
    }
  }
  for (int step = 0;; ++step) {
    for (std::size_t t = 0; t < n; ++t) {
      const std::size_t label = label_of(buffer, t);
      cluster[t] = label == unknown ? seeds.nearest_cluster(t) : label;
    }
    if (step == lloyd_steps) return cluster;
    seeds.move_to_means(cluster);
  }
}

}  // namespace thalweg
