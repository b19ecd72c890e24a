// Multivariate normal densities as a textbook writes them: dense matrices in long double, elimination instead of factors.
#pragma once

#include "textbook.hpp"

#include <algorithm>

namespace textbook {

/// log N(y; mean, sigma) = -½ (log det 2 pi sigma + u' sigma^-1 u) by Gaussian elimination of (sigma | u), u = y - mean.
inline Real log_normal(const Vector& mean, Matrix sigma, const std::vector<double>& y) {
  const std::size_t d = mean.size();
  const Real two_pi = 6.283185307179586476925286766559005768L;
  Vector u(d);
  for (std::size_t i = 0; i < d; ++i) u[i] = y[i] - mean[i];
  Real sum = 0;
  for (std::size_t m = 0; m < d; ++m) {
    const Real pivot = sigma[m][m];
    sum += std::log(two_pi * pivot) + u[m] * u[m] / pivot;
    for (std::size_t i = m + 1; i < d; ++i) {
      const Real factor = sigma[i][m] / pivot;
      u[i] -= factor * u[m];
      for (std::size_t j = m; j < d; ++j) sigma[i][j] -= factor * sigma[m][j];
    }
  }
  return -sum / 2;
}

/// A mixture of them; a tied, diagonal or spherical covariance is written out.
struct Normals {
  Vector weights;              // K
  Matrix means;                // K × d
  std::vector<Matrix> sigmas;  // K × d × d

  std::size_t K() const { return weights.size(); }
  std::size_t d() const { return means[0].size(); }
};

struct Seen {
  Real log_density = 0;
  Vector posterior;  // K
};

inline Seen explain(const Normals& theta, const std::vector<double>& y) {
  Seen seen;
  for (std::size_t k = 0; k < theta.K(); ++k)
    seen.posterior.push_back(std::log(theta.weights[k]) +
                             log_normal(theta.means[k], theta.sigmas[k], y));
  const Real top = *std::max_element(seen.posterior.begin(), seen.posterior.end());
  Real sum = 0;
  for (Real& r : seen.posterior) sum += r = std::exp(r - top);
  for (Real& r : seen.posterior) r /= sum;
  seen.log_density = top + std::log(sum);
  return seen;
}

}  // namespace textbook
