// What a likelihood is worth beside the parameters that it took: AIC (Akaike 1974), BIC (Schwarz 1978), ICL (Biernacki, Celeux & Govaert 2000).
#pragma once

#include <cmath>
#include <cstddef>

namespace thalweg {

/// -2 log L + penalty: the smaller, the better.
inline double aic(double log_likelihood, std::size_t free_parameters) {
  return -2 * log_likelihood + 2 * static_cast<double>(free_parameters);
}

inline double bic(double log_likelihood, std::size_t free_parameters, double observations) {
  return -2 * log_likelihood + static_cast<double>(free_parameters) * std::log(observations);
}

/// BIC + 2 × entropy of the posterior.
inline double icl(double bic, double entropy) { return bic + 2 * entropy; }

}  // namespace thalweg
