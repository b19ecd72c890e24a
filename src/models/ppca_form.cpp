// A tile of rows against the loadings: what both halves of PPCA's E-step need.
#include "models/ppca_form.hpp"

namespace thalweg {

using kernels::packed_at;
using kernels::tile_stride;
using kernels::triangle;

PpcaForm::PpcaForm(const Parameters& theta, std::size_t d, std::size_t r)
    : d_(d), r_(r), gauge_mean_(d), psi_(d * r), inverse_(r * r), covariance_(triangle(r)) {
  const PpcaParameters<const double> at(theta.data(), d, r);
  mean_ = at.mean;
  inverse_scale_.assign(d, 1 / at.scale);
  std::vector<double> w(d * r);
  std::vector<double> factor(triangle(r));  // M, then L, then L^-1
  for (std::size_t j = 0; j < d; ++j) {
    gauge_mean_[j] = at.mean_in_gauge(j);
    for (std::size_t k = 0; k < r; ++k) w[j * r + k] = at.loading_in_gauge(j * r + k);
    for (std::size_t k = 0; k < r; ++k)
      for (std::size_t i = 0; i <= k; ++i) factor[packed_at(k, i)] += w[j * r + k] * w[j * r + i];
  }
  double signal = 0;
  for (std::size_t k = 0; k < r; ++k) signal += factor[packed_at(k, k)];
  noise_ = at.noise_in_gauge(signal);
  is_steep_ = signal > steep * noise_;
  for (std::size_t k = 0; k < r; ++k) factor[packed_at(k, k)] += noise_;
  kernels::cholesky(factor.data(), r);
  const auto reals = static_cast<double>(d);
  constant_ = -0.5 * (reals * log_two_pi + (reals - static_cast<double>(r)) * std::log(noise_)) -
              kernels::half_log_determinant(factor.data(), r) - reals * std::log(at.scale);
  kernels::invert_factor(factor.data(), r, factor.data());
  kernels::precision_of(factor.data(), r, covariance_.data());
  for (double& entry : covariance_) entry *= noise_;
  for (std::size_t k = 0; k < r; ++k)
    for (std::size_t i = 0; i <= k; ++i) inverse_[k * r + i] = factor[packed_at(k, i)];
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t k = 0; k < r; ++k)
      for (std::size_t i = 0; i <= k; ++i) psi_[j * r + k] += w[j * r + i] * inverse_[k * r + i];
  if (!is_steep_) return;
  transposed_.resize(r * d);
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t k = 0; k < r; ++k) transposed_[k * d + j] = w[j * r + k];
}

void draw_in(double* x, double* norm, std::size_t d, std::size_t rows, const double* center) {
  for (std::size_t t = 0; t < rows; ++t) {
    if (norm[t] <= might_be_far) [[likely]]
      continue;
    double in_gauge = 0;
    for (std::size_t j = 0; j < d; ++j) in_gauge += square(x[j * tile_stride + t] + center[j]);
    const double factor = std::min(1.0, std::sqrt(farthest_squared / in_gauge));
    norm[t] = 0;
    for (std::size_t j = 0; j < d; ++j) {
      double& cell = x[j * tile_stride + t];
      cell = factor * (cell + center[j]) - center[j];
      norm[t] += cell * cell;
    }
  }
}

void PpcaForm::fill(const Block& block, const Tile& tile) const {
  using namespace kernels;
  tile_standardise(block.row(tile.begin), block.stride, tile.rows, d_, mean_, inverse_scale_.data(),
                   tile.x);
  tile_squared_norm(tile.x, d_, tile.rows, tile.norm);
  draw_in(tile.x, tile.norm, d_, tile.rows, gauge_mean_.data());
  std::fill(tile.weights, tile.weights + tile.rows, 1.0);
  std::fill(tile.weights + tile.rows, tile.weights + padded(tile.rows), 0.0);
  std::fill_n(tile.c, r_ * tile_stride, 0.0);
  tile_scores(psi_.data(), d_, r_, tile.x, tile.rows, tile.c);
  if (is_steep_) {
    residual_distance(tile);
  } else {
    double* distance = tile.log_density;
    tile_squared_norm(tile.c, r_, tile.rows, distance);
    for (std::size_t t = 0; t < tile.rows; ++t)
      distance[t] = std::max(tile.norm[t] - distance[t], 0.0) / noise_;
  }
  for (std::size_t t = 0; t < tile.rows; ++t)
    tile.log_density[t] = constant_ - 0.5 * std::min(tile.log_density[t], largest_distance);
}

