// The form of categorical columns: rows of a table are looked up instead of multiplied.
#include <thalweg/families/categorical.hpp>
#include <thalweg/kernels/tile.hpp>

namespace thalweg {

using kernels::tile_rows;
using kernels::tile_stride;

CategoricalForm::CategoricalForm(const Categorical& family, const double* theta, Extent e)
    : K_(e.K), d_(family.levels.size()), cells_(d_ * tile_rows), psi_((family.width(e) + 1) * K_) {
  std::size_t place = 1;
  for (const std::size_t size : family.levels) {
    first_.push_back(static_cast<double>(place));
    place += size;
  }
  nothing_ = static_cast<double>(place);
  for (std::size_t k = 0; k < K_; ++k) family.natural(theta, e, k, psi_.data() + k, K_);
}

/// The rows of psi that each row of the block needs; that of zeros for a missing cell.
void CategoricalForm::read(const Block& block, std::size_t begin, std::size_t rows,
                           double* workspace) const {
  for (std::size_t t = 0; t < rows; ++t) {
    const double* y = block.row(begin + t);
    for (std::size_t j = 0; j < d_; ++j, ++workspace)
      *workspace = std::isnan(y[j]) ? nothing_ : first_[j] + y[j];
  }
}

void CategoricalForm::score(double* workspace, std::size_t rows, double* scores) const {
  double* const sum = workspace + cells_;
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t k = 0; k < K_; ++k) sum[k] = scores[k * tile_stride + t];
    for (std::size_t j = 0; j < d_; ++j) {
      const double* log_p = row_of(*workspace++);
      for (std::size_t k = 0; k < K_; ++k) sum[k] += log_p[k];
    }
    for (std::size_t k = 0; k < K_; ++k) scores[k * tile_stride + t] = sum[k];
  }
}

void CategoricalForm::accumulate(double* workspace, const double* posterior, std::size_t rows,
                                 double* /*memory*/, double* sums) const {
  double* const one_row = workspace + cells_;
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t k = 0; k < K_; ++k) {
      one_row[k] = posterior[k * tile_stride + t];
      sums[k] += one_row[k];
    }
    for (std::size_t j = 0; j < d_; ++j, ++workspace) {
      if (*workspace == nothing_) continue;
      double* into = sums + static_cast<std::size_t>(*workspace) * K_;
      for (std::size_t k = 0; k < K_; ++k) into[k] += one_row[k];
    }
  }
}

}  // namespace thalweg
