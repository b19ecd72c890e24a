// Probabilistic PCA by its formulas: one component whose covariance is written out as a dense matrix.
#include "known.hpp"
#include "textbook_ppca.hpp"

#include <limits>

namespace laws {
namespace {

Ppca ppca_of(const Subject& subject) {
  return Ppca({.rank = subject.example.options.count("rank"),
               .expanded = subject.example.options.text("mstep") == "expanded"});
}

Outcome direct(Who who, const Subject& subject, const Block& rows, const Setting& setting) {
  const auto model = std::make_shared<const Ppca>(ppca_of(subject));
  return run<Ppca>(who, model, subject.example.schema, rows, setting);
}

std::shared_ptr<const AnyModel> erased(const Subject& subject) { return erase(ppca_of(subject)); }

textbook::Factors factors_of(const Parameters& theta) {
  textbook::Factors out;
  const auto mean = theta["mean"];
  const auto loadings = theta["loadings"];
  const std::size_t r = loadings.size() / mean.size();
  for (std::size_t j = 0; j < mean.size(); ++j) {
    out.mean.push_back(mean[j]);
    const auto row = loadings.subspan(j * r, r);
    out.loadings.emplace_back(row.begin(), row.end());
  }
  out.noise = theta["noise_variance"][0];
  return out;
}

double mean(const Parameters& theta, std::size_t, std::size_t j) { return theta["mean"][j]; }

double covariance(const Parameters& theta, std::size_t, std::size_t i, std::size_t j) {
  return static_cast<double>(textbook::covariance(factors_of(theta))[i][j]);
}

double log_density(const Parameters& theta, std::size_t, std::span<const double> y) {
  return static_cast<double>(textbook::log_density(factors_of(theta), {y.begin(), y.end()}));
}

std::vector<double> scores(const Parameters& theta, std::span<const double> y) {
  const textbook::Factors factors = factors_of(theta);
  const textbook::Vector z =
      textbook::scores(textbook::regression_on_rows(factors), factors, {y.begin(), y.end()});
  return {z.begin(), z.end()};
}

/// The posterior of the factors is that at theta as it comes in.
void maximise(const Subject& subject, const Block& rows, std::span<const double>,
              Parameters& theta) {
  textbook::Data data;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    data.rows.emplace_back(rows.row(t), rows.row(t) + rows.columns);
    data.weights.push_back(rows.weight(t));
  }
  const textbook::Factors next = textbook::batch_iteration(
      factors_of(theta), data, {.expanded = subject.example.options.text("mstep") == "expanded"});
  const std::size_t r = next.r();
  for (std::size_t j = 0; j < next.d(); ++j) {
    theta["mean"][j] = static_cast<double>(next.mean[j]);
    for (std::size_t k = 0; k < r; ++k)
      theta["loadings"][j * r + k] = static_cast<double>(next.loadings[j][k]);
  }
  theta["noise_variance"][0] = static_cast<double>(next.noise);
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

}  // namespace

const Known& known_ppca() {
  static const Known one{.entry = "ppca",
                         .direct = direct,
                         .erased = erased,
                         .log_density = log_density,
                         .mean = mean,
                         .covariance = covariance,
                         .scores = scores,
                         .maximise = maximise,
                         .rescale = rescale,
                         .one_unit = one_unit,
                         .far = 1e12,
                         .outside = std::numeric_limits<double>::infinity()};
  return one;
}

}  // namespace laws
