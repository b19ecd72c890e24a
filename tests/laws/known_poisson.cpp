// The Poisson mixture by its formulas.
#include "known.hpp"

#include <algorithm>
#include <cmath>

namespace laws {
namespace {

double rate(const Parameters& theta, std::size_t k, std::size_t j) {
  const auto rates = theta["rates"];
  return rates[k * (rates.size() / theta["weights"].size()) + j];
}

double covariance(const Parameters& theta, std::size_t k, std::size_t i, std::size_t j) {
  return i == j ? rate(theta, k, j) : 0;
}

double log_density(const Parameters& theta, std::size_t k, std::span<const double> y) {
  double sum = 0;
  for (std::size_t j = 0; j < y.size(); ++j)
    sum += y[j] * std::log(rate(theta, k, j)) - rate(theta, k, j) - std::lgamma(y[j] + 1);
  return sum;
}

void maximise(const Subject&, const Block& rows, std::span<const double> posterior,
              Parameters& theta) {
  std::ranges::copy(weighted_means(rows, posterior, theta), theta["rates"].begin());
}

const MakeKnown known(Known{.entry = "poisson",
                            .log_density = log_density,
                            .mean = rate,
                            .covariance = covariance,
                            .maximise = maximise,
                            .far = 1e9,
                            .outside = -1});

}  // namespace
}  // namespace laws
