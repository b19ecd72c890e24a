// Probabilistic PCA by its formulas: one component whose covariance is written out as a dense matrix.
#include "known.hpp"
#include "ppcas.hpp"

namespace laws {
namespace {

using ppcas::factors;

double mean(const Parameters& theta, std::size_t, std::size_t j) { return theta["mean"][j]; }

double covariance(const Parameters& theta, std::size_t, std::size_t i, std::size_t j) {
  return static_cast<double>(textbook::covariance(factors(theta))[i][j]);
}

double log_density(const Parameters& theta, std::size_t, std::span<const double> y) {
  return static_cast<double>(textbook::log_density(factors(theta), {y.begin(), y.end()}));
}

std::vector<double> scores(const Parameters& theta, std::span<const double> y) {
  const textbook::Factors at = factors(theta);
  const textbook::Vector z =
      textbook::scores(textbook::regression_on_rows(at), at, {y.begin(), y.end()});
  return {z.begin(), z.end()};
}

/// The posterior of the factors is that at theta as it comes in.
void maximise(const Subject& subject, const Block& rows, std::span<const double>,
              Parameters& theta) {
  const bool expanded = subject.example.options.text("mstep") == "expanded";
  ppcas::assign(
      textbook::batch_iteration(factors(theta), samples::plain(rows), {.expanded = expanded}),
      theta);
}

bool one_unit(const Parameters&) { return true; }

void rescale(Parameters& theta, std::span<const double> a, std::span<const double> b) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    theta["mean"][j] = a[j] + b[j] * theta["mean"][j];
    theta["shift"][j] = a[j] + b[j] * theta["shift"][j];
  }
  for (double& loading : theta["loadings"]) loading *= b[0];
  theta["noise_variance"][0] *= b[0] * b[0];
  theta["scale"][0] *= b[0];
}

const MakeKnown known(Known{.entry = "ppca",
                            .log_density = log_density,
                            .mean = mean,
                            .covariance = covariance,
                            .maximise = maximise,
                            .scores = scores,
                            .rescale = rescale,
                            .one_unit = one_unit});

}  // namespace
}  // namespace laws
