// A paired comparison of log densities.
#include "estimators/sure_gain.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace thalweg {
namespace {

std::vector<double> log_densities(const Model& model, const Parameters& theta, const Block& rows) {
  constexpr std::size_t some = 256;
  std::vector<double> all;
  Explanation seen;
  for (std::size_t t = 0; t < rows.rows; t += some) {
    explain(model, theta, rows.slice(t, std::min(some, rows.rows - t)), seen);
    all.insert(all.end(), seen.log_density.begin(), seen.log_density.end());
  }
  return all;
}

}  // namespace

double sure_gain(const Model& model, const Parameters& from, const Parameters& to,
                 const Block& rows) {
  const std::vector<double> before = log_densities(model, from, rows);
  const std::vector<double> after = log_densities(model, to, rows);
  double weight = 0;
  double sum = 0;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    weight += rows.weight(t);
    sum += rows.weight(t) * (after[t] - before[t]);
  }
  const double mean = sum / weight;
  double squares = 0;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    const double off = rows.weight(t) * (after[t] - before[t] - mean);
    squares += off * off;
  }
  return mean > 3 * std::sqrt(squares) / weight ? mean : 0;
}

}  // namespace thalweg
