// Incremental and variance-reduced EM, as a textbook writes them.
#pragma once

#include "textbook.hpp"

#include <algorithm>

namespace textbook {

/// sum over rows of w E[s | y]: what a block of rows keeps.
inline Statistic block_sums(const Theta& theta, const Data& data, std::size_t begin,
                            std::size_t end) {
  Statistic sums(theta.K(), theta.d());
  for (std::size_t t = begin; t < end; ++t) {
    const Vector r = posterior(theta, data.rows[t]);
    for (std::size_t k = 0; k < theta.K(); ++k) {
      sums.weight[k] += data.weight(t) * r[k];
      for (std::size_t j = 0; j < theta.d(); ++j) {
        const Real y = data.rows[t][j];
        sums.sums[k][j] += data.weight(t) * r[k] * y;
        sums.squares[k][j] += data.weight(t) * r[k] * y * y;
      }
    }
  }
  return sums;
}

/// into += factor * from.
inline void add(Statistic& into, const Statistic& from, Real factor) {
  for (std::size_t k = 0; k < into.weight.size(); ++k) {
    into.weight[k] += factor * from.weight[k];
    for (std::size_t j = 0; j < into.sums[k].size(); ++j) {
      into.sums[k][j] += factor * from.sums[k][j];
      into.squares[k][j] += factor * from.squares[k][j];
    }
  }
}

/// theta after every visit of a block of `size` rows: all that is kept is summed anew each time, and divided by the weight of the
/// rows that were visited at least once. No M-step before more than `warmup` rows were.
inline std::vector<Theta> incremental(Theta theta, const Data& data, std::size_t size,
                                      std::size_t warmup, int passes) {
  const std::size_t n = data.rows.size();
  std::vector<Statistic> kept;
  std::vector<Theta> path;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t begin = 0, b = 0; begin < n; begin += size, ++b) {
      const std::size_t end = std::min(begin + size, n);
      if (pass == 0) kept.emplace_back(theta.K(), theta.d());
      kept[b] = block_sums(theta, data, begin, end);
      const std::size_t visited = pass == 0 ? end : n;
      Real weight = 0;
      for (std::size_t t = 0; t < visited; ++t) weight += data.weight(t);
      Statistic S(theta.K(), theta.d());
      for (const Statistic& share : kept) add(S, share, 1 / weight);
      if (visited > warmup || visited == n) theta = maximise(S, theta.kind);
      path.push_back(theta);
    }
  }
  return path;
}

/// One epoch of variance-reduced EM from an anchor, over mini-batches given as lists of rows, all of weight 1:
/// S += g (s_b(theta) - s_b(anchor) + S(anchor) - S), each s_b times its share of the rows times their number.
inline Theta variance_reduced_epoch(const Theta& anchor, const Data& data,
                                    const std::vector<std::vector<std::size_t>>& batches, Real g) {
  const Real n = static_cast<Real>(data.rows.size());
  const Statistic at_anchor = expect(anchor, data);
  Statistic S = at_anchor;
  Theta theta = anchor;
  for (const auto& rows : batches) {
    Data batch;
    for (const std::size_t t : rows) batch.rows.push_back(data.rows[t]);
    Statistic target = at_anchor;
    const Real scale = static_cast<Real>(batches.size()) / n;
    add(target, block_sums(theta, batch, 0, rows.size()), scale);
    add(target, block_sums(anchor, batch, 0, rows.size()), -scale);
    blend(S, target, g);
    theta = maximise(S, theta.kind);
  }
  return theta;
}

}  // namespace textbook
