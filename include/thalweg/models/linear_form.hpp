// The E-step's view of any exponential family: log g_k(y) = <s(y), psi_k> - A_k + log h(y), linear in s(y).
#pragma once

#include <thalweg/core/family.hpp>
#include <thalweg/kernels/tile.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace thalweg {

/// What a latent structure uses of a family that brings no form of its own; one that does (`using Form = …`) offers the same
/// functions. A form knows nothing of the structure around it, which has filled the scores with what it says of each component
/// before any row is seen (a mixture log weights, a chain nothing); forms of several blocks of columns add up. Several threads
/// use one form, each with its own workspace and memory.
template <class F>
class LinearForm {
 public:
  LinearForm(const F& family, const double* theta, Extent e)
      : family_(family), theta_(theta), e_(e), D_(family.width(e)), psi_(D_ * e.K) {
    for (std::size_t k = 0; k < e.K; ++k) family.natural(theta, e, k, psi_.data() + k, e.K);
  }

  /// Doubles of workspace for a tile, and of memory for a whole E-step, which begins as zeros.
  std::size_t workspace() const { return D_ * kernels::tile_stride; }
  std::size_t memory() const { return 0; }

  /// The tile's features, in that workspace.
  void read(const Block& block, std::size_t begin, std::size_t rows, double* workspace) const {
    using namespace kernels;
    for (std::size_t t = 0; t < rows; ++t) {
      workspace[t] = 1.0;
      family_.features(theta_, e_, block.row(begin + t), workspace + tile_stride + t, tile_stride);
    }
    for (std::size_t j = 0; j < D_; ++j)
      std::fill(workspace + j * tile_stride + rows, workspace + j * tile_stride + padded(rows),
                0.0);
  }

  /// The scores, K × tile_stride, gain log g_k(y_t) - log h(y_t).
  void score(double* workspace, std::size_t rows, double* scores) const {
    kernels::tile_scores(psi_.data(), D_, e_.K, workspace, rows, scores);
  }

  /// The D × K sums gain sum_t r_kt s(y_t), some of it only when all tiles are through.
  void accumulate(double* workspace, const double* posterior, std::size_t rows, double* /*memory*/,
                  double* sums) const {
    kernels::tile_accumulate(workspace, posterior, D_, e_.K, rows, sums);
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
using FormOf =
    std::conditional_t<std::is_void_v<typename F::Form>, LinearForm<F>, typename F::Form>;

}  // namespace thalweg
