// The mixture of categorical columns by its formulas.
#include "known.hpp"

#include <cmath>
#include <limits>

namespace laws {
namespace {

/// Of column j in component k, level by level.
std::span<const double> table(const Parameters& theta, std::size_t k, std::size_t j) {
  const Piece& piece = *theta.layout().find("probabilities");
  std::size_t at = k * piece.shape[1];
  for (std::size_t i = 0; i < j; ++i) at += piece.parts[i];
  return std::span<const double>(theta["probabilities"]).subspan(at, piece.parts[j]);
}

double log_density(const Parameters& theta, std::size_t k, std::span<const double> y) {
  double product = 1;
  for (std::size_t j = 0; j < y.size(); ++j)
    if (!std::isnan(y[j])) product *= table(theta, k, j)[static_cast<std::size_t>(y[j])];
  return std::log(product);
}

double moment(const Parameters& theta, std::size_t k, std::size_t j, int power) {
  const auto p = table(theta, k, j);
  double sum = 0;
  for (std::size_t l = 0; l < p.size(); ++l) sum += p[l] * std::pow(static_cast<double>(l), power);
  return sum;
}

double mean(const Parameters& theta, std::size_t k, std::size_t j) {
  return moment(theta, k, j, 1);
}

double covariance(const Parameters& theta, std::size_t k, std::size_t i, std::size_t j) {
  const double first = mean(theta, k, j);
  return i == j ? moment(theta, k, j, 2) - first * first : 0;
}

void maximise(const Subject&, const Block& rows, std::span<const double> posterior,
              Parameters& theta) {
  const std::size_t K = theta["weights"].size();
  const Piece& piece = *theta.layout().find("probabilities");
  for (std::size_t k = 0; k < K; ++k) {
    double share = 0;
    for (std::size_t t = 0; t < rows.rows; ++t) share += rows.weight(t) * posterior[t * K + k];
    theta["weights"][k] = share / rows.total_weight();
    std::size_t at = k * piece.shape[1];
    for (std::size_t j = 0; j < rows.columns; ++j)
      for (std::size_t l = 0; l < piece.parts[j]; ++l, ++at) {
        double agree = 0;
        double seen = 0;
        for (std::size_t t = 0; t < rows.rows; ++t) {
          const double y = rows.row(t)[j];
          if (!std::isnan(y)) seen += rows.weight(t) * posterior[t * K + k];
          if (y == static_cast<double>(l)) agree += rows.weight(t) * posterior[t * K + k];
        }
        theta["probabilities"][at] = agree / seen;
      }
  }
}

const MakeKnown known(Known{.entry = "categorical",
                            .log_density = log_density,
                            .mean = mean,
                            .covariance = covariance,
                            .maximise = maximise,
                            .far = std::numeric_limits<double>::quiet_NaN(),
                            .outside = 17});

}  // namespace
}  // namespace laws
