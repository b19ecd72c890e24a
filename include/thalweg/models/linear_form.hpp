// The E-step's view of any exponential family: log g_k(y) = <s(y), psi_k> - A_k + log h(y), linear in s(y).
#pragma once

#include <thalweg/core/family.hpp>
#include <thalweg/kernels/tile.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace thalweg {

/// What a mixture uses of a family that brings no form of its own; one that does (`using Form = …`) offers the same functions.
template <class F>
class LinearForm {
 public:
  LinearForm(const F& family, const double* theta, Extent e, const double* weights)
      : family_(family), theta_(theta), e_(e), D_(family.width(e)), psi_(D_ * e.K) {
    for (std::size_t k = 0; k < e.K; ++k) {
      family.natural(theta, e, k, psi_.data() + k, e.K);
      psi_[k] += std::log(std::max(weights[k], 1e-300));  // finite by construction
    }
  }

  std::size_t paper() const { return D_ * kernels::tile_stride; }

  void read(const Block& block, std::size_t begin, std::size_t rows, double* paper) const {
    using namespace kernels;
    for (std::size_t t = 0; t < rows; ++t) {
      paper[t] = 1.0;
      family_.features(theta_, e_, block.row(begin + t), paper + tile_stride + t, tile_stride);
    }
    for (std::size_t j = 0; j < D_; ++j)
      std::fill(paper + j * tile_stride + rows, paper + j * tile_stride + padded(rows), 0.0);
  }

  void score(const double* paper, std::size_t rows, double* scores) const {
    kernels::tile_scores(psi_.data(), D_, e_.K, paper, rows, scores);
  }

  void accumulate(const double* paper, const double* posterior, std::size_t rows, double* sums) {
    kernels::tile_accumulate(paper, posterior, D_, e_.K, rows, sums);
  }
  void finish(double*) {}

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