/// x' Sigma^-1 x = |x - W E z|² / noise + |E z|²: sums of squares only.
void PpcaForm::residual_distance(const Tile& tile) const {
  using namespace kernels;
  double* z = spare(tile);
  double* fitted = z + (r_ + 1) * tile_stride;
  factors(tile, z);
  std::fill_n(fitted, d_ * tile_stride, 0.0);
  tile_scores(transposed_.data(), r_, d_, z, tile.rows, fitted);
  std::fill(tile.log_density, tile.log_density + tile.rows, 0.0);
  for (std::size_t j = 0; j < d_; ++j)
    for (std::size_t t = 0; t < tile.rows; ++t) {
      const double left = tile.x[j * tile_stride + t] - fitted[j * tile_stride + t];
      tile.log_density[t] += left * left;
    }
  for (std::size_t t = 0; t < tile.rows; ++t) {
    double factor_distance = 0;
    for (std::size_t k = 0; k < r_; ++k)
      factor_distance += z[k * tile_stride + t] * z[k * tile_stride + t];
    tile.log_density[t] = tile.log_density[t] / noise_ + factor_distance;
  }
}

void PpcaForm::factors(const Tile& tile, double* out) const {
  std::fill_n(out, r_ * kernels::tile_stride, 0.0);
  kernels::tile_scores(inverse_.data(), r_, r_, tile.c, tile.rows, out);
}

void PpcaForm::add(const std::vector<double>& by_x, const std::vector<double>& by_c, double norm,
                   double weight, Sums& sums) const {
  const PpcaStatistic<double> into(sums.data(), d_, r_);
  const std::size_t width = r_ + 1;
  // Of a row of sums by w c, the same by w E z: times L^-1.
  const auto by_factors = [&](const double* row, double* out) {
    for (std::size_t k = 0; k < r_; ++k) {
      out[k] = 0;
      for (std::size_t i = k; i < r_; ++i) out[k] += row[1 + i] * inverse_[i * r_ + k];
    }
  };
  std::vector<double> scores(r_);
  std::vector<double> half(r_ * r_);  // sum w c (E z)'
  std::vector<double> row(r_);
  for (std::size_t i = 0; i < r_; ++i) {
    by_factors(by_c.data() + i * width, half.data() + i * r_);
    for (std::size_t k = 0; k <= i; ++k) scores[k] += by_c[i * width] * inverse_[i * r_ + k];
  }
  for (std::size_t k = 0; k < r_; ++k) {
    into.scores[k] += scores[k];
    for (std::size_t l = 0; l <= k; ++l) {
      double product = weight * covariance_[packed_at(k, l)];
      for (std::size_t i = k; i < r_; ++i) product += inverse_[i * r_ + k] * half[i * r_ + l];
      into.squares[packed_at(k, l)] += product;
    }
  }
  double moved = norm;  // sum w |x + m|²
  for (std::size_t j = 0; j < d_; ++j) {
    const double m = gauge_mean_[j];
    const double first = by_x[j * width];
    into.sums[j] += first + weight * m;
    moved += m * (2 * first + weight * m);
    by_factors(by_x.data() + j * width, row.data());
    for (std::size_t k = 0; k < r_; ++k) into.products[j * r_ + k] += row[k] + m * scores[k];
  }
  *into.norm += moved;
}

}  // namespace thalweg
