// The online EM recursion and the averages of its iterates, as a textbook writes them.
#pragma once

#include "textbook.hpp"

#include <functional>

namespace textbook {

struct Recipe {
  std::function<Real(std::size_t)> gamma;  // of step k = 1, 2, …
  std::size_t batch = 1;                   // rows of a step; the last may be shorter
  std::size_t warmup = 0;                  // rows before the first M-step
};

/// S_k and theta_k after every step.
struct Path {
  std::vector<Statistic> S;
  std::vector<Theta> theta;
  std::vector<std::size_t> rows;  // seen after the step
};

inline Recipe power(Real alpha, std::size_t batch = 1, std::size_t warmup = 0) {
  return {[alpha](std::size_t k) { return std::pow(Real(k), -alpha); }, batch, warmup};
}

/// S_k = S_{k-1} + gamma_k (mean over the batch of E_theta[s | y] - S_{k-1}); theta_k = theta-bar(S_k) after the warm-up.
/// A last batch of e times the usual size moves S as far as e usual steps: 1 - (1 - gamma)^e.
inline Path online(const Theta& start, const Data& data, const Recipe& recipe) {
  Path path;
  Theta theta = start;
  Statistic S(theta.K(), theta.d());  // gamma_1 = 1 makes it irrelevant
  for (std::size_t begin = 0, k = 1; begin < data.rows.size(); begin += recipe.batch, ++k) {
    const std::size_t end = std::min(begin + recipe.batch, data.rows.size());
    const Data batch{{data.rows.begin() + begin, data.rows.begin() + end}, {}};
    const Real share = Real(end - begin) / Real(recipe.batch);
    blend(S, expect(theta, batch), 1 - std::pow(1 - recipe.gamma(k), share));
    if (end > recipe.warmup) theta = maximise(S, theta.kind);
    path.S.push_back(S);
    path.theta.push_back(theta);
    path.rows.push_back(end);
  }
  return path;
}

/// Plain mean of the iterates after `from` rows: sum over steps, divided once.
inline Statistic mean_from(const Path& path, std::size_t from) {
  Statistic sum(path.S[0].weight.size(), path.S[0].sums[0].size());
  Real count = 0;
  for (std::size_t k = 0; k < path.S.size(); ++k)
    if (path.rows[k] > from) blend(sum, path.S[k], 1 / ++count);
  return sum;
}

/// Polynomial decay: the weight of iterate j of n is proportional to j (j+1) … (j+eta-1) for a whole eta.
inline Statistic polynomial(const Path& path, std::size_t eta) {
  const auto rising = [eta](std::size_t j) {
    Real product = 1;
    for (std::size_t i = 0; i < eta; ++i) product *= Real(j + i);
    return product;
  };
  Statistic mean(path.S[0].weight.size(), path.S[0].sums[0].size());
  Real total = 0;
  for (std::size_t k = 0; k < path.S.size(); ++k) {
    total += rising(k + 1);
    blend(mean, path.S[k], rising(k + 1) / total);
  }
  return mean;
}

}  // namespace textbook
