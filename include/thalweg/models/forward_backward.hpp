// Forward and backward pass of a Markov chain over one sequence (Baum, Petrie, Soules & Weiss 1970), as filter and smoother: every
// number is a probability, so that nothing overflows and nothing has to be scaled back.
#pragma once

#include <thalweg/export.hpp>

#include <cstddef>
#include <vector>

namespace thalweg {

/// start: P(X_1 = i), K numbers. transition: P(X_{t+1} = j | X_t = i), K × K, row by row.
class THALWEG_API ForwardBackward {
 public:
  ForwardBackward(const double* start, const double* transition, std::size_t K);

  /// `scores` (rows × K) come in as log g_k(y_t), of one sequence, and become P(X_t = k | Y_1 … Y_n). log_density[t] is
  /// log f(y_t | y_1 … y_{t-1}): their sum is the log-likelihood. pairs (K × K) gain weight × sum_t P(X_t = i, X_{t+1} = j | Y).
  void smooth(std::size_t rows, double weight, double* scores, double* log_density, double* pairs);

 private:
  void filter(std::size_t rows, double* scores, double* log_density);

  std::size_t K_;
  const double* start_;
  const double* transition_;
  std::vector<double> predicted_;  // rows × K: P(X_t = k | Y_1 … Y_{t-1})
  std::vector<double> ratio_;      // K: smoothed over predicted
  std::vector<double> products_;   // K × K
};

}  // namespace thalweg
