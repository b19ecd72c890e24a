// Clusters to start from: k-means++ on the embedded rows, then a few of Lloyd's iterations.
#include "core/robust.hpp"
#include "models/clusters.hpp"
#include "models/level_centres.hpp"
#include "models/number_centres.hpp"
#include <thalweg/data/table.hpp>
#include <thalweg/kernels/cholesky.hpp>
#include <thalweg/models/seeding.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>

namespace thalweg {
namespace {

constexpr std::size_t widest_whitened = 512;  // coordinates: whitening costs their cube
constexpr double far_units = 10;  // robust units: beyond, distance grows like a logarithm

double drawn_in(double x) {
  const double size = std::abs(x);
  return size <= far_units ? x : std::copysign(far_units * (1 + std::log(size / far_units)), x);
}

/// Each coordinate in its robust units, as some of the rows show them.
void scale(std::size_t rows, Points& points) {
  constexpr std::size_t enough = 400;
  const std::size_t m = points.in.coordinates;
  std::vector<double> column(std::min(rows, enough));
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i < column.size(); ++i)
      column[i] = points.x[i * rows / column.size() * m + j];
    const ColumnGauge gauge = robust_gauge(column);
    for (std::size_t t = 0; t < rows; ++t)
      points.x[t * m + j] = drawn_in((points.x[t * m + j] - gauge.shift) / gauge.scale);
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

/// One coordinate of the points alone.
Points along(const Points& points, std::size_t j, std::size_t rows) {
  Points column;
  column.in.coordinates = 1;
  column.x.resize(rows);
  for (std::size_t t = 0; t < rows; ++t) column.x[t] = points.x[t * points.in.coordinates + j];
  return column;
}

/// Clusters of all rows. Where there are many, centres are found among some of them.
template <class Centres>
std::vector<std::size_t> clusters_in(const Block& buffer, std::size_t K, const Points& points,
                                     Manner manner, Random& random) {
  // Few centres soon lie as k-means wants them, which is not how EM does where clusters are long: starts are to differ.
  const int lloyd_steps = manner.breathes ? 20 : 3;
  Clusters<Centres> all(buffer, points);
  const auto find = [&](Clusters<Centres>& among) {
    among.choose(K, manner, random);
    among.settle(lloyd_steps);
    if (manner.breathes) among.breathe(random);
  };
  const std::size_t enough = std::max<std::size_t>(1000, 32 * K);
  if (buffer.rows <= enough || buffer.side.label) {
    find(all);
    return std::move(all).found();
  }
  const std::size_t m = points.in.coordinates;
  Table rows(buffer.columns);
  Points points_there{points.in, {}};
  for (std::size_t i = 0; i < enough; ++i) {  // spread over all
    const std::size_t from = i * buffer.rows / enough;
    const std::size_t t = from + random.index((i + 1) * buffer.rows / enough - from);
    rows.append(buffer.slice(t, 1));
    points_there.x.insert(points_there.x.end(), points.x.data() + t * m,
                          points.x.data() + (t + 1) * m);
  }
  const Block some_rows = rows.block();
  Clusters<Centres> some(some_rows, points_there);
  find(some);
  all.begin_with(some);
  all.settle(2);
  return std::move(all).found();
}

/// The same clusters, numbered by where their means lie: in the first coordinate, where that is equal in the next. What a component is
/// called does not hang on the order of the rows, then.
std::vector<std::size_t> numbered(std::vector<std::size_t> cluster, const Block& buffer,
                                  std::size_t K, const Points& points) {
  const std::size_t m = points.in.coordinates;
  std::vector<std::vector<double>> means(K, std::vector<double>(m));
  std::vector<double> weights(K);
  for (std::size_t t = 0; t < buffer.rows; ++t) {
    std::vector<double>& mean = means[cluster[t]];
    weights[cluster[t]] += buffer.weight(t);
    for (std::size_t j = 0; j < m; ++j) mean[j] += buffer.weight(t) * points.x[t * m + j];
  }
  for (std::size_t k = 0; k < K; ++k)
    for (double& x : means[k]) x /= std::max(weights[k], 1e-300);
  std::vector<std::size_t> order(K);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&means](std::size_t k, std::size_t l) { return means[k] < means[l]; });
  std::vector<std::size_t> place(K);
  for (std::size_t k = 0; k < K; ++k) place[order[k]] = k;
  for (std::size_t& k : cluster) k = place[k];
  return cluster;
}

}  // namespace

struct Seeds::Spaces {
  Block rows;
  Points plain;                       // scaled, or levels
  mutable std::once_flag asked = {};  // for those that are
  mutable Points whitened = {};

  const Points& white() const {
    std::call_once(asked, [this] {
      whitened = plain;
      whiten(rows, whitened);
    });
    return whitened;
  }
};

Seeds::Seeds(const Block& buffer, Points points)
    : spaces_(new Spaces{.rows = buffer, .plain = std::move(points)}) {
  if (spaces_->plain.in.levels.empty()) scale(buffer.rows, spaces_->plain);
}

Seeds::~Seeds() = default;

std::vector<std::size_t> Seeds::clusters(std::size_t K, Random& random) const {
  using enum Manner::Drawn;
  const Block& rows = spaces_->rows;
  const Points& plain = spaces_->plain;
  const bool few = K < few_components;
  if (!plain.in.levels.empty()) {
    const bool anywhere = random.index(4) == 0;
    return clusters_in<LevelCentres>(
        rows, K, plain, {.drawn = anywhere ? by_weight : far_away, .breathes = !anywhere && !few},
        random);
  }
  // 4 … 6: whitened; 7: random rows; among few 3: along one coordinate, for clusters that lie side by side in it and are long in the
  // others. The first of a stream is no chance: a few starts are of all kinds.
  constexpr std::array<std::size_t, 8> in_turn = {2, 0, 4, 7, 5, 1, 6, 3};
  const std::size_t style =
      random.drawn() == 0 ? in_turn[random.row() % in_turn.size()] : random.index(in_turn.size());
  const bool narrow = plain.in.coordinates > 1 && plain.in.coordinates <= widest_whitened;
  const auto find = [&](const Points& points, Manner manner) {
    std::vector<std::size_t> found = clusters_in<NumberCentres>(rows, K, points, manner, random);
    return rows.side.label ? found : numbered(std::move(found), rows, K, plain);
  };
  if (few && style == 3 && plain.in.coordinates > 1)
    return find(along(plain, random.index(plain.in.coordinates), rows.rows),
                {.drawn = far_away, .candidates = 4});
  return find(style >= 4 && style < 7 && narrow ? spaces_->white() : plain,
              {.drawn = style == 7 ? any_row : far_away,
               .candidates = 4,
               .breathes = !few && style != 3 && style < 6});
}

}  // namespace thalweg
