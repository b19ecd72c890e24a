// Mixtures as a textbook writes them: plain loops in long double, no library code, slow and obviously right.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace textbook {

using Real = long double;
using Vector = std::vector<Real>;
using Matrix = std::vector<Vector>;  // K × d

struct Data {
  std::vector<std::vector<double>> rows;  // n × d
  std::vector<double> weights;            // n, or empty when every row counts once

  Real weight(std::size_t t) const { return weights.empty() ? 1 : weights[t]; }
};

enum class Kind { poisson, gaussian };

/// Weights; rates of the Poisson, means and variances of the diagonal Gaussian.
struct Theta {
  Kind kind = Kind::poisson;
  Vector weights = {};    // K
  Matrix first = {};      // K × d: rates or means
  Matrix variances = {};  // K × d, Gaussian only

  std::size_t K() const { return weights.size(); }
  std::size_t d() const { return first[0].size(); }
};

/// E[1{X=k}], E[1{X=k} y], E[1{X=k} y²], in mean form.
struct Statistic {
  Vector weight;
  Matrix sums;
  Matrix squares;

  Statistic(std::size_t K, std::size_t d) : weight(K), sums(K, Vector(d)), squares(K, Vector(d)) {}
};

/// log w_k + log g_k(y).
inline Real log_joint(const Theta& theta, std::size_t k, const std::vector<double>& y) {
  Real sum = std::log(theta.weights[k]);
  for (std::size_t j = 0; j < y.size(); ++j) {
    const Real m = theta.first[k][j];
    if (theta.kind == Kind::poisson) {
      sum += y[j] * std::log(m) - m - std::lgamma(Real(y[j]) + 1);
    } else {
      const Real v = theta.variances[k][j];
      const Real two_pi = 6.283185307179586476925286766559005768L;
      sum -= (std::log(two_pi * v) + (y[j] - m) * (y[j] - m) / v) / 2;
    }
  }
  return sum;
}

/// log f(y), by log-sum-exp.
inline Real log_density(const Theta& theta, const std::vector<double>& y) {
  Real top = -HUGE_VALL;
  for (std::size_t k = 0; k < theta.K(); ++k) top = std::max(top, log_joint(theta, k, y));
  Real sum = 0;
  for (std::size_t k = 0; k < theta.K(); ++k) sum += std::exp(log_joint(theta, k, y) - top);
  return top + std::log(sum);
}

inline Vector posterior(const Theta& theta, const std::vector<double>& y) {
  Vector r(theta.K());
  const Real log_f = log_density(theta, y);
  for (std::size_t k = 0; k < theta.K(); ++k) r[k] = std::exp(log_joint(theta, k, y) - log_f);
  return r;
}

inline Real log_likelihood(const Theta& theta, const Data& data) {
  Real sum = 0;
  for (std::size_t t = 0; t < data.rows.size(); ++t)
    sum += data.weight(t) * log_density(theta, data.rows[t]);
  return sum;
}

/// into += rate (E[s | y] - into).
inline void learn_row(Statistic& into, const Theta& theta, const std::vector<double>& y,
                      Real rate) {
  const Vector r = posterior(theta, y);
  for (std::size_t k = 0; k < theta.K(); ++k) {
    into.weight[k] += rate * (r[k] - into.weight[k]);
    for (std::size_t j = 0; j < y.size(); ++j) {
      into.sums[k][j] += rate * (r[k] * y[j] - into.sums[k][j]);
      into.squares[k][j] += rate * (r[k] * y[j] * y[j] - into.squares[k][j]);
    }
  }
}

/// into += rate (from - into).
inline void blend(Statistic& into, const Statistic& from, Real rate) {
  for (std::size_t k = 0; k < into.weight.size(); ++k) {
    into.weight[k] += rate * (from.weight[k] - into.weight[k]);
    for (std::size_t j = 0; j < into.sums[k].size(); ++j) {
      into.sums[k][j] += rate * (from.sums[k][j] - into.sums[k][j]);
      into.squares[k][j] += rate * (from.squares[k][j] - into.squares[k][j]);
    }
  }
}

/// theta-bar(S).
inline Theta maximise(const Statistic& S, Kind kind) {
  Theta theta{.kind = kind, .weights = S.weight, .first = S.sums, .variances = S.squares};
  Real total = 0;
  for (const Real w : S.weight) total += w;
  for (std::size_t k = 0; k < theta.K(); ++k) {
    theta.weights[k] /= total;
    for (std::size_t j = 0; j < theta.d(); ++j) {
      theta.first[k][j] = S.sums[k][j] / S.weight[k];
      theta.variances[k][j] = S.squares[k][j] / S.weight[k] - theta.first[k][j] * theta.first[k][j];
    }
  }
  return theta;
}

/// The mean of E[s | y] over all rows: the running mean has rates w_t / (w_1 + … + w_t).
inline Statistic expect(const Theta& theta, const Data& data) {
  Statistic S(theta.K(), theta.d());
  Real total = 0;
  for (std::size_t t = 0; t < data.rows.size(); ++t) {
    if (!(data.weight(t) > 0)) continue;
    total += data.weight(t);
    learn_row(S, theta, data.rows[t], data.weight(t) / total);
  }
  return S;
}

inline Theta batch_iteration(const Theta& theta, const Data& data) {
  return maximise(expect(theta, data), theta.kind);
}

}  // namespace textbook
