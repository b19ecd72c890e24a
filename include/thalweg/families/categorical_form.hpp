// The E-step of categorical columns: a row has one level a column, so that scores are looked up instead of multiplied out.
#pragma once

#include <thalweg/core/family.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <vector>

namespace thalweg {

struct Categorical;

/// What LinearForm does, with d K operations a row instead of K times the levels of all columns.
class THALWEG_API CategoricalForm {
 public:
  CategoricalForm(const Categorical& family, const double* theta, Extent e);

  std::size_t workspace() const { return cells_ + K_; }
  std::size_t memory() const { return 0; }
  void read(const Block& block, std::size_t begin, std::size_t rows, double* workspace) const;
  void score(double* workspace, std::size_t rows, double* scores) const;
  void accumulate(double* workspace, const double* posterior, std::size_t rows, double* memory,
                  double* sums) const;
  void finish(const double* /*memory*/, double* /*sums*/) const {}

 private:
  const double* row_of(double place) const {
    return psi_.data() + static_cast<std::size_t>(place) * K_;
  }

  std::size_t K_;
  std::size_t d_;
  double nothing_ = 0;         // the row of psi that is zero: of a missing cell
  std::size_t cells_;          // of a tile
  std::vector<double> first_;  // of each column: the row of psi of its first level
  std::vector<double> psi_;    // (1 + levels + 1) × K: nothing, log probabilities, zeros
};

}  // namespace thalweg
