// Moments of Gaussian components, the derivative of their M-step there, and which statistics have an M-step at all.
#include <thalweg/families/gaussian.hpp>

#include <vector>

namespace thalweg {
namespace {

using kernels::packed_at;
using kernels::triangle;

/// scatter gains S_2 - m S_1' - S_1 m' + m m' S_0, one triangle; S is a column of a statistic, or of a change of one.
void add_centred(const double* S, Extent e, const std::vector<double>& m,
                 std::vector<double>& scatter) {
  const double* second = S + (1 + e.d) * e.K;
  for (std::size_t i = 0, at = 0; i < e.d; ++i)
    for (std::size_t j = 0; j <= i; ++j, ++at)
      scatter[at] +=
          second[at * e.K] - m[i] * S[(1 + j) * e.K] - m[j] * S[(1 + i) * e.K] + m[i] * m[j] * S[0];
}

/// Positive semidefinite up to rounding: what is a little thinner than nothing is lifted by the floor.
bool not_negative(std::vector<double>& scatter, std::size_t d, double size) {
  constexpr double slack = 1e-12;
  for (std::size_t i = 0; i < d; ++i) scatter[packed_at(i, i)] += slack * size;
  return kernels::cholesky(scatter.data(), d);
}

}  // namespace

bool Gaussian::valid(const double* /*theta*/, const double* S, Extent e, double empty) const {
  std::vector<double> m(e.d);
  std::vector<double> scatter(triangle(e.d));
  double size = 1;
  for (std::size_t k = 0; k < e.K; ++k) {
    const double w = S[k];
    if (!(w > empty)) continue;
    const double* second = S + (1 + e.d) * e.K + k;
    double spread = 0;  // spherical: E |z|² - |m|²
    double largest = 1;
    for (std::size_t j = 0; j < e.d; ++j) {
      m[j] = S[(1 + j) * e.K + k] / w;
      spread -= m[j] * m[j];
      if (covariance == Covariance::diag) {
        const double moment = second[j * e.K] / w;
        if (!(moment - m[j] * m[j] >= -1e-12 * std::max(1.0, moment))) return false;
      } else if (has_products()) {
        largest = std::max(largest, second[packed_at(j, j) * e.K] / w);
      }
    }
    if (covariance == Covariance::diag) continue;
    if (covariance == Covariance::spherical) {
      const double moment = second[0] / w;
      if (!(moment + spread >= -1e-12 * std::max(1.0, moment))) return false;
      continue;
    }
    add_centred(S + k, e, m, scatter);
    size = std::max(size, largest);
    if (covariance == Covariance::tied) continue;
    for (double& value : scatter) value /= w;
    if (!not_negative(scatter, e.d, largest)) return false;
    std::fill(scatter.begin(), scatter.end(), 0.0);
  }
  return covariance != Covariance::tied || not_negative(scatter, e.d, size);
}

void Gaussian::moments(const double* theta, Extent e, std::size_t k, double* s,
                       std::size_t stride) const {
  const double* at = shift(theta, e);
  const double* unit = scale(theta, e);
  double* second = s + e.d * stride;
  double trace = 0;
  for (std::size_t j = 0; j < e.d; ++j) {
    const double m = (theta[k * e.d + j] - at[j]) / unit[j];
    s[j * stride] = m;
    trace += variance(theta, e, k, j) / (unit[j] * unit[j]) + m * m;
    if (covariance == Covariance::diag)
      second[j * stride] = variance(theta, e, k, j) / (unit[j] * unit[j]) + m * m;
  }
  if (covariance == Covariance::spherical) *second = trace;
  if (!has_products()) return;
  std::vector<double> packed(triangle(e.d));
  gauge_covariance(theta, e, k, packed.data());
  for (std::size_t i = 0, n = 0; i < e.d; ++i)
    for (std::size_t j = 0; j <= i; ++j, ++n)
      second[n * stride] = packed[n] + s[i * stride] * s[j * stride];
}

void Gaussian::tangent(const double* theta, Extent e, std::size_t k, double weight,
                       const double* dS, const Context& context, double* dtheta) const {
  const double* at = shift(theta, e);
  const double* unit = scale(theta, e);
  const bool hold_mean = context.holds("means", k);
  std::vector<double> m(e.d);
  double spread = 0;  // spherical: the trace of C, without dS_2
  for (std::size_t j = 0; j < e.d; ++j) {
    m[j] = (theta[k * e.d + j] - at[j]) / unit[j];
    const double dS_1 = dS[(1 + j) * e.K];
    if (!hold_mean) dtheta[k * e.d + j] = unit[j] * (dS_1 - m[j] * dS[0]) / weight;
    spread += m[j] * (m[j] * dS[0] - 2 * dS_1);
  }
  if (covariance == Covariance::tied || context.holds("covariances", k)) return;
  double* d_covariance = dtheta + e.K * e.d;
  const double* second = dS + (1 + e.d) * e.K;
  if (covariance == Covariance::spherical) {
    const double v = variance(theta, e, k, 0);
    const double mean_square = (second[0] + spread) / static_cast<double>(e.d);
    d_covariance[k] = (unit[0] * unit[0] * mean_square - v * dS[0]) / weight;
    return;
  }
  if (covariance == Covariance::diag) {
    for (std::size_t j = 0; j < e.d; ++j) {
      const double c = second[j * e.K] + m[j] * (m[j] * dS[0] - 2 * dS[(1 + j) * e.K]);
      d_covariance[k * e.d + j] =
          (unit[j] * unit[j] * c - variance(theta, e, k, j) * dS[0]) / weight;
    }
    return;
  }
  std::vector<double> centred(triangle(e.d));
  add_centred(dS, e, m, centred);
  const double* matrix = theta + e.K * e.d + k * e.d * e.d;
  d_covariance += k * e.d * e.d;
  for (std::size_t i = 0; i < e.d; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      d_covariance[i * e.d + j] = d_covariance[j * e.d + i] =
          (unit[i] * unit[j] * centred[packed_at(i, j)] - matrix[i * e.d + j] * dS[0]) / weight;
}

void Gaussian::tangent_shared(const double* theta, Extent e, const double* dS,
                              const Context& context, double* dtheta) const {
  if (covariance != Covariance::tied || context.holds("covariances", 0)) return;
  const double* at = shift(theta, e);
  const double* unit = scale(theta, e);
  std::vector<double> m(e.d);
  std::vector<double> centred(triangle(e.d));
  double total = 0;
  for (std::size_t k = 0; k < e.K; ++k) {
    for (std::size_t j = 0; j < e.d; ++j) m[j] = (theta[k * e.d + j] - at[j]) / unit[j];
    add_centred(dS + k, e, m, centred);
    total += dS[k];
  }
  const double* matrix = theta + e.K * e.d;
  double* d_matrix = dtheta + e.K * e.d;
  for (std::size_t i = 0; i < e.d; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      d_matrix[i * e.d + j] = d_matrix[j * e.d + i] =
          unit[i] * unit[j] * centred[packed_at(i, j)] - matrix[i * e.d + j] * total;
}

}  // namespace thalweg
