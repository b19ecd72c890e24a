// Clusters to start from: k-means++ on the embedded rows, then a few of Lloyd's iterations.
#include "core/robust.hpp"
#include "models/level_centres.hpp"
#include <thalweg/kernels/cholesky.hpp>
#include <thalweg/models/seeding.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace thalweg {
namespace {

constexpr int lloyd_steps = 3;
constexpr std::size_t widest_whitened = 512;  // coordinates: whitening costs their cube
constexpr double far_units = 10;  // robust units: beyond, distance grows like a logarithm

double drawn_in(double x) {
  const double size = std::abs(x);
  return size <= far_units ? x : std::copysign(far_units * (1 + std::log(size / far_units)), x);
}

/// Each coordinate in its robust units.
void scale(std::size_t rows, Points& points) {
  const std::size_t m = points.in.coordinates;
  std::vector<double> column(rows);
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t t = 0; t < rows; ++t) column[t] = points.x[t * m + j];
    const ColumnGauge gauge = robust_gauge(column);
    for (std::size_t t = 0; t < rows; ++t)
      points.x[t * m + j] = drawn_in((column[t] - gauge.shift) / gauge.scale);
  }
}

/// x becomes L^-1 x with L L' the covariance of all rows: a direction in which everything is long counts no more than others.
void whiten(const Block& buffer, Points& points) {
  const std::size_t d = points.in.coordinates;
  std::vector<double>& x = points.x;
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

/// Clusters of rows whose coordinates are numbers, by their means.
class NumberCentres {
 public:
  NumberCentres(const Block& buffer, std::size_t K, const Points& points)
      : buffer_(buffer), points_(points), m_(points.in.coordinates), centres_(K * m_) {}

  void place(std::size_t k, std::size_t t) { std::copy_n(point(t), m_, centre(k)); }

  /// Every cluster that has rows; those of no cluster (K or more) do not count.
  void move_to_means(const std::vector<std::size_t>& cluster) {
    const std::size_t K = centres_.size() / m_;
    std::vector<double> sums(centres_.size());
    std::vector<double> weights(K);
    for (std::size_t t = 0; t < buffer_.rows; ++t) {
      if (cluster[t] >= K) continue;
      weights[cluster[t]] += buffer_.weight(t);
      for (std::size_t j = 0; j < m_; ++j)
        sums[cluster[t] * m_ + j] += buffer_.weight(t) * point(t)[j];
    }
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t j = 0; j < m_ && weights[k] > 0; ++j)
        centre(k)[j] = sums[k * m_ + j] / weights[k];
  }

  /// Squared.
  double distance(std::size_t k, std::size_t t) const {
    const double* a = point(t);
    const double* b = centres_.data() + k * m_;
    double sum = 0;
    for (std::size_t j = 0; j < m_; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
  }

 private:
  const double* point(std::size_t t) const { return points_.x.data() + t * m_; }
  double* centre(std::size_t k) { return centres_.data() + k * m_; }

  const Block& buffer_;
  const Points& points_;
  std::size_t m_;
  std::vector<double> centres_;  // K × m
};

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

/// Seeds are any rows, rows drawn by their weight, or rows far from the seeds that are there: the best of a few candidates.
struct Manner {
  enum class Drawn { any_row, by_weight, far_away } drawn = Drawn::far_away;
  int candidates = 1;
};

/// k-means from seeds that are chosen in this manner.
template <class Centres>
class Clusters {
 public:
  Clusters(const Block& buffer, std::size_t K, const Points& points)
      : buffer_(buffer),
        K_(K),
        centres_(buffer, K, points),
        cluster_(buffer.rows),
        nearest_(buffer.rows, std::numeric_limits<double>::max()) {}

  std::vector<std::size_t> find(Manner manner, Random& random) {
    std::vector<bool> placed = place_labelled();
    for (std::size_t k = 0; k < K_; ++k) {
      if (placed[k]) continue;
      centres_.place(k, seed(k, manner, random));
      look_at(k);
    }
    for (int step = 0;; ++step) {
      for (std::size_t t = 0; t < buffer_.rows; ++t)
        cluster_[t] = labelled(t) ? label_of(t) : nearest_cluster(t);
      if (step == lloyd_steps) return cluster_;
      centres_.move_to_means(cluster_);
    }
  }

 private:
  bool labelled(std::size_t t) const {
    return buffer_.side.label && !std::isnan(buffer_.side.label[t]);
  }
  std::size_t label_of(std::size_t t) const {
    return static_cast<std::size_t>(buffer_.side.label[t]);
  }

  /// Clusters begin at the rows that are labelled theirs. Which did.
  std::vector<bool> place_labelled() {
    std::vector<bool> placed(K_);
    if (!buffer_.side.label) return placed;
    for (std::size_t t = 0; t < buffer_.rows; ++t) {
      cluster_[t] = labelled(t) ? label_of(t) : K_;
      if (labelled(t) && buffer_.weight(t) > 0) placed[label_of(t)] = true;
    }
    centres_.move_to_means(cluster_);
    for (std::size_t k = 0; k < K_; ++k)
      if (placed[k]) look_at(k);
    return placed;
  }

  void look_at(std::size_t k) {
    for (std::size_t t = 0; t < buffer_.rows; ++t)
      nearest_[t] = std::min(nearest_[t], centres_.distance(k, t));
    first_ = false;
  }

  /// Greedy: of the candidates the one that leaves the smallest sum of squared distances.
  std::size_t seed(std::size_t k, Manner manner, Random& random) {
    if (manner.drawn == Manner::Drawn::any_row) return random.index(buffer_.rows);
    const bool anywhere = first_ || manner.drawn == Manner::Drawn::by_weight;
    std::vector<double> mass(buffer_.rows);
    for (std::size_t t = 0; t < buffer_.rows; ++t)
      mass[t] = buffer_.weight(t) * (anywhere ? 1.0 : nearest_[t]);
    std::size_t best = draw_row(mass, random);
    if (anywhere || manner.candidates == 1) return best;
    double least = left_by(k, best);
    for (int candidate = 1; candidate < manner.candidates; ++candidate) {
      const std::size_t row = draw_row(mass, random);
      const double sum = left_by(k, row);
      if (!(sum < least)) continue;
      least = sum;
      best = row;
    }
    return best;
  }

  double left_by(std::size_t k, std::size_t row) {
    centres_.place(k, row);
    double sum = 0;
    for (std::size_t t = 0; t < buffer_.rows; ++t)
      sum += buffer_.weight(t) * std::min(nearest_[t], centres_.distance(k, t));
    return sum;
  }

  std::size_t nearest_cluster(std::size_t t) const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < K_; ++k)
      if (centres_.distance(k, t) < centres_.distance(best, t)) best = k;
    return best;
  }

  const Block& buffer_;
  std::size_t K_;
  Centres centres_;
  std::vector<std::size_t> cluster_;
  std::vector<double> nearest_;  // squared distance to the nearest centre
  bool first_ = true;            // there is none yet
};

}  // namespace

std::vector<std::size_t> seed_clusters(const Block& buffer, std::size_t K, Points points,
                                       Random& random) {
  using enum Manner::Drawn;
  if (!points.in.levels.empty()) {
    const bool anywhere = random.index(4) == 0;
    return Clusters<LevelCentres>(buffer, K, points)
        .find({.drawn = anywhere ? by_weight : far_away}, random);
  }
  scale(buffer.rows, points);
  const std::size_t style = random.index(5);  // 0, 1: scaled; 2, 3: whitened; 4: random rows
  const bool narrow = points.in.coordinates > 1 && points.in.coordinates <= widest_whitened;
  if ((style == 2 || style == 3) && narrow) whiten(buffer, points);
  return Clusters<NumberCentres>(buffer, K, points)
      .find({.drawn = style == 4 ? any_row : far_away, .candidates = 4}, random);
}

}  // namespace thalweg
