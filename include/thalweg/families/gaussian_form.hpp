// How a block of rows meets Gaussian components: as linear functions of s(y), or through Cholesky factors where that would lose
// digits.
#pragma once

#include <thalweg/core/family.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <vector>

namespace thalweg {

struct Gaussian;

/// One E-step's view of the parameters. The linear form sums terms of size |P| (|m| + max(1, sd))², of which the squared distance
/// is a small difference (a long and thin component reaches far from its mean: sd). It is used while they stay below
/// `linear_limit`, so that a log density keeps an error of some 1e-11, and while the products fit a tile (d <= `linear_columns`).
/// Else scores are ||L^-1 (z - m)||² by substitution.
class THALWEG_API GaussianForm {
 public:
  static constexpr double linear_limit = 1e5;
  static constexpr std::size_t linear_columns = 32;

  GaussianForm(const Gaussian& family, const double* theta, Extent e);

  bool linear() const { return !psi_.empty(); }

  // See LinearForm.
  std::size_t workspace() const;
  std::size_t memory() const;
  void read(const Block& block, std::size_t begin, std::size_t rows, double* workspace) const;

  void score(double* workspace, std::size_t rows, double* scores) const;
  void accumulate(double* workspace, const double* posterior, std::size_t rows, double* memory,
                  double* sums) const;
  void finish(const double* memory, double* sums) const;

 private:
  bool wide() const;             // no tile holds all products of so many columns
  std::size_t features() const;  // doubles of a tile's; workspace for the kernels lies behind them
  void factorise(const double* theta);

  const Gaussian& family_;
  Extent e_;
  std::size_t D_;
  const double* shift_;
  std::vector<double> inverse_scale_;
  std::vector<double> psi_;        // D × K, linear form
  std::vector<double> half_logs_;  // K: ½ log det Sigma_k
  std::vector<double> means_;      // K × d, in the gauge
  std::vector<double> factors_;    // triangles of L_k (one for all when tied), or 1/sd (K × d)
};

}  // namespace thalweg
