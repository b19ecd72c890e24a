// The M-step of covariance matrices, natural parameters, and the repair of matrices that are too thin.
#include <thalweg/families/gaussian.hpp>
#include <thalweg/kernels/special.hpp>

#include <vector>

namespace thalweg {
namespace {

using kernels::packed_at;
using kernels::triangle;

/// Under the constraint that no variance in any direction is below the floor, the likelihood is highest where eigenvalues below
/// it are lifted to it: the M-step stays an M-step. `covariance` is a triangle in the gauge.
void widen(std::vector<double>& covariance, std::size_t d, double size, std::size_t component,
           const Context& context) {
  const double lowest = std::max(context.floor, Gaussian::rounding * size);
  std::vector<double> shifted = covariance;
  for (std::size_t i = 0; i < d; ++i) shifted[packed_at(i, i)] -= lowest * (1 - 1e-9);
  if (kernels::cholesky(shifted.data(), d)) return;

  std::vector<double> values(d);
  std::vector<double> vectors(d * d);
  context.count(Event::covariance_repaired, {.component = component});
  if (!kernels::symmetric_eigen(covariance.data(), d, values.data(), vectors.data())) {
    std::fill(covariance.begin(), covariance.end(), 0.0);  // keeps the variances alone
    for (std::size_t i = 0; i < d; ++i) covariance[packed_at(i, i)] = std::max(size, lowest);
    return;
  }
  const double safe = std::max(lowest, Gaussian::rounding * values.back());
  for (std::size_t m = 0; m < d && values[m] < safe; ++m) {
    const double gain = safe - values[m];
    double top = 0;
    for (std::size_t i = 0; i < d; ++i) top = std::max(top, std::abs(vectors[i * d + m]));
    for (std::size_t i = 0; i < d; ++i) {
      const double at = vectors[i * d + m];
      if (context.events && std::abs(at) > 0.3 * top)
        context.events->mark(Event::covariance_repaired, {.column = i});
      for (std::size_t j = 0; j <= i; ++j)
        covariance[packed_at(i, j)] += gain * at * vectors[j * d + m];
    }
  }
}

/// Sum over what was given of S0 E (z - m)(z - m)'. S is a column of the statistic, m the mean in use.
void add_scatter(const double* S, Extent e, const double* mean, std::vector<double>& scatter) {
  const double* second = S + (1 + e.d) * e.K;
  std::size_t at = 0;
  for (std::size_t i = 0; i < e.d; ++i) {
    const double first_i = S[(1 + i) * e.K];
    for (std::size_t j = 0; j <= i; ++j, ++at) {
      const double first_j = S[(1 + j) * e.K];
      scatter[at] +=
          second[at * e.K] - mean[i] * first_j - mean[j] * first_i + S[0] * mean[i] * mean[j];
    }
  }
}

double largest_second_moment(const double* S, Extent e, double weight) {
  double largest = 1;
  for (std::size_t i = 0; i < e.d; ++i)
    largest = std::max(largest, S[(1 + e.d + packed_at(i, i)) * e.K] / weight);
  return largest;
}

void write_matrix(const std::vector<double>& covariance, std::size_t d, const double* unit,
                  double* matrix) {
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      matrix[i * d + j] = matrix[j * d + i] = covariance[packed_at(i, j)] * unit[i] * unit[j];
}

}  // namespace

void Gaussian::natural_products(const double* theta, Extent e, std::size_t k, double* psi,
                                std::size_t stride) const {
  const double* at = shift(theta, e);
  const double* unit = scale(theta, e);
  std::vector<double> factor(triangle(e.d));
  gauge_covariance(theta, e, k, factor.data());
  kernels::cholesky(factor.data(), e.d);
  psi[0] = -0.5 * kernels::log_two_pi * static_cast<double>(e.d) -
           kernels::half_log_determinant(factor.data(), e.d);
  for (std::size_t j = 0; j < e.d; ++j) psi[0] -= std::log(unit[j]);
  kernels::invert_factor(factor.data(), e.d, factor.data());
  std::vector<double> precision(triangle(e.d));
  kernels::precision_of(factor.data(), e.d, precision.data());
  std::vector<double> first(e.d);  // P m
  double* second = psi + (1 + e.d) * stride;
  for (std::size_t i = 0; i < e.d; ++i) {
    const double m_i = (theta[k * e.d + i] - at[i]) / unit[i];
    for (std::size_t j = 0; j <= i; ++j, second += stride) {
      const double p = precision[packed_at(i, j)];
      const double m_j = (theta[k * e.d + j] - at[j]) / unit[j];
      first[i] += p * m_j;
      if (j < i) first[j] += p * m_i;
      *second = i == j ? -0.5 * p : -p;
      psi[0] -= (i == j ? 0.5 : 1.0) * p * m_i * m_j;
    }
  }
  for (std::size_t j = 0; j < e.d; ++j) psi[(1 + j) * stride] = first[j];
}

void Gaussian::maximise_matrix(const double* S, Extent e, std::size_t k, const Context& context,
                               double* theta) const {
  const double* at = shift(theta, e);
  const double* unit = scale(theta, e);
  const double inverse = 1.0 / S[0];
  const bool hold_mean = context.holds("means", k);
  std::vector<double> mean(e.d);
  double spread = 0;  // spherical: E |z - m|²
  for (std::size_t j = 0; j < e.d; ++j) {
    const double own = S[(1 + j) * e.K] * inverse;
    mean[j] = hold_mean ? (theta[k * e.d + j] - at[j]) / unit[j] : own;
    if (!hold_mean) theta[k * e.d + j] = at[j] + unit[j] * own;
    spread -= mean[j] * (2 * own - mean[j]);
  }
  if (covariance == Covariance::tied || context.holds("covariances", k)) return;
  if (covariance == Covariance::spherical) {
    const double second = S[(1 + e.d) * e.K] * inverse;
    double v = (second + spread) / static_cast<double>(e.d);
    if (context.ridge > 0) v += context.ridge / (unit[0] * unit[0]);
    const double lowest = std::max(context.floor, rounding * std::max(1.0, second));
    if (!(v >= lowest)) {
      v = lowest;
      context.count(Event::floor_reached, {.component = k});
    }
    theta[e.K * e.d + k] = unit[0] * unit[0] * v;
    return;
  }
  std::vector<double> scatter(triangle(e.d));
  add_scatter(S, e, mean.data(), scatter);
  for (double& value : scatter) value *= inverse;
  for (std::size_t j = 0; j < e.d; ++j)
    scatter[packed_at(j, j)] += context.ridge / unit[j] / unit[j];
  widen(scatter, e.d, largest_second_moment(S, e, S[0]), k, context);
  write_matrix(scatter, e.d, unit, theta + e.K * e.d + k * e.d * e.d);
}

void Gaussian::maximise_shared(const double* S, Extent e, const Context& context,
                               double* theta) const {
  if (covariance != Covariance::tied || context.holds("covariances", 0)) return;
  const double* at = shift(theta, e);
  const double* unit = scale(theta, e);
  std::vector<double> scatter(triangle(e.d));
  std::vector<double> mean(e.d);
  double total = 0;
  double size = 1;
  for (std::size_t k = 0; k < e.K; ++k) {
    total += S[k];
    if (!(S[k] > 0)) continue;
    const bool hold_mean = context.holds("means", k);
    for (std::size_t j = 0; j < e.d; ++j)  // own mean in full precision, not through theta
      mean[j] = hold_mean ? (theta[k * e.d + j] - at[j]) / unit[j] : S[(1 + j) * e.K + k] / S[k];
    add_scatter(S + k, e, mean.data(), scatter);
    size = std::max(size, largest_second_moment(S + k, e, S[k]));
  }
  for (double& value : scatter) value /= total;
  for (std::size_t j = 0; j < e.d; ++j)
    scatter[packed_at(j, j)] += context.ridge / unit[j] / unit[j];
  widen(scatter, e.d, size, Place::unknown, context);
  write_matrix(scatter, e.d, unit, theta + e.K * e.d);
}

}  // namespace thalweg
