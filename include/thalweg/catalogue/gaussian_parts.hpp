// Marginals and conditionals of a Gaussian mixture: again Gaussian mixtures, with the same kind of covariance.
//
// With the columns in the order (a, b) and Sigma_k = L L', L = (L_aa 0; L_ba L_bb), given a: the weights are those of
// w_k N(a; m_a, Sigma_aa), the means m_b + L_ba L_aa^-1 (a - m_a), the covariances L_bb L_bb', which no rounding can make
// indefinite.
#pragma once

#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace thalweg {

/// Of these columns alone, in this order. No statistics, no training.
THALWEG_API Fitted marginal(const Fitted& fitted, const std::vector<std::size_t>& columns);

/// Of the other columns where those `given` have the values.
THALWEG_API Fitted condition(const Fitted& fitted, const std::vector<std::size_t>& given,
                             std::span<const double> values);

/// The same for many rows: what does not depend on the values is worked out once.
class THALWEG_API GaussianCondition {
 public:
  GaussianCondition(const Fitted& fitted, const std::vector<std::size_t>& given);

  const Fitted& given() const { return given_; }                      // marginal of a
  const std::vector<std::size_t>& others() const { return others_; }  // which columns are b

  /// K × |b|: the means of b in each component.
  std::vector<double> means(std::span<const double> values) const;
  /// Of b_i and b_j in component k.
  double covariance(std::size_t k, std::size_t i, std::size_t j) const;

 private:
  Fitted given_;
  std::size_t components_;
  std::vector<std::size_t> others_;
  std::vector<double> means_;                 // K × (|a| + |b|)
  std::vector<std::vector<double>> factors_;  // K packed triangles L; one where all share it
};

/// Column numbers by name; an unknown one is an Error that suggests the nearest.
THALWEG_API std::vector<std::size_t> columns_named(const Fitted& fitted,
                                                   const std::vector<std::string>& names);

}  // namespace thalweg
