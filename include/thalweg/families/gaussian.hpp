// Gaussian components: full, tied, diagonal or spherical covariance.
//
// Raw second moments cancel when the mean is large beside the spread, so statistics live in a gauge z = (y - shift) / scale that
// is fixed from the first rows (median and a robust scale) and kept among the constants of theta. Floors are relative to it.
#pragma once

#include <thalweg/core/family.hpp>
#include <thalweg/export.hpp>
#include <thalweg/families/gaussian_form.hpp>
#include <thalweg/kernels/cholesky.hpp>
#include <thalweg/kernels/features.hpp>
#include <thalweg/kernels/special.hpp>

#include <algorithm>
#include <cmath>

namespace thalweg {

enum class Covariance { full, tied, diag, spherical };

/// theta: means (K × d), covariances (full K × d × d, tied d × d, diag K × d, spherical K); constants shift, scale (d).
/// S: E[1{X=k} z] and second moments: one triangle of E[1{X=k} z z'] (full, tied), its diagonal (diag), its trace (spherical).
struct THALWEG_API Gaussian : FamilyDefaults<Gaussian> {
  static constexpr std::string_view name = "gaussian";
  static constexpr std::string_view domain = "numbers up to 1e150 in size";
  static constexpr double farthest = kernels::largest_standardised;
  static constexpr double rounding = 1e-14;  // S2 - S1² is noise below this part of S2

  using Form = GaussianForm;

  Gaussian() = default;
  explicit Gaussian(Covariance kind) : covariance(kind) {}

  Covariance covariance = Covariance::diag;

  bool contains(double y, std::size_t /*j*/) const { return std::abs(y) <= farthest; }

  bool has_products() const {
    return covariance == Covariance::full || covariance == Covariance::tied;
  }
  std::size_t second_moments(std::size_t d) const {
    return has_products() ? kernels::triangle(d) : covariance == Covariance::diag ? d : 1;
  }
  std::size_t covariance_size(Extent e) const {
    switch (covariance) {
      case Covariance::full:
        return e.K * e.d * e.d;
      case Covariance::tied:
        return e.d * e.d;
      case Covariance::diag:
        return e.K * e.d;
      default:
        return e.K;
    }
  }
  const double* shift(const double* theta, Extent e) const {
    return theta + e.K * e.d + covariance_size(e);
  }
  const double* scale(const double* theta, Extent e) const { return shift(theta, e) + e.d; }
  double variance(const double* theta, Extent e, std::size_t k, std::size_t j) const {
    const double* all = theta + e.K * e.d;
    switch (covariance) {
      case Covariance::full:
        return all[(k * e.d + j) * e.d + j];
      case Covariance::tied:
        return all[j * e.d + j];
      case Covariance::diag:
        return all[k * e.d + j];
      default:
        return all[k];
    }
  }

  std::vector<std::pair<std::string, std::size_t>> statistics(Extent e) const {
    return {{"sums", e.d}, {"squares", second_moments(e.d)}};
  }
  std::size_t width(Extent e) const { return 1 + e.d + second_moments(e.d); }
  std::vector<Piece> parameters(Extent e) const;
  void calibrate(const Block& buffer, Extent e, const double* weights, double* theta) const;

  static double in_gauge(double y, double at, double unit) {
    return std::clamp((y - at) / unit, -farthest, farthest);
  }

  void features(const double* theta, Extent e, const double* y, double* out,
                std::size_t stride) const {
    const double* at = shift(theta, e);
    const double* unit = scale(theta, e);
    double* second = out + e.d * stride;
    double trace = 0;
    for (std::size_t j = 0; j < e.d; ++j) {
      const double z = in_gauge(y[j], at[j], unit[j]);
      out[j * stride] = z;
      if (has_products()) {
        for (std::size_t i = 0; i <= j; ++i, second += stride) *second = z * out[i * stride];
      } else if (covariance == Covariance::diag) {
        second[j * stride] = z * z;
      }
      trace += z * z;
    }
    if (covariance == Covariance::spherical) *second = trace;
  }

