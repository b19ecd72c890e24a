// Probabilistic PCA as a textbook writes it: dense covariances in long double, elimination, Jacobi's rotations; no library code.
#pragma once

#include "textbook_gaussian.hpp"

#include <algorithm>
#include <cmath>

namespace textbook {

struct Factors {
  Vector mean;      // d
  Matrix loadings;  // d × r
  Real noise = 1;

  std::size_t d() const { return mean.size(); }
  std::size_t r() const { return loadings[0].size(); }
};

inline Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out(a.size(), Vector(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b[0].size(); ++j)
      for (std::size_t m = 0; m < b.size(); ++m) out[i][j] += a[i][m] * b[m][j];
  return out;
}

inline Matrix transpose(const Matrix& a) {
  Matrix out(a[0].size(), Vector(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[0].size(); ++j) out[j][i] = a[i][j];
  return out;
}

/// Gauss-Jordan elimination of (a | I).
inline Matrix inverse(Matrix a) {
  const std::size_t d = a.size();
  Matrix out(d, Vector(d));
  for (std::size_t i = 0; i < d; ++i) out[i][i] = 1;
  for (std::size_t m = 0; m < d; ++m) {
    std::size_t top = m;
    for (std::size_t i = m + 1; i < d; ++i)
      if (std::abs(a[i][m]) > std::abs(a[top][m])) top = i;
    std::swap(a[m], a[top]);
    std::swap(out[m], out[top]);
    const Real pivot = a[m][m];
    for (std::size_t j = 0; j < d; ++j) {
      a[m][j] /= pivot;
      out[m][j] /= pivot;
    }
    for (std::size_t i = 0; i < d; ++i) {
      if (i == m) continue;
      const Real factor = a[i][m];
      for (std::size_t j = 0; j < d; ++j) {
        a[i][j] -= factor * a[m][j];
        out[i][j] -= factor * out[m][j];
      }
    }
  }
  return out;
}

/// W W' + noise I.
inline Matrix covariance(const Factors& theta) {
  Matrix out = product(theta.loadings, transpose(theta.loadings));
  for (std::size_t j = 0; j < theta.d(); ++j) out[j][j] += theta.noise;
  return out;
}

inline Real log_density(const Factors& theta, const std::vector<double>& y) {
  return log_normal(theta.mean, covariance(theta), y);
}

inline Real log_likelihood(const Factors& theta, const Data& data) {
  Real sum = 0;
  for (std::size_t t = 0; t < data.rows.size(); ++t)
    sum += data.weight(t) * log_density(theta, data.rows[t]);
  return sum;
}

/// r × d: E[Z | Y = y] = W' Sigma^-1 (y - mean).
inline Matrix regression_on_rows(const Factors& theta) {
  return product(transpose(theta.loadings), inverse(covariance(theta)));
}

inline Vector scores(const Matrix& regression, const Factors& theta, const std::vector<double>& y) {
  Vector z(theta.r());
  for (std::size_t k = 0; k < theta.r(); ++k)
    for (std::size_t j = 0; j < theta.d(); ++j) z[k] += regression[k][j] * (y[j] - theta.mean[j]);
  return z;
}

struct Step {
  bool expanded = true;
  bool hold_mean = false;
};

/// One EM iteration: normal equations of y on (1, z), or on z around a held mean. Expanded, the factors may have any mean a and
/// covariance P = L L'; then they are replaced by L^-1 (z - a), which changes W into W L and the mean into mean + W a.
inline Factors batch_iteration(const Factors& theta, const Data& data, Step how) {
  const std::size_t d = theta.d();
  const std::size_t r = theta.r();
  const std::size_t one = how.hold_mean ? 0 : 1;  // the constant comes first
  const Matrix regression = regression_on_rows(theta);
  const Matrix explained = product(regression, theta.loadings);
  Matrix zz(r + one, Vector(r + one));
  Matrix yz(d, Vector(r + one));
  Vector yy(d);
  Real total = 0;
  for (std::size_t t = 0; t < data.rows.size(); ++t) {
    const Real w = data.weight(t);
    Vector z = scores(regression, theta, data.rows[t]);
    if (one) z.insert(z.begin(), 1);
    total += w;
    for (std::size_t k = 0; k < z.size(); ++k)
      for (std::size_t l = 0; l < z.size(); ++l) zz[k][l] += w * z[k] * z[l];
    for (std::size_t k = 0; k < r; ++k)
      for (std::size_t l = 0; l < r; ++l)
        zz[k + one][l + one] += w * ((k == l ? 1 : 0) - explained[k][l]);
    for (std::size_t j = 0; j < d; ++j) {
      const Real y = data.rows[t][j] - (how.hold_mean ? theta.mean[j] : 0);
      yy[j] += w * y * y;
      for (std::size_t k = 0; k < z.size(); ++k) yz[j][k] += w * y * z[k];
    }
  }
  const Matrix solved = product(yz, inverse(zz));  // d × (1 + r)
  Factors next = theta;
  next.noise = 0;
  for (std::size_t j = 0; j < d; ++j) {
    next.noise += yy[j];
    for (std::size_t k = 0; k < r + one; ++k) next.noise -= solved[j][k] * yz[j][k];
    for (std::size_t k = 0; k < r; ++k) next.loadings[j][k] = solved[j][k + one];
    if (one) next.mean[j] = solved[j][0];
  }
  next.noise /= total * Real(d);
  if (!how.expanded) return next;
  Matrix P(r, Vector(r));
  Matrix L(r, Vector(r));
  for (std::size_t k = 0; k < r; ++k)
    for (std::size_t l = 0; l < r; ++l)
      P[k][l] =
          zz[k + one][l + one] / total - (one ? zz[k + 1][0] * zz[l + 1][0] / total / total : 0);
  for (std::size_t i = 0; i < r; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      Real sum = P[i][j];
      for (std::size_t m = 0; m < j; ++m) sum -= L[i][m] * L[j][m];
      L[i][j] = i == j ? std::sqrt(sum) : sum / L[j][j];
    }
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t k = 0; k < r && one; ++k)
      next.mean[j] += next.loadings[j][k] * zz[k + 1][0] / total;
  next.loadings = product(next.loadings, L);
  return next;
}

/// Mean and covariance of the rows, divisor n.
inline Vector row_mean(const Data& data) {
  Vector mean(data.rows[0].size());
  Real total = 0;
  for (std::size_t t = 0; t < data.rows.size(); ++t) {
    total += data.weight(t);
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += data.weight(t) * data.rows[t][j];
  }
  for (Real& m : mean) m /= total;
  return mean;
}

inline Matrix row_covariance(const Data& data, const Vector& mean) {
  Matrix out(mean.size(), Vector(mean.size()));
  Real total = 0;
  for (std::size_t t = 0; t < data.rows.size(); ++t) {
    total += data.weight(t);
    for (std::size_t i = 0; i < mean.size(); ++i)
      for (std::size_t j = 0; j < mean.size(); ++j)
        out[i][j] += data.weight(t) * (data.rows[t][i] - mean[i]) * (data.rows[t][j] - mean[j]);
  }
  for (Vector& row : out)
    for (Real& value : row) value /= total;
  return out;
}

/// Eigenvalues, largest first, and the vectors in the columns, by Jacobi's rotations.
inline std::pair<Vector, Matrix> eigen(Matrix a) {
  const std::size_t d = a.size();
  Matrix v(d, Vector(d));
  for (std::size_t i = 0; i < d; ++i) v[i][i] = 1;
  for (int sweep = 0; sweep < 60; ++sweep)
    for (std::size_t p = 0; p < d; ++p)
      for (std::size_t q = p + 1; q < d; ++q) {
        if (a[p][q] == 0) continue;
        const Real angle = std::atan2(2 * a[p][q], a[q][q] - a[p][p]) / 2;
        const Real c = std::cos(angle);
        const Real s = std::sin(angle);
        for (std::size_t m = 0; m < d; ++m) {
          const Real x = a[m][p];
          a[m][p] = c * x - s * a[m][q];
          a[m][q] = s * x + c * a[m][q];
        }
        for (std::size_t m = 0; m < d; ++m) {
          const Real x = a[p][m];
          a[p][m] = c * x - s * a[q][m];
          a[q][m] = s * x + c * a[q][m];
          const Real y = v[m][p];
          v[m][p] = c * y - s * v[m][q];
          v[m][q] = s * y + c * v[m][q];
        }
      }
  std::vector<std::size_t> order(d);
  for (std::size_t i = 0; i < d; ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return a[i][i] > a[j][j]; });
  Vector values(d);
  Matrix vectors(d, Vector(d));
  for (std::size_t k = 0; k < d; ++k) {
    values[k] = a[order[k]][order[k]];
    for (std::size_t i = 0; i < d; ++i) vectors[i][k] = v[i][order[k]];
  }
  return {values, vectors};
}

/// The maximum of the likelihood: noise the mean of the small eigenvalues, W = U (l - noise)^½, largest entries positive.
inline Factors maximum(const Data& data, std::size_t r) {
  Factors theta{.mean = row_mean(data), .loadings = {}, .noise = 0};
  const auto [values, vectors] = eigen(row_covariance(data, theta.mean));
  const std::size_t d = values.size();
  for (std::size_t k = r; k < d; ++k) theta.noise += values[k] / Real(d - r);
  theta.loadings.assign(d, Vector(r));
  for (std::size_t k = 0; k < r; ++k) {
    std::size_t top = 0;
    for (std::size_t j = 0; j < d; ++j)
      if (std::abs(vectors[j][k]) > std::abs(vectors[top][k])) top = j;
    for (std::size_t j = 0; j < d; ++j)
      theta.loadings[j][k] =
          (vectors[top][k] < 0 ? -1 : 1) * std::sqrt(values[k] - theta.noise) * vectors[j][k];
  }
  return theta;
}

}  // namespace textbook
