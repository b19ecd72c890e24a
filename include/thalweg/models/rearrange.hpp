// Split and merge (Ueda, Nakano, Ghahramani & Hinton 2000): EM cannot carry a component across a gap, so two that share one cluster
// become one, and one that covers two clusters becomes two.
#pragma once

#include <thalweg/core/model.hpp>
#include <thalweg/data/table.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace thalweg {

/// What a second component would gain on the rows of one cluster, and the statistics of both halves (mean form of those rows).
struct Split {
  std::size_t component = 0;
  double gain = -HUGE_VAL;
  Statistic halves = {};  // of a mixture of two, in its own gauge
  Parameters gauge = {};
  double share = 0;  // of all rows
};

/// Pairs of components by how much their posteriors overlap, most first.
inline std::vector<std::pair<std::size_t, std::size_t>> overlapping_pairs(const Explanation& seen,
                                                                          const Block& rows) {
  const std::size_t K = seen.classes;
  std::vector<double> products(K * K);
  for (std::size_t t = 0; t < rows.rows; ++t) {
    const double* r = seen.posterior.data() + t * K;
    for (std::size_t i = 0; i < K; ++i) {
      if (r[i] < 1e-6) continue;
      for (std::size_t j = 0; j <= i; ++j) products[i * K + j] += rows.weight(t) * r[i] * r[j];
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < K; ++i)
    for (std::size_t j = 0; j < i; ++j) pairs.emplace_back(i, j);
  const auto overlap = [&](const std::pair<std::size_t, std::size_t>& pair) {
    const auto [i, j] = pair;
    const double own = products[i * K + i] * products[j * K + j];
    return own > 0 ? products[i * K + j] / std::sqrt(own) : 0.0;
  };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const auto& a, const auto& b) { return overlap(a) > overlap(b); });
  return pairs;
}

/// A mixture of two on some rows, after a few EM iterations, against one component on them. `one` and `two` are mixtures of the
/// same family.
template <class M>
Split try_split(const M& one, const M& two, const Block& rows, const Context& context,
                Random& random) {
  constexpr int iterations = 10;
  const Schema schema = Schema::numbered(rows.columns);
  const auto expect_mean = [&](const M& model, const Parameters& theta, Statistic& S) {
    Sums sums(S.shared_layout());
    const double log_likelihood = model.expect(theta, rows, sums);
    S = mean(sums);
    return log_likelihood;
  };
  Split split;
  Statistic S(one.plan(schema).statistic);
  Parameters theta = one.start(rows, random);
  const double alone = expect_mean(one, theta, S);
  split.gauge = two.start(rows, random);
  split.halves = Statistic(two.plan(schema).statistic);
  double together = -HUGE_VAL;
  for (int i = 0; i < iterations; ++i) {
    together = expect_mean(two, split.gauge, split.halves);
    two.maximise(split.halves, context, split.gauge);
  }
  split.gain = together - alone;
  return split;
}

}  // namespace thalweg
