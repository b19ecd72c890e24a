// Gaussians as a family: pieces, gauge, features and natural parameters.
#include "core/robust.hpp"
#include <thalweg/families/gaussian.hpp>

#include <algorithm>
#include <random>

namespace thalweg {
namespace {

// Squares of a gauge's unit must neither vanish nor overflow.
constexpr double smallest_scale = 1e-140;
constexpr double largest_scale = 1e140;

}  // namespace

std::vector<Piece> Gaussian::parameters(Extent e) const {
  Piece covariances{.name = "covariances",
                    .shape = {},
                    .meaning = Meaning::spread,
                    .domain = has_products() ? Domain::covariance : Domain::positive};
  const auto extend = [&](Axis axis, std::size_t extent) {
    covariances.shape.push_back(extent);
    covariances.axes.push_back(axis);
  };
  if (covariance != Covariance::tied) extend(Axis::component, e.K);
  if (covariance != Covariance::spherical) extend(Axis::column, e.d);
  if (has_products()) extend(Axis::column, e.d);
  return {{.name = "means",
           .shape = {e.K, e.d},
           .axes = {Axis::component, Axis::column},
           .meaning = Meaning::location},
          std::move(covariances),
          {.name = "shift", .shape = {e.d}, .axes = {Axis::column}, .constant = true},
          {.name = "scale",
           .shape = {e.d},
           .axes = {Axis::column},
           .meaning = Meaning::scale,
           .domain = Domain::positive,
           .constant = true}};
}

void Gaussian::calibrate(const Block& buffer, Extent e, const double* weights,
                         double* theta) const {
  double* at = theta + e.K * e.d + covariance_size(e);
  double* unit = at + e.d;
  for (std::size_t j = 0; j < e.d; ++j) {
    ColumnGauge gauge{0.0, 1.0};
    if (buffer.rows > 0) {
      std::vector<double> column(buffer.rows);
      for (std::size_t t = 0; t < buffer.rows; ++t) column[t] = buffer.row(t)[j];
      gauge = robust_gauge(std::move(column));
    } else if (weights) {  // mean and standard deviation of the mixture itself
      double mean = 0;
      for (std::size_t k = 0; k < e.K; ++k) mean += weights[k] * theta[k * e.d + j];
      double squared = 0;
      for (std::size_t k = 0; k < e.K; ++k) {
        const double delta = theta[k * e.d + j] - mean;
        squared += weights[k] * (variance(theta, e, k, j) + delta * delta);
      }
      gauge = {mean, std::sqrt(squared)};
    }
    at[j] = gauge.shift;
    unit[j] = std::clamp(gauge.scale, smallest_scale, largest_scale);
  }
  if (covariance == Covariance::spherical) {  // one unit for all columns keeps spheres round
    const double largest = *std::max_element(unit, unit + e.d);
    double squares = 0;
    for (std::size_t j = 0; j < e.d; ++j) squares += (unit[j] / largest) * (unit[j] / largest);
    std::fill(unit, unit + e.d, largest * std::sqrt(squares / static_cast<double>(e.d)));
  }
}

void Gaussian::gauge_covariance(const double* theta, Extent e, std::size_t k,
                                double* packed) const {
  const double* matrix =
      theta + e.K * e.d + (covariance == Covariance::full ? k * e.d * e.d : std::size_t{0});
  const double* unit = scale(theta, e);
  for (std::size_t i = 0; i < e.d; ++i)
    for (std::size_t j = 0; j <= i; ++j) *packed++ = matrix[i * e.d + j] / unit[i] / unit[j];
}

void Gaussian::draw(const double* theta, Extent e, std::size_t k, Random& random, double* y) const {
  std::normal_distribution<double> normal;
  if (!has_products()) {
    for (std::size_t j = 0; j < e.d; ++j)
      y[j] = theta[k * e.d + j] + std::sqrt(variance(theta, e, k, j)) * normal(random);
    return;
  }
  std::vector<double> factor(kernels::triangle(e.d));
  std::vector<double> x(e.d);
  gauge_covariance(theta, e, k, factor.data());
  kernels::cholesky(factor.data(), e.d);
  for (double& value : x) value = normal(random);
  const double* unit = scale(theta, e);
  for (std::size_t i = 0; i < e.d; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j <= i; ++j) sum += factor[kernels::packed_at(i, j)] * x[j];
    y[i] = theta[k * e.d + i] + unit[i] * sum;
  }
}

void Gaussian::prior_features(const Block& /*buffer*/, const double* /*theta*/, Extent e,
                              double* s) const {
  // K components of equal volume fill the data's: each axis is shorter by K^(-1/d) (Fraley & Raftery 2007).
  const double v = std::pow(static_cast<double>(e.K), -2.0 / static_cast<double>(e.d));
  s[0] = 1;
  double* second = s + 1 + e.d;
  for (std::size_t j = 0; j < e.d; ++j) {
    if (has_products()) {
      second[kernels::packed_at(j, j)] = v;
    } else if (covariance == Covariance::diag) {
      second[j] = v;
    } else {
      second[0] += v;
    }
  }
}

/// z' = a z + b, so E z'_i z'_j = a_i a_j E z_i z_j + a_i b_j E z_i + a_j b_i E z_j + b_i b_j.
void Gaussian::regauge(const double* from, const double* to, Extent e, double* S) const {
  std::vector<double> a(e.d);
  std::vector<double> b(e.d);
  for (std::size_t j = 0; j < e.d; ++j) {
    a[j] = scale(from, e)[j] / scale(to, e)[j];
    b[j] = (shift(from, e)[j] - shift(to, e)[j]) / scale(to, e)[j];
  }
  for (std::size_t k = 0; k < e.K; ++k) {
    const double w = S[k];
    const auto first = [&](std::size_t j) -> double& { return S[(1 + j) * e.K + k]; };
    double* second = S + (1 + e.d) * e.K + k;
    const auto moved = [&](double value, std::size_t i, std::size_t j) {
      return a[i] * a[j] * value + a[i] * b[j] * first(i) + a[j] * b[i] * first(j) +
             b[i] * b[j] * w;
    };
    if (has_products()) {
      for (std::size_t i = 0; i < e.d; ++i)
        for (std::size_t j = 0; j <= i; ++j, second += e.K) *second = moved(*second, i, j);
    } else if (covariance == Covariance::diag) {
      for (std::size_t j = 0; j < e.d; ++j, second += e.K) *second = moved(*second, j, j);
    } else {
      double trace = a[0] * a[0] * *second;
      for (std::size_t j = 0; j < e.d; ++j) trace += moved(0, j, j);
      *second = trace;
    }
    for (std::size_t j = 0; j < e.d; ++j) first(j) = a[j] * first(j) + b[j] * w;
  }
}

}  // namespace thalweg
