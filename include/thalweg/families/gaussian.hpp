// Gaussian components with a diagonal covariance: independent normal columns.
//
// Raw second moments cancel when the mean is large beside the spread, so statistics live in a gauge z = (y - shift) / scale that
// is fixed from the first rows (median and a robust scale) and kept among the constants of theta.
#pragma once

#include <thalweg/core/family.hpp>
#include <thalweg/export.hpp>

#include <cmath>

namespace thalweg {

enum class Covariance { full, diag };

struct THALWEG_API Gaussian {
  static constexpr std::string_view name = "gaussian";
  static constexpr std::string_view domain = "numbers up to 1e100 in size";
  static constexpr double rounding =
      1e-14;  // relative variance below which S2 - S1² is rounding noise

  Covariance covariance = Covariance::diag;  // full is the same thing in one column, and only there

  /// Squares must be finite in any gauge: one cell of 1e200 would make every sum infinite.
  bool contains(double y) const { return std::abs(y) <= 1e100; }
  std::vector<std::pair<std::string, std::size_t>> statistics(Extent e) const {
    return {{"sums", e.d}, {"squares", e.d}};  // E[1{X=k} z_j], E[1{X=k} z_j²]
  }
  std::size_t width(Extent e) const { return 1 + 2 * e.d; }
  std::vector<Piece> parameters(Extent e) const;  // means, covariances; constants: shift, scale
  std::size_t free_parameters(Extent e) const { return 2 * e.K * e.d; }
  std::size_t columns(std::size_t K, std::size_t size) const { return size / (2 * K + 2); }
  void calibrate(const Block& buffer, Extent e, const double* weights, double* theta) const;

  void features(const double* theta, Extent e, const double* y, double* out,
                std::size_t stride) const {
    const double* shift = theta + 2 * e.K * e.d;
    const double* scale = shift + e.d;
    for (std::size_t j = 0; j < e.d; ++j) {
      const double z = (y[j] - shift[j]) / scale[j];
      out[j * stride] = z;
      out[(e.d + j) * stride] = z * z;
    }
  }

  /// In the gauge: -A = -½ sum_j (log 2 pi var_j + m_j²/v_j), then m/v and -1/(2v).
  void natural(const double* theta, Extent e, std::size_t k, double* psi,
               std::size_t stride) const {
    constexpr double log_two_pi = 1.8378770664093454836;
    const double* means = theta + k * e.d;
    const double* variances = theta + (e.K + k) * e.d;
    const double* shift = theta + 2 * e.K * e.d;
    const double* scale = shift + e.d;
    psi[0] = 0;
    for (std::size_t j = 0; j < e.d; ++j) {
      const double m = (means[j] - shift[j]) / scale[j];
      const double v = variances[j] / (scale[j] * scale[j]);
      psi[0] -= 0.5 * (log_two_pi + std::log(variances[j]) + m * m / v);
      psi[(1 + j) * stride] = m / v;
      psi[(1 + e.d + j) * stride] = -0.5 / v;
    }
  }

  double log_base(const double*, std::size_t) const { return 0; }

  void maximise(const double* S, Extent e, std::size_t k, const Context& context,
                double* theta) const {
    const double* shift = theta + 2 * e.K * e.d;
    const double* scale = shift + e.d;
    const double lowest = std::max(context.floor, rounding);
    const double inverse = 1.0 / S[0];
    for (std::size_t j = 0; j < e.d; ++j) {
      const double m = S[(1 + j) * e.K] * inverse;
      double v = S[(1 + e.d + j) * e.K] * inverse - m * m;
      if (!(v >= lowest)) {
        v = lowest;
        context.count(Event::floor_reached);
      }
      theta[k * e.d + j] = shift[j] + scale[j] * m;
      theta[(e.K + k) * e.d + j] = scale[j] * scale[j] * v;
    }
  }

  void draw(const double* theta, Extent e, std::size_t k, Random& random, double* y) const;
  double coordinate(double y) const { return y; }

  /// Means in units of the data's scale, variances in units of its square.
  double change(const double* before, const double* after, Extent e) const;
};

}  // namespace thalweg
