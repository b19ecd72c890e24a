// What every fit must be, whatever the table: finite, valid, honest about its likelihood, and readable from its file.
#pragma once

#include "gaussian_models.hpp"
#include "plain.hpp"
#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/estimators/expectation.hpp>

#include <bit>
#include <optional>
#include <sstream>

namespace torture {

using namespace thalweg;
using samples::plain;
using samples::Shape;

/// What a log-likelihood may be: docs/models/gaussian.md lets cells further than 1e150 scales from the median count as that
/// far, and log densities end at -1e300, where a double is near its own end.
struct Truth {
  textbook::Real lowest = 0;
  textbook::Real highest = 0;
};

inline Truth true_log_likelihood(const Parameters& theta, Shape shape, const Block& rows) {
  textbook::Data data = plain(rows);
  for (auto& y : data.rows)
    for (std::size_t j = 0; j < y.size(); ++j) {
      const textbook::Real reach = textbook::Real(1e150) * theta["scale"][j];
      const textbook::Real z = textbook::Real(y[j]) - theta["shift"][j];
      y[j] = static_cast<double>(theta["shift"][j] + std::clamp(z, -reach, reach));
    }
  const textbook::Vector densities =
      textbook::log_densities(samples::gaussians(theta, shape), data);
  Truth truth;
  for (std::size_t t = 0; t < densities.size(); ++t) {
    truth.lowest += data.weights[t] * densities[t];
    truth.highest += data.weights[t] * std::max<textbook::Real>(densities[t], -1e300L);
  }
  return truth;
}

/// Weights of a distribution, covariances symmetric and positive definite. Empty: nothing is wrong.
inline std::string invalid(const Parameters& theta, Shape shape) {
  std::ostringstream out;
  if (!theta.finite()) out << "parameters are not finite; ";
  double total = 0;
  for (const double w : theta["weights"]) {
    if (!(w >= 0)) out << "weight " << w << "; ";
    total += w;
  }
  if (!(std::abs(total - 1) <= 1e-9)) out << "weights sum to " << total << "; ";
  const auto mixture = samples::gaussians(theta, shape);
  for (std::size_t k = 0; k < mixture.K(); ++k) {
    const textbook::Matrix& c = mixture.covariances[k];
    for (std::size_t i = 0; i < c.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (c[i][j] != c[j][i]) out << "covariance " << k << " is not symmetric; ";
    if (textbook::cholesky(c).empty()) out << "covariance " << k << " is not positive definite; ";
  }
  return out.str();
}

/// `claimed` against the long double evaluation at the very parameters: relative 1e-6, and 1e-6 nat a row, unless told
/// otherwise.
inline std::string wrong_likelihood(double claimed, Truth truth, double rows,
                                    double relative = 1e-6) {
  const auto close = [&](textbook::Real value) { return relative * (std::abs(value) + rows); };
  if (std::isfinite(claimed) && claimed >= truth.lowest - close(truth.lowest) &&
      claimed <= truth.highest + close(truth.highest))
    return "";
  std::ostringstream out;
  out.precision(12);
  out << "log-likelihood " << claimed << " where " << truth.highest << " is true; ";
  return out.str();
}

/// A model file that is written and read gives the same bits.
inline std::string lost_in_a_file(const Parameters& theta, Shape shape, const Schema& schema) {
  try {
    Fitted fitted = prepare(find_entry("gaussian"),
                            {{"components", std::to_string(theta["weights"].size())},
                             {"covariance", samples::name(shape)}},
                            schema);
    fitted.parameters = theta;
    const Fitted again = from_file(model_from_json(to_json(to_file(fitted)), "file"), "file");
    for (const char* piece : {"weights", "means", "covariances"}) {
      const auto before = theta[piece];
      const auto after = again.parameters[piece];
      if (!std::equal(before.begin(), before.end(), after.begin(), after.end(),
                      [](double x, double y) {
                        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
                      }))
        return std::string(piece) + " changed in the file; ";
    }
  } catch (const std::exception& e) {
    return std::string("its model file is refused: ") + e.what() + "; ";
  }
  return "";
}

/// All of it. Empty: the fit is sound.
inline std::string unsound(const Model& model, Shape shape, const Parameters& theta,
                           std::optional<double> reported, const Block& rows,
                           double relative = 1e-6) {
  std::string faults = invalid(theta, shape);
  if (!faults.empty()) return faults;
  const Schema schema = Schema::numbered(rows.columns);
  const Truth exact = true_log_likelihood(theta, shape, rows);
  const double n = rows.total_weight();
  const double evaluated = expect_all(model, theta, model.plan(schema), rows).log_likelihood();
  faults += wrong_likelihood(evaluated, exact, n, relative);
  if (reported) {
    const std::string fault = wrong_likelihood(*reported, exact, n, relative);
    if (!fault.empty()) faults += "reported " + fault;
  }
  return faults + lost_in_a_file(theta, shape, schema);
}

}  // namespace torture
