// Gaussian log densities of a tile of rows: linear in products, or by Cholesky factors.
#include "kernels/distance.hpp"
#include "kernels/quadratic.hpp"
#include <thalweg/families/gaussian.hpp>
#include <thalweg/families/gaussian_form.hpp>
#include <thalweg/kernels/features.hpp>
#include <thalweg/kernels/special.hpp>
#include <thalweg/kernels/tile.hpp>

#include <array>

namespace thalweg {
namespace {

using namespace kernels;

}  // namespace

GaussianForm::GaussianForm(const Gaussian& family, const double* theta, Extent e)
    : family_(family),
      e_(e),
      D_(family.width(e)),
      shift_(family.shift(theta, e)),
      inverse_scale_(e.d),
      means_(e.K * e.d) {
  const double* unit = family.scale(theta, e);
  for (std::size_t j = 0; j < e.d; ++j) inverse_scale_[j] = 1 / unit[j];
  for (std::size_t i = 0; i < e.K * e.d; ++i)
    means_[i] = (theta[i] - shift_[i % e.d]) / unit[i % e.d];
  if (wide()) {
    factorise(theta);
    return;
  }

  // |P| (|m| + max(1, sd))², as large as it gets: what the linear form would cancel.
  double largest = 0;
  psi_.resize(D_ * e.K);
  for (std::size_t k = 0; k < e.K; ++k) {
    family.natural(theta, e, k, psi_.data() + k, e.K);
    double size = 0;
    const double* m = means_.data() + k * e.d;
    const double* second = psi_.data() + (1 + e.d) * e.K + k;
    const auto reach = [&](std::size_t j) {
      return std::abs(m[j]) + std::max(1.0, std::sqrt(family.variance(theta, e, k, j)) / unit[j]);
    };
    for (std::size_t i = 0; i < e.d; ++i) {
      if (family.has_products()) {
        for (std::size_t j = 0; j <= i; ++j, second += e.K)
          size += std::abs(*second) * reach(i) * reach(j);
      } else {
        const std::size_t at = family.covariance == Covariance::diag ? i : 0;
        size += std::abs(second[at * e.K]) * reach(i) * reach(i);
      }
    }
    largest = std::max(largest, size);
  }
  if (largest < linear_limit) return;
  psi_.clear();
  factorise(theta);
}

bool GaussianForm::wide() const { return family_.has_products() && e_.d > linear_columns; }

void GaussianForm::factorise(const double* theta) {
  const std::size_t d = e_.d;
  const double* unit = family_.scale(theta, e_);
  double volume = 0;  // of the gauge's unit
  for (std::size_t j = 0; j < d; ++j) volume += std::log(unit[j]);
  const bool shared = family_.covariance == Covariance::tied;
  const std::size_t size = family_.has_products() ? triangle(d) : d;
  factors_.resize((shared ? 1 : e_.K) * size);
  half_logs_.resize(e_.K);
  for (std::size_t k = 0; k < e_.K; ++k) {
    double half_log = volume;
    double* own = factors_.data() + (shared ? 0 : k) * size;
    if (family_.has_products()) {
      if (k == 0 || !shared) {
        family_.gauge_covariance(theta, e_, k, own);
        cholesky(own, d);
      }
      half_log += half_log_determinant(own, d);
    } else {
      for (std::size_t j = 0; j < d; ++j) {
        const double sd = std::sqrt(family_.variance(theta, e_, k, j)) / unit[j];
        own[j] = 1 / sd;
        half_log += std::log(sd);
      }
    }
    half_logs_[k] = half_log;
  }
}

std::size_t GaussianForm::features() const { return (wide() ? 1 + e_.d : D_) * tile_stride; }

std::size_t GaussianForm::workspace() const {
  const std::size_t scores = linear() || !family_.has_products() ? 0 : mahalanobis_work(e_.d);
  return features() + std::max(scores, wide() ? outer_work(e_.d) : 0);
}

/// K triangles of second moments, where no tile holds the products.
std::size_t GaussianForm::memory() const { return wide() ? e_.K * triangle(e_.d) : 0; }

void GaussianForm::read(const Block& block, std::size_t begin, std::size_t rows,
                        double* workspace) const {
  std::fill(workspace, workspace + rows, 1.0);
  std::fill(workspace + rows, workspace + padded(rows), 0.0);
  double* z = workspace + tile_stride;
  tile_standardise(block.row(begin), block.stride, rows, e_.d, shift_, inverse_scale_.data(), z);
  if (wide()) return;
  double* second = z + e_.d * tile_stride;
  switch (family_.covariance) {
    case Covariance::diag:
      return tile_squares(z, e_.d, rows, second);
    case Covariance::spherical:
      return tile_squared_norm(z, e_.d, rows, second);
    default:
      return tile_pair_products(z, e_.d, rows, second);
  }
}

void GaussianForm::score(double* workspace, std::size_t rows, double* scores) const {
  if (linear()) return tile_scores(psi_.data(), D_, e_.K, workspace, rows, scores);
  const double* z = workspace + tile_stride;
  std::array<double, tile_stride> squared;  // distances, written before they are read
  const double constant = 0.5 * log_two_pi * static_cast<double>(e_.d);
  const bool shared = family_.covariance == Covariance::tied;
  const std::size_t size = family_.has_products() ? triangle(e_.d) : e_.d;
  for (std::size_t k = 0; k < e_.K; ++k) {
    const double* mean = means_.data() + k * e_.d;
    const double* own = factors_.data() + (shared ? 0 : k) * size;
    if (family_.has_products()) {
      tile_mahalanobis(z, e_.d, rows, mean, own, workspace + features(), squared.data());
    } else {
      tile_scaled_distance(z, e_.d, rows, mean, own, squared.data());
    }
    double* out = scores + k * tile_stride;
    for (std::size_t t = 0; t < padded(rows); ++t)
      out[t] = out[t] - constant - half_logs_[k] - 0.5 * squared[t];
  }
}

void GaussianForm::accumulate(double* workspace, const double* posterior, std::size_t rows,
                              double* memory, double* sums) const {
  if (!wide()) return tile_accumulate(workspace, posterior, D_, e_.K, rows, sums);
  tile_accumulate(workspace, posterior, 1 + e_.d, e_.K, rows, sums);
  for (std::size_t k = 0; k < e_.K; ++k)
    tile_outer(workspace + tile_stride, posterior + k * tile_stride, e_.d, rows,
               workspace + features(), memory + k * triangle(e_.d));
}

void GaussianForm::finish(const double* memory, double* sums) const {
  double* second = sums + (1 + e_.d) * e_.K;
  const std::size_t size = triangle(e_.d);
  const std::size_t all = this->memory();
  for (std::size_t i = 0; i < all; ++i) second[i % size * e_.K + i / size] += memory[i];
}

}  // namespace thalweg
