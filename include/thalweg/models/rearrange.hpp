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
    const double log_likelihood = expect(model, theta, rows, sums);
    S = mean(sums);
    return log_likelihood;
  };
  Split split;
  const Plan plan_of_one = one.plan(schema);
  const Plan plan_of_two = two.plan(schema);
  Statistic S(plan_of_one.statistic);
  const Parameters theta = one.start(plan_of_one, rows, random);
  const double alone = expect_mean(one, theta, S);
  split.gauge = two.start(plan_of_two, rows, random);
  split.halves = Statistic(plan_of_two.statistic);
  double together = -HUGE_VAL;
  for (int i = 0; i < iterations; ++i) {
    together = expect_mean(two, split.gauge, split.halves);
    maximise(two, split.halves, context, split.gauge);
  }
  split.gain = together - alone;
  return split;
}

/// Parameters of `two` with the constants of theta.
template <class M>
Parameters with_constants_of(const Parameters& theta, const M& two, std::size_t columns) {
  Parameters other(two.plan(Schema::numbered(columns)).parameters);
  for (const Piece& piece : theta.layout().pieces())
    if (piece.constant) std::ranges::copy(theta[piece.name], other[piece.name].begin());
  return other;
}

/// Proposal number `attempt`: the two components that overlap most become one, and the cluster that would gain most by a second
/// component gets it. False when there is nothing to propose; whether it is better is for EM to say. `one` and `two` are mixtures
/// of one and two components of the same family.
template <class M>
bool propose_rearrangement(const M& mixture, const M& one, const M& two, const Block& buffer,
                           const Context& context, std::size_t attempt, Random& random,
                           Parameters& theta) {
  const std::size_t K = mixture.components();
  Explanation seen;
  explain(mixture, theta, buffer, seen);
  std::vector<Table> clusters(K, Table(buffer.columns));
  for (std::size_t t = 0; t < buffer.rows; ++t) {
    const double* r = seen.posterior.data() + t * K;
    clusters[static_cast<std::size_t>(std::max_element(r, r + K) - r)].append(buffer.slice(t, 1));
  }
  Sums sums(mixture.plan(Schema::numbered(buffer.columns)).statistic);
  const std::size_t width = sums.size() / K;
  const Context quiet{.rows = context.rows, .floor = context.floor, .ridge = context.ridge};
  std::vector<Split> splits;
  for (std::size_t k = 0; k < K; ++k) {
    if (clusters[k].rows() < 2 * width + 2) continue;  // too few for two components
    const Block rows = clusters[k].block();
    splits.push_back(try_split(one, two, rows, quiet, random));
    splits.back().component = k;
    splits.back().share = rows.total_weight() / buffer.total_weight();
  }
  std::stable_sort(splits.begin(), splits.end(),
                   [](const Split& a, const Split& b) { return a.gain > b.gain; });
  // Attempts walk through the best splits and, more slowly, through the closest pairs.
  const std::size_t best = attempt % 2;
  if (best >= splits.size() || !(splits[best].gain > 0)) return false;
  const Split& split = splits[best];
  std::size_t skip = attempt / 2;
  for (const auto& [i, j] : overlapping_pairs(seen, buffer)) {
    if (i == split.component || j == split.component || skip-- > 0) continue;
    expect(mixture, theta, buffer, sums);
    Statistic S = mean(sums);
    Statistic halves = split.halves;
    two.regauge(split.gauge, with_constants_of(theta, two, buffer.columns), halves);
    for (std::size_t row = 0; row < width; ++row) {
      double* at = S.data() + row * K;
      at[i] += at[j];
      at[split.component] = split.share * halves.data()[2 * row];
      at[j] = split.share * halves.data()[2 * row + 1];
    }
    maximise(mixture, S, quiet, theta);
    return true;
  }
  return false;
}

}  // namespace thalweg
