// Gamma components, independent columns given the component: y^(a-1) exp(-y/b) / (Gamma(a) b^a), for numbers above 0.
//
// The M-step has no closed form: the shape a solves log a - psi(a) = log E y - E log y. Where a is large that difference, about
// 1/(2a), is small beside both logarithms, so statistics live in a gauge z = y / centre that is fixed from the first rows, and data
// that are narrow (spread, relative to the centre, below 1/8) are counted from 1: then z - 1 and log z are small themselves.
#pragma once

#include <thalweg/core/family.hpp>
#include <thalweg/export.hpp>

#include <algorithm>
#include <cmath>

namespace thalweg {

/// theta: shapes a (K × d), scales b (K × d); constants centre, spread (d). S: E[1{X=k} log z_j], E[1{X=k} (z_j - origin_j)].
struct THALWEG_API Gamma : FamilyDefaults<Gamma> {
  static constexpr std::string_view name = "gamma";
  static constexpr std::string_view domain = "numbers above 0 (1e-300 to 1e150)";
  static constexpr double smallest = 1e-300;
  static constexpr double largest = 1e150;
  static constexpr double farthest =
      1e100;  // a cell, or a mean, from the gauge's centre: products stay finite
  static constexpr double largest_shape = 1e15;  // whatever the floor
  static constexpr double rounding = 1e-14;  // log E y - E log y is noise below this part of both

  bool contains(double y, std::size_t /*j*/) const { return y >= smallest && y <= largest; }

  std::vector<std::pair<std::string, std::size_t>> statistics(Extent e) const {
    return {{"logs", e.d}, {"sums", e.d}};
  }
  std::size_t width(Extent e) const { return 1 + 2 * e.d; }
  std::vector<Piece> parameters(Extent e) const;

  const double* centre(const double* theta, Extent e) const { return theta + 2 * e.K * e.d; }
  const double* spread(const double* theta, Extent e) const { return centre(theta, e) + e.d; }
  /// What z is counted from: 1 where the data are narrow, so that no digits go into what all of them share, else 0.
  double origin(const double* theta, Extent e, std::size_t j) const {
    return spread(theta, e)[j] < 0.125 ? 1 : 0;
  }

  void features(const double* theta, Extent e, const double* y, double* out,
                std::size_t stride) const {
    for (std::size_t j = 0; j < e.d; ++j) {
      const double z = std::clamp(y[j] / centre(theta, e)[j], smallest, farthest);
      out[j * stride] = std::log(z);
      out[(e.d + j) * stride] = z - origin(theta, e, j);
    }
  }

  void natural(const double* theta, Extent e, std::size_t k, double* psi, std::size_t stride) const;
  void maximise(const double* S, Extent e, std::size_t k, const Context& context,
                double* theta) const;
  /// A mean above 0, and by Jensen's inequality log E z >= E log z, up to rounding.
  bool valid(const double* theta, const double* S, Extent e, double empty) const;
  void moments(const double* theta, Extent e, std::size_t k, double* s, std::size_t stride) const;
  void draw(const double* theta, Extent e, std::size_t k, Random& random, double* y) const;

  /// Logarithms of gamma variables of one shape are equally wide wherever they lie.
  void embed(Extent e, const double* y, double* x) const {
    for (std::size_t j = 0; j < e.d; ++j) x[j] = std::log(y[j]);
  }

  /// Median, and a robust standard deviation in its units, at most 1.
  void calibrate(const Block& buffer, Extent e, const double* weights, double* theta) const;
  void regauge(const double* from, const double* to, Extent e, double* S) const;
};

}  // namespace thalweg
