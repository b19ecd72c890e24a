// One E-step's view of the parameters. With M = L L', the scores c = L^-1 W'x of a centred row x are one product over a tile of
// rows; they give everything: E z = L^-T c, and x' Sigma^-1 x = (|x|² - |c|²) / noise.
#pragma once

#include "kernels/distance.hpp"
#include "kernels/quadratic.hpp"
#include "models/ppca_parts.hpp"
#include <thalweg/kernels/features.hpp>
#include <thalweg/kernels/tile.hpp>
#include <thalweg/kernels/workspace.hpp>

#include <vector>

namespace thalweg {

class PpcaForm {
 public:
  /// Above this ratio of signal to noise |x|² - |c|² would lose digits: the residual x - W E z is worked out instead.
  static constexpr double steep = 1e5;

  PpcaForm(const Parameters& theta, std::size_t d, std::size_t r);

  /// What is known of a tile. Matrices have the row index running fastest, as kernels/tile.hpp says; padding is 0.
  struct Tile {
    std::size_t begin;
    std::size_t rows;
    double* x;            // d × stride: rows around the mean, in the gauge
    double* weights;      // 1 × stride: 1, and right behind it
    double* c;            // r × stride
    double* norm;         // stride: |x|²
    double* log_density;  // stride
  };

  /// use(tile) for every tile of the block.
  template <class Use>
  void tiles(const Block& block, Use&& use) const {
    using namespace kernels;
    const Workspace space(workspace_size());
    double* const workspace = space.data();
    for (std::size_t begin = 0; begin < block.rows; begin += tile_rows) {
      const std::size_t rows = std::min(tile_rows, block.rows - begin);
      const Tile tile{.begin = begin,
                      .rows = rows,
                      .x = workspace,
                      .weights = workspace + d_ * tile_stride,
                      .c = workspace + (d_ + 1) * tile_stride,
                      .norm = workspace + (d_ + 1 + r_) * tile_stride,
                      .log_density = workspace + (d_ + 2 + r_) * tile_stride};
      fill(block, tile);
      use(tile);
    }
  }
  /// Workspace behind a tile: r + 1 rows of it.
  double* spare(const Tile& tile) const { return tile.log_density + kernels::tile_stride; }

  /// out (r × stride) = E z = L^-T c.
  void factors(const Tile& tile, double* out) const;

  /// Sums of w x (d × 1 + r: by w, by w c) and of w c (r × 1 + r), of w |x|² and w, as sums of the statistic in the gauge.
  void add(const std::vector<double>& by_x, const std::vector<double>& by_c, double norm,
           double weight, Sums& sums) const;

 private:
  std::size_t workspace_size() const {
    return (d_ + 2 * r_ + 4 + (is_steep_ ? d_ : 0)) * kernels::tile_stride;
  }
  void fill(const Block& block, const Tile& tile) const;
  void residual_distance(const Tile& tile) const;

  std::size_t d_;
  std::size_t r_;
  const double* mean_;
  std::vector<double> inverse_scale_;  // d, all alike
  std::vector<double> gauge_mean_;     // d
  std::vector<double> psi_;            // d × r: W L^-T
  std::vector<double> inverse_;        // r × r: L^-1, zeros above the diagonal
  std::vector<double> covariance_;     // triangle: noise M^-1
  std::vector<double> transposed_;     // r × d: W', where it is steep
  double noise_ = 0;
  double constant_ = 0;  // log density at the mean
  bool is_steep_ = false;
};

/// Rows of a tile that are further away than farthest_squared allows come back, each along its own line. x is y - center.
void draw_in(double* x, double* norm, std::size_t d, std::size_t rows, const double* center);

}  // namespace thalweg
