// The Gaussian mixture by its formulas: every kind of covariance is written out as K dense matrices, slowly and without the
// library's kernels.
#include "known.hpp"
#include "textbook_gaussian.hpp"

#include <algorithm>

namespace laws {
namespace {

using Matrix = std::vector<long double>;  // d × d

Covariance kind_of(const Layout& parameters) {
  const Piece& piece = *parameters.find("covariances");
  if (piece.shape.size() == 3) return Covariance::full;
  if (piece.shape.size() == 1) return Covariance::spherical;
  return piece.domain == Domain::covariance ? Covariance::tied : Covariance::diag;
}

std::size_t columns(const Parameters& theta) { return theta["shift"].size(); }

double mean(const Parameters& theta, std::size_t k, std::size_t j) {
  return theta["means"][k * columns(theta) + j];
}

double covariance(const Parameters& theta, std::size_t k, std::size_t i, std::size_t j) {
  const std::size_t d = columns(theta);
  const auto all = theta["covariances"];
  switch (kind_of(theta.layout())) {
    case Covariance::full:
      return all[(k * d + i) * d + j];
    case Covariance::tied:
      return all[i * d + j];
    case Covariance::diag:
      return i == j ? all[k * d + j] : 0;
    default:
      return i == j ? all[k] : 0;
  }
}

double log_density(const Parameters& theta, std::size_t k, std::span<const double> y) {
  const std::size_t d = y.size();
  textbook::Vector center(d);
  textbook::Matrix sigma(d, textbook::Vector(d));
  for (std::size_t i = 0; i < d; ++i) {
    center[i] = mean(theta, k, i);
    for (std::size_t j = 0; j < d; ++j) sigma[i][j] = covariance(theta, k, i, j);
  }
  return static_cast<double>(textbook::log_normal(center, sigma, {y.begin(), y.end()}));
}

/// S_k = sum_t w_t r_tk (y_t - m_k)(y_t - m_k)', the scatter of component k.
Matrix scatter(const Block& rows, std::span<const double> posterior, const Parameters& theta,
               std::size_t k) {
  const std::size_t d = rows.columns;
  const std::size_t K = theta["weights"].size();
  Matrix sum(d * d);
  for (std::size_t t = 0; t < rows.rows; ++t)
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        sum[i * d + j] += static_cast<long double>(rows.weight(t) * posterior[t * K + k]) *
                          (rows.row(t)[i] - mean(theta, k, i)) *
                          (rows.row(t)[j] - mean(theta, k, j));
  return sum;
}

void maximise(const Subject&, const Block& rows, std::span<const double> posterior,
              Parameters& theta) {
  const std::size_t K = theta["weights"].size();
  const std::size_t d = rows.columns;
  std::ranges::copy(weighted_means(rows, posterior, theta), theta["means"].begin());
  const Covariance kind = kind_of(theta.layout());
  auto out = theta["covariances"];
  if (kind == Covariance::tied) std::ranges::fill(out, 0.0);
  for (std::size_t k = 0; k < K; ++k) {
    const Matrix sum = scatter(rows, posterior, theta, k);
    const long double total = rows.total_weight();
    const long double share = theta["weights"][k] * total;
    long double trace = 0;
    for (std::size_t j = 0; j < d; ++j) trace += sum[j * d + j];
    if (kind == Covariance::spherical)
      out[k] = static_cast<double>(trace / share / static_cast<long double>(d));
    for (std::size_t j = 0; j < d && kind == Covariance::diag; ++j)
      out[k * d + j] = static_cast<double>(sum[j * d + j] / share);
    for (std::size_t i = 0; i < d * d; ++i) {
      if (kind == Covariance::full) out[k * d * d + i] = static_cast<double>(sum[i] / share);
      if (kind == Covariance::tied) out[i] += static_cast<double>(sum[i] / total);
    }
  }
}

bool one_unit(const Parameters& theta) { return kind_of(theta.layout()) == Covariance::spherical; }

void rescale(Parameters& theta, std::span<const double> a, std::span<const double> b) {
  const std::size_t d = a.size();
  for (std::size_t i = 0; i < theta["means"].size(); ++i)
    theta["means"][i] = a[i % d] + b[i % d] * theta["means"][i];
  const Covariance kind = kind_of(theta.layout());
  for (std::size_t i = 0; i < theta["covariances"].size(); ++i) {
    const bool matrix = kind == Covariance::full || kind == Covariance::tied;
    const double b_row = one_unit(theta) ? b[0] : b[matrix ? i / d % d : i % d];
    const double b_column = one_unit(theta) ? b[0] : b[i % d];
    theta["covariances"][i] *= b_row * b_column;
  }
  for (std::size_t j = 0; j < d; ++j) {
    theta["shift"][j] = a[j] + b[j] * theta["shift"][j];
    theta["scale"][j] *= b[j];
  }
}

const MakeKnown known(Known{.entry = "gaussian",
                            .log_density = log_density,
                            .mean = mean,
                            .covariance = covariance,
                            .maximise = maximise,
                            .rescale = rescale,
                            .one_unit = one_unit});

}  // namespace
}  // namespace laws
