#include <thalweg/core/error.hpp>
#include <thalweg/families/gaussian.hpp>

#include <algorithm>
#include <array>
#include <random>

namespace thalweg {
namespace {

struct Gauge {
  double shift;
  double scale;
};

/// Median and the narrowest central range that is not empty, as a normal standard deviation. Outliers do not reach it.
Gauge robust_gauge(std::vector<double> column) {
  struct Range {
    double tail;    // share of the data outside, on each side
    double normal;  // width of that range for a standard normal
  };
  constexpr std::array<Range, 4> ranges{
      {{0.25, 1.3489795}, {0.10, 2.5631031}, {0.02, 4.1074978}, {0.0, 6.0}}};
  std::sort(column.begin(), column.end());
  const auto quantile = [&column](double q) {
    return column[static_cast<std::size_t>(
        std::lround(q * static_cast<double>(column.size() - 1)))];
  };
  const double median = quantile(0.5);
  for (const Range& range : ranges) {
    const double width = quantile(1.0 - range.tail) - quantile(range.tail);
    if (width > 0 && std::isfinite(width)) return {median, width / range.normal};
  }
  return {median, median == 0.0 ? 1.0 : std::abs(median)};  // a constant column
}

}  // namespace

std::vector<Piece> Gaussian::parameters(Extent e) const {
  if (covariance == Covariance::full && e.d > 1)
    throw UsageError("gaussian with full covariance takes one column so far, and there are " +
                     std::to_string(e.d) + " (use --covariance diag for independent columns)");
  std::vector<std::size_t> shape = {e.K, e.d};
  if (covariance == Covariance::full) shape.push_back(e.d);
  return {{.name = "means", .shape = {e.K, e.d}},
          {.name = "covariances", .shape = std::move(shape), .domain = Domain::positive},
          {.name = "shift", .shape = {e.d}, .constant = true},
          {.name = "scale", .shape = {e.d}, .domain = Domain::positive, .constant = true}};
}

void Gaussian::calibrate(const Block& buffer, Extent e, const double* weights,
                         double* theta) const {
  double* shift = theta + 2 * e.K * e.d;
  double* scale = shift + e.d;
  for (std::size_t j = 0; j < e.d; ++j) {
    Gauge gauge{0.0, 1.0};
    if (buffer.rows > 0) {
      std::vector<double> column(buffer.rows);
      for (std::size_t t = 0; t < buffer.rows; ++t) column[t] = buffer.row(t)[j];
      gauge = robust_gauge(std::move(column));
    } else if (weights) {  // mean and standard deviation of the mixture itself
      double mean = 0;
      for (std::size_t k = 0; k < e.K; ++k) mean += weights[k] * theta[k * e.d + j];
      double variance = 0;
      for (std::size_t k = 0; k < e.K; ++k) {
        const double delta = theta[k * e.d + j] - mean;
        variance += weights[k] * (theta[(e.K + k) * e.d + j] + delta * delta);
      }
      gauge = {mean, std::sqrt(variance)};
    }
    shift[j] = gauge.shift;
    scale[j] = gauge.scale;
  }
}

void Gaussian::draw(const double* theta, Extent e, std::size_t k, Random& random, double* y) const {
  for (std::size_t j = 0; j < e.d; ++j)
    y[j] = std::normal_distribution<double>(theta[k * e.d + j],
                                            std::sqrt(theta[(e.K + k) * e.d + j]))(random);
}

double Gaussian::change(const double* before, const double* after, Extent e) const {
  const double* scale = before + 2 * e.K * e.d + e.d;
  double largest = 0;
  for (std::size_t k = 0; k < e.K; ++k) {
    for (std::size_t j = 0; j < e.d; ++j) {
      const std::size_t mean = k * e.d + j;
      const std::size_t variance = (e.K + k) * e.d + j;
      largest = std::max({largest, std::abs(after[mean] - before[mean]) / scale[j],
                          std::abs(after[variance] - before[variance]) / (scale[j] * scale[j])});
    }
  }
  return largest;
}

}  // namespace thalweg