  /// -A = -½ (log det 2 pi Sigma + m' P m), then P m, and of -½ P what meets the second moments.
  void natural(const double* theta, Extent e, std::size_t k, double* psi,
               std::size_t stride) const {
    if (has_products() && e.d > 1) return natural_products(theta, e, k, psi, stride);
    const double* at = shift(theta, e);
    const double* unit = scale(theta, e);
    psi[0] = 0;
    for (std::size_t j = 0; j < e.d; ++j) {
      const double squared = variance(theta, e, k, j);
      const double m = (theta[k * e.d + j] - at[j]) / unit[j];
      const double v = squared / (unit[j] * unit[j]);
      psi[0] -= 0.5 * (kernels::log_two_pi + std::log(squared) + m * m / v);
      psi[(1 + j) * stride] = m / v;
      if (covariance == Covariance::diag) psi[(1 + e.d + j) * stride] = -0.5 / v;
    }
    if (covariance != Covariance::diag)
      psi[(1 + e.d) * stride] = -0.5 * unit[0] * unit[0] / variance(theta, e, k, 0);
  }

  /// Component k alone: mean, and its own covariance where it has one.
  void maximise(const double* S, Extent e, std::size_t k, const Context& context,
                double* theta) const {
    if (covariance != Covariance::diag && !(covariance == Covariance::full && e.d == 1))
      return maximise_matrix(S, e, k, context, theta);
    const double* at = shift(theta, e);
    const double* unit = scale(theta, e);
    const double inverse = 1.0 / S[0];
    const bool hold_mean = context.holds("means", k);
    const bool hold_variance = context.holds("covariances", k);
    for (std::size_t j = 0; j < e.d; ++j) {
      const double mean = S[(1 + j) * e.K] * inverse;
      const double m = hold_mean ? (theta[k * e.d + j] - at[j]) / unit[j] : mean;
      if (!hold_mean) theta[k * e.d + j] = at[j] + unit[j] * m;
      if (hold_variance) continue;
      const double second = S[(1 + e.d + j) * e.K] * inverse;
      double v = second - m * (2 * mean - m);  // E (z - m)²
      if (context.ridge > 0) v += context.ridge / (unit[j] * unit[j]);
      const double lowest = std::max(context.floor, rounding * std::max(1.0, second));
      if (!(v >= lowest)) {
        v = lowest;
        context.count(Event::floor_reached, {.component = k, .column = j});
      }
      theta[(e.K + k) * e.d + j] = unit[j] * unit[j] * v;
    }
  }

  /// What all components share, after each had its turn: the tied covariance.
  void maximise_shared(const double* S, Extent e, const Context& context, double* theta) const;

  /// No variance below zero in any direction, up to rounding; zero itself is for the floor to repair.
  bool valid(const double* theta, const double* S, Extent e, double empty) const;

  /// m, and Sigma + m m', in the gauge.
  void moments(const double* theta, Extent e, std::size_t k, double* s, std::size_t stride) const;

  /// With z the gauge's coordinate, w the weight and C = dS_2 - m dS_1' - dS_1 m' + m m' dS_0 (of one row r (z - m)(z - m)'):
  /// dm = (dS_1 - m dS_0) / w and dSigma = (C - Sigma dS_0) / w.
  void tangent(const double* theta, Extent e, std::size_t k, double weight, const double* dS,
               const Context& context, double* dtheta) const;
  /// The tied covariance: the sum of all C, less Sigma times the sum of all dS_0.
  void tangent_shared(const double* theta, Extent e, const double* dS, const Context& context,
                      double* dtheta) const;

  void draw(const double* theta, Extent e, std::size_t k, Random& random, double* y) const;

  /// The median, and K components that share the data's volume.
  void prior_features(const Block& buffer, const double* theta, Extent e, double* s) const;

  /// A statistic taken with the constants of `from`, as if taken with those of `to`.
  void regauge(const double* from, const double* to, Extent e, double* S) const;

  /// The textbook recursion for one row in O(K d²): factors are carried and updated by rank one.
  bool has_row_step(Extent e, const Context& context) const {
    return covariance == Covariance::full && e.d > 1 && context.plain() && context.ridge == 0;
  }
  double absorb_row(const double* y, double weight, double rate, Extent e, const Context& context,
                    double* S, double* weights, double* theta, std::vector<double>& state) const;

  /// Covariance of component k in the gauge, one triangle (full and tied only).
  void gauge_covariance(const double* theta, Extent e, std::size_t k, double* packed) const;

 private:
  void natural_products(const double* theta, Extent e, std::size_t k, double* psi,
                        std::size_t stride) const;
  void maximise_matrix(const double* S, Extent e, std::size_t k, const Context& context,
                       double* theta) const;
};

}  // namespace thalweg
