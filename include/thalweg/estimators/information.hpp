// Standard errors from the rows themselves: the Fisher information as the mean square of the score, d log f_theta(Y) / d theta.
#pragma once

#include <thalweg/core/model.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <vector>

namespace thalweg {

/// One way in which theta may move: the last entry of a simplex gives what the others take, both entries of a symmetric pair go together.
struct Direction {
  std::size_t entry;
  std::size_t partner;  // the entry itself where there is none
  double partner_sign;  // -1 on a simplex, +1 in a matrix
};

/// All ways in which the pieces of these parameters may move; pieces that are constant or held have none.
THALWEG_API std::vector<Direction> directions(const Layout& layout, const Fixed* fixed = nullptr);

struct Information {
  std::vector<Direction> along = {};
  double rows = 0;  // total weight behind it
  /// p × p: the mean of the outer product of the scores along these directions, and its inverse: the covariance of an efficient
  /// estimate from n rows, times n.
  std::vector<double> matrix = {};
  std::vector<double> covariance = {};
  bool singular = false;  // the rows do not determine some direction: then there is no covariance

  /// Covariance times n of two entries of theta.
  THALWEG_API double between(std::size_t entry, std::size_t other) const;
  /// sd of every entry of theta in an efficient estimate from n rows; 0 for what does not move.
  THALWEG_API std::vector<double> standard_errors(std::size_t entries, double n) const;
};

/// Scores by central differences of the log density: two E-steps a direction over the rows. At a maximum of the likelihood the inverse
/// over n is the covariance of the estimate where the model is right; weighted rows stand for a law.
THALWEG_API Information information(const Model& model, const Parameters& theta, const Block& rows,
                                    const Fixed* fixed = nullptr);

}  // namespace thalweg
