#include <thalweg/models/seeding.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace thalweg {
namespace {

constexpr int lloyd_steps = 3;
constexpr int candidates = 4;  // for each seed

/// rows × d, each column divided by its standard deviation.
std::vector<double> scaled_space(const Block& buffer,
                                 const std::function<double(double)>& coordinate) {
  const std::size_t d = buffer.columns;
  std::vector<double> x(buffer.rows * d);
  for (std::size_t j = 0; j < d; ++j) {
    double mean = 0;
    double squares = 0;
    for (std::size_t t = 0; t < buffer.rows; ++t) {
      const double value = x[t * d + j] = coordinate(buffer.row(t)[j]);
      const double delta = value - mean;
      mean += delta / static_cast<double>(t + 1);
      squares += delta * (value - mean);
    }
    const double sd = std::sqrt(squares / static_cast<double>(buffer.rows));
    const double factor = sd > 0 && std::isfinite(sd) ? 1.0 / sd : 1.0;
    for (std::size_t t = 0; t < buffer.rows; ++t) x[t * d + j] = (x[t * d + j] - mean) * factor;
  }
  return x;
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

}  // namespace

std::vector<std::size_t> seed_clusters(const Block& buffer, std::size_t K,
                                       const std::function<double(double)>& coordinate,
                                       Random& random) {
  const std::size_t n = buffer.rows;
  const std::size_t d = buffer.columns;
  const std::vector<double> x = scaled_space(buffer, coordinate);

  std::vector<double> centres;
  std::vector<double> mass(n);
  for (std::size_t t = 0; t < n; ++t) mass[t] = buffer.weight(t);
  std::vector<double> nearest(n, std::numeric_limits<double>::max());
  for (std::size_t k = 0; k < K; ++k) {
    // Greedy: of a few candidates the one that leaves the smallest sum of squared distances.
    std::vector<double> closest;
    std::size_t seed = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int candidate = 0; candidate < (k == 0 ? 1 : candidates); ++candidate) {
      const std::size_t row = draw_row(mass, random);
      std::vector<double> distances(n);
      double sum = 0;
      for (std::size_t t = 0; t < n; ++t) {
        distances[t] =
            std::min(nearest[t], squared_distance(x.data() + t * d, x.data() + row * d, d));
        sum += buffer.weight(t) * distances[t];
      }
      if (closest.empty() || sum < least) {
        least = sum;
        seed = row;
        closest = std::move(distances);
      }
    }
    centres.insert(centres.end(), x.begin() + seed * d, x.begin() + (seed + 1) * d);
    nearest = std::move(closest);
    for (std::size_t t = 0; t < n; ++t) mass[t] = buffer.weight(t) * nearest[t];
  }

  std::vector<std::size_t> cluster(n);
  for (int step = 0; step <= lloyd_steps; ++step) {
    for (std::size_t t = 0; t < n; ++t) {
      double best = std::numeric_limits<double>::max();
      for (std::size_t k = 0; k < K; ++k) {
        const double distance = squared_distance(x.data() + t * d, centres.data() + k * d, d);
        if (distance < best) {
          best = distance;
          cluster[t] = k;
        }
      }
    }
    if (step == lloyd_steps) break;
    std::vector<double> sums(K * d);
    std::vector<double> weights(K);
    for (std::size_t t = 0; t < n; ++t) {
      weights[cluster[t]] += buffer.weight(t);
      for (std::size_t j = 0; j < d; ++j)
        sums[cluster[t] * d + j] += buffer.weight(t) * x[t * d + j];
    }
    for (std::size_t k = 0; k < K; ++k)
      if (weights[k] > 0)
        for (std::size_t j = 0; j < d; ++j) centres[k * d + j] = sums[k * d + j] / weights[k];
  }
  return cluster;
}

}  // namespace thalweg
