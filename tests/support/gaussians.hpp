// Gaussian mixtures of every covariance type as a textbook writes them: long double, one Cholesky factor a component, slow.
#pragma once

#include "textbook.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <string>

namespace textbook {

enum class Shape { full, tied, diag, spherical };

inline std::string name(Shape shape) {
  return std::array{"full", "tied", "diag", "spherical"}[static_cast<std::size_t>(shape)];
}
inline std::ostream& operator<<(std::ostream& out, Shape shape) { return out << name(shape); }

/// Whatever the shape, each component has a covariance matrix of its own.
struct Gaussians {
  Vector weights = {};                   // K
  Matrix means = {};                     // K × d
  std::vector<Matrix> covariances = {};  // K × d × d

  std::size_t K() const { return weights.size(); }
  std::size_t d() const { return means[0].size(); }
};

/// The lower Cholesky factor; empty where the matrix is not positive definite. The exponents of long double suffice for
/// variances from 1e-300 to 1e300 in one matrix.
inline Matrix cholesky(const Matrix& a) {
  const std::size_t d = a.size();
  Matrix l(d, Vector(d));
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      Real sum = a[i][j];
      for (std::size_t m = 0; m < j; ++m) sum -= l[i][m] * l[j][m];
      if (i == j && !(sum > 0)) return {};
      l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
    }
  return l;
}

/// log N(y; mean, L L').
inline Real log_normal(const Matrix& l, const Vector& mean, const std::vector<double>& y) {
  const Real log_two_pi = 1.837877066409345483560659472811235279L;
  Vector z(y.size());
  Real sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    z[i] = y[i] - mean[i];
    for (std::size_t j = 0; j < i; ++j) z[i] -= l[i][j] * z[j];
    z[i] /= l[i][i];
    sum -= log_two_pi / 2 + std::log(l[i][i]) + z[i] * z[i] / 2;
  }
  return sum;
}

/// For every row the log density and, where asked for, the posterior (n × K).
inline Vector log_densities(const Gaussians& theta, const Data& data, Matrix* posterior = nullptr) {
  std::vector<Matrix> factors;
  for (const Matrix& covariance : theta.covariances) factors.push_back(cholesky(covariance));
  Vector out;
  for (const auto& y : data.rows) {
    Vector joint(theta.K());
    for (std::size_t k = 0; k < theta.K(); ++k)
      joint[k] = std::log(theta.weights[k]) + log_normal(factors[k], theta.means[k], y);
    const Real top = *std::max_element(joint.begin(), joint.end());
    Real sum = 0;
    for (const Real x : joint) sum += std::exp(x - top);
    out.push_back(top + std::log(sum));
    for (Real& x : joint) x = std::exp(x - out.back());
    if (posterior) posterior->push_back(joint);
  }
  return out;
}

inline Real log_likelihood(const Gaussians& theta, const Data& data) {
  const Vector rows = log_densities(theta, data);
  Real sum = 0;
  for (std::size_t t = 0; t < rows.size(); ++t) sum += data.weight(t) * rows[t];
  return sum;
}

/// What a shape makes of free covariances with these weights.
inline void constrain(std::vector<Matrix>& covariances, const Vector& weights, Shape shape) {
  const std::size_t d = covariances[0].size();
  if (shape == Shape::tied) {
    Matrix pooled(d, Vector(d));
    for (std::size_t k = 0; k < weights.size(); ++k)
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) pooled[i][j] += weights[k] * covariances[k][i][j];
    std::fill(covariances.begin(), covariances.end(), pooled);
  }
  if (shape == Shape::full || shape == Shape::tied) return;
  for (Matrix& c : covariances) {
    Real trace = 0;
    for (std::size_t i = 0; i < d; ++i) trace += c[i][i];
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        c[i][j] = i != j ? 0 : shape == Shape::spherical ? trace / Real(d) : c[i][i];
  }
}

/// One EM iteration; second moments about the new means, so that nothing cancels.
inline Gaussians batch_iteration(const Gaussians& theta, const Data& data, Shape shape) {
  const std::size_t d = theta.d();
  Matrix r;
  log_densities(theta, data, &r);
  Gaussians next{Vector(theta.K()), Matrix(theta.K(), Vector(d)),
                 std::vector<Matrix>(theta.K(), Matrix(d, Vector(d)))};
  Real total = 0;
  for (std::size_t t = 0; t < r.size(); ++t) total += data.weight(t);
  for (std::size_t k = 0; k < theta.K(); ++k) {
    Real own = 0;
    for (std::size_t t = 0; t < r.size(); ++t) own += r[t][k] *= data.weight(t);
    for (std::size_t t = 0; t < r.size(); ++t)
      for (std::size_t i = 0; i < d; ++i) next.means[k][i] += r[t][k] / own * data.rows[t][i];
    for (std::size_t t = 0; t < r.size(); ++t)
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j)
          next.covariances[k][i][j] += r[t][k] / own * (data.rows[t][i] - next.means[k][i]) *
                                       (data.rows[t][j] - next.means[k][j]);
    next.weights[k] = own / total;
  }
  constrain(next.covariances, next.weights, shape);
  return next;
}

}  // namespace textbook
