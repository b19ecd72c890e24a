// Where the pieces of theta and S lie, and the limits that keep every number finite.
#pragma once

#include <thalweg/kernels/cholesky.hpp>
#include <thalweg/kernels/special.hpp>
#include <thalweg/models/ppca.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace thalweg {

using kernels::log_two_pi;

/// A variance below this part of the second moments is noise of arithmetic.
inline constexpr double rounding = 1e-14;

/// A row further than 1e140 scales from the shift counts as that far, in its direction. The mean is never that far away: rows that
/// are near it need no look.
inline constexpr double farthest_squared = 1e280;
inline constexpr double might_be_far = 1e278;

inline double square(double x) { return x * x; }

/// A piece of `Values` (double or const double) by position: S is laid out as Ppca::plan says.
template <class Values>
struct PpcaStatistic {
  Values* scores;    // r: E z
  Values* squares;   // triangle of E z z'
  Values* sums;      // d: E y
  Values* products;  // d × r: E y z'
  Values* norm;      // E |y|²

  PpcaStatistic(Values* data, std::size_t d, std::size_t r)
      : scores(data),
        squares(scores + r),
        sums(squares + kernels::triangle(r)),
        products(sums + d),
        norm(products + d * r) {}
};

/// theta, as it is.
template <class Values>
struct PpcaParameters {
  Values* mean;      // d
  Values* loadings;  // d × r
  Values* noise;
  Values* shift;  // d
  double scale;   // squares of it must neither vanish nor overflow

  static constexpr double smallest_scale = 1e-140;
  static constexpr double largest_scale = 1e140;

  PpcaParameters(Values* data, std::size_t d, std::size_t r)
      : mean(data),
        loadings(mean + d),
        noise(loadings + d * r),
        shift(noise + 1),
        scale(std::clamp(shift[d], smallest_scale, largest_scale)) {}

  double mean_in_gauge(std::size_t j) const { return (mean[j] - shift[j]) / scale; }
  double loading_in_gauge(std::size_t i) const {
    return std::clamp(loadings[i] / scale, -largest_scale, largest_scale);
  }
  /// At least `rounding` of the factors' variance: less could not be told from it.
  double noise_in_gauge(double factor_variance) const {
    return std::max(*noise / scale / scale, std::max(rounding * factor_variance, 1e-280));
  }
};

/// The largest entry of column k of a d × r matrix is positive afterwards; true where signs were changed.
inline bool point_upwards(double* matrix, std::size_t d, std::size_t r, std::size_t k) {
  std::size_t top = 0;
  for (std::size_t j = 1; j < d; ++j)
    if (std::abs(matrix[j * r + k]) > std::abs(matrix[top * r + k])) top = j;
  if (!(matrix[top * r + k] < 0)) return false;
  for (std::size_t j = 0; j < d; ++j) matrix[j * r + k] = -matrix[j * r + k];
  return true;
}

}  // namespace thalweg
