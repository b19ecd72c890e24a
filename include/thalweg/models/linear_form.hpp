// The E-step's view of any exponential family: log g_k(y) = <s(y), psi_k> - A_k + log h(y), linear in s(y).
#pragma once

#include <thalweg/core/family.hpp>
#include <thalweg/kernels/tile.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace thalweg {

/// What a latent structure uses of a family that brings no form of its own; one that does (`using Form = …`) offers the same
/// functions. A form knows nothing of the structure: `offset`, K numbers, is what that adds to the scores of each component (a
/// mixture its log weights; null: nothing). Several threads use one form, each with its own paper and memory.
template <class F>
class LinearForm {
 public:
  LinearForm(const F& family, const double* theta, Extent e, const double* offset)
      : family_(family), theta_(theta), e_(e), D_(family.width(e)), psi_(D_ * e.K) {
    for (std::size_t k = 0; k < e.K; ++k) {
      family.natural(theta, e, k, psi_.data() + k, e.K);
      if (offset) psi_[k] += offset[k];
    }
  }

  /// Doubles of scratch paper for a tile, and of memory for a whole E-step, which begins as zeros.
  std::size_t paper() const { return D_ * kernels::tile_stride; }
  std::size_t memory() const { return 0; }

  /// The tile's features, on that paper.
  void read(const Block& block, std::size_t begin, std::size_t rows, double* paper) const {
    using namespace kernels;
    for (std::size_t t = 0; t < rows; ++t) {
      paper[t] = 1.0;
      family_.features(theta_, e_, block.row(begin + t), paper + tile_stride + t, tile_stride);
    }
    for (std::size_t j = 0; j < D_; ++j)
      std::fill(paper + j * tile_stride + rows, paper + j * tile_stride + padded(rows), 0.0);
  }

  /// offset_k + log g_k(y_t) - log h(y_t), K × tile_stride.
  void score(double* paper, std::size_t rows, double* scores) const {
    kernels::tile_scores(psi_.data(), D_, e_.K, paper, rows, scores);
  }

  /// The D × K sums gain sum_t r_kt s(y_t), some of it only when all tiles are through.
  void accumulate(double* paper, const double* posterior, std::size_t rows, double* /*memory*/,
                  double* sums) const {
    kernels::tile_accumulate(paper, posterior, D_, e_.K, rows, sums);
  }
  void finish(const double* /*memory*/, double* /*sums*/) const {}

 private:
  const F& family_;
  const double* theta_;
  Extent e_;
  std::size_t D_;
  std::vector<double> psi_;  // D × K
};

template <class F>
struct FormOf {
  using type = LinearForm<F>;
};
template <class F>
  requires requires { typename F::Form; }
struct FormOf<F> {
  using type = typename F::Form;
};

}  // namespace thalweg
