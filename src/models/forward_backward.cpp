// Filter: alpha_t(j) ∝ g_j(y_t) sum_i alpha_{t-1}(i) A_ij. Smoother: gamma_t(i) = alpha_t(i) sum_j A_ij gamma_{t+1}(j) / predicted_{t+1}(j).
#include <thalweg/models/forward_backward.hpp>

#include <algorithm>
#include <cmath>

namespace thalweg {
namespace {

constexpr double smallest = 1e-300;   // its logarithm is finite
constexpr double vanishing = 1e-250;  // a density below this has lost digits to underflow

/// scores become P(X_t = k | …) given what was predicted; the log density of the row.
double update(std::size_t K, const double* predicted, double* scores) {
  const double top = *std::max_element(scores, scores + K);
  double sum = 0;
  for (std::size_t k = 0; k < K; ++k) sum += predicted[k] * std::exp(scores[k] - top);
  if (sum > vanishing) {
    for (std::size_t k = 0; k < K; ++k) scores[k] = predicted[k] * std::exp(scores[k] - top) / sum;
    return top + std::log(sum);
  }
  // What explains the row was ruled out before it: by logarithms.
  for (std::size_t k = 0; k < K; ++k) scores[k] += std::log(std::max(predicted[k], smallest));
  const double best = *std::max_element(scores, scores + K);
  sum = 0;
  for (std::size_t k = 0; k < K; ++k) sum += scores[k] = std::exp(scores[k] - best);
  for (std::size_t k = 0; k < K; ++k) scores[k] /= sum;
  return best + std::log(sum);
}

}  // namespace

ForwardBackward::ForwardBackward(const double* start, const double* transition, std::size_t K)
    : K_(K), start_(start), transition_(transition), ratio_(K), products_(K * K) {}

void ForwardBackward::filter(std::size_t rows, double* scores, double* log_density) {
  predicted_.assign(rows * K_, 0.0);
  std::copy_n(start_, K_, predicted_.data());
  for (std::size_t t = 0; t < rows; ++t) {
    double* predicted = predicted_.data() + t * K_;
    if (t > 0) {
      const double* before = scores + (t - 1) * K_;
      for (std::size_t i = 0; i < K_; ++i)
        for (std::size_t j = 0; j < K_; ++j) predicted[j] += before[i] * transition_[i * K_ + j];
    }
    log_density[t] = update(K_, predicted, scores + t * K_);
  }
}

void ForwardBackward::smooth(std::size_t rows, double weight, double* scores, double* log_density,
                             double* pairs) {
  filter(rows, scores, log_density);
  std::ranges::fill(products_, 0.0);
  for (std::size_t t = rows - 1; t-- > 0;) {
    const double* predicted = predicted_.data() + (t + 1) * K_;
    const double* next = scores + (t + 1) * K_;
    double* now = scores + t * K_;
    // A state that nobody could have come to, and in which the chain is nevertheless, says nothing of the one before.
    double from_nowhere = 0;
    for (std::size_t j = 0; j < K_; ++j) {
      const bool reached = predicted[j] > 0;
      ratio_[j] = reached ? next[j] / predicted[j] : 0;
      if (!reached) from_nowhere += next[j];
    }
    double total = 0;
    for (std::size_t i = 0; i < K_; ++i) {
      double sum = from_nowhere;
      for (std::size_t j = 0; j < K_; ++j) {
        sum += transition_[i * K_ + j] * ratio_[j];
        products_[i * K_ + j] += now[i] * ratio_[j];
      }
      total += now[i] *= sum;
    }
    for (std::size_t i = 0; i < K_; ++i) now[i] /= total;  // 1 up to rounding
  }
  for (std::size_t i = 0; i < K_ * K_; ++i) pairs[i] += weight * transition_[i] * products_[i];
}

}  // namespace thalweg
