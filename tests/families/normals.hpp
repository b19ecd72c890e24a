// Gaussian mixtures of every kind, in both tongues: the library's parameters and dense matrices for the textbook.
#pragma once

#include "core/change.hpp"
#include "samples.hpp"
#include "textbook_gaussian.hpp"

#include <array>
#include <random>

namespace normals {

using namespace thalweg;
using samples::GaussianMixture;

inline constexpr std::array kinds{Covariance::full, Covariance::tied, Covariance::diag,
                                  Covariance::spherical};

struct Twin {
  Gaussian family;
  GaussianMixture model;
  Extent e;
  Parameters theta;

  bool linear() const { return GaussianForm(family, theta.data() + e.K, e).linear(); }
  std::size_t covariance_entries() const { return theta["covariances"].size() / parts(); }
  std::size_t parts() const { return family.covariance == Covariance::tied ? 1 : e.K; }

  /// Every deviation of component k (of all where they share one) times `factor`.
  void stretch(std::size_t k, double factor) {
    const std::size_t each = covariance_entries();
    for (double& v : theta["covariances"].subspan(parts() == 1 ? 0 : k * each, each))
      v *= factor * factor;
  }
};

/// Means some units apart, eigenvalues between about ¼ and 2, shares 1 : 2 : 3 …
inline Twin make(Covariance kind, std::size_t K, std::size_t d, unsigned seed) {
  const Gaussian family(kind);
  Twin twin{family, GaussianMixture(family, K), {K, d}, {}};
  twin.theta = Parameters(twin.model.plan(Schema::numbered(d)).parameters);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (std::size_t k = 0; k < K; ++k)
    twin.theta["weights"][k] = 2.0 * static_cast<double>(k + 1) / static_cast<double>(K * (K + 1));
  for (double& m : twin.theta["means"]) m = 10 + 2 * normal(random);
  auto out = twin.theta["covariances"];
  if (!family.has_products()) {
    for (double& v : out) v = 0.5 + std::abs(normal(random));
  } else {
    for (std::size_t at = 0; at < out.size(); at += d * d) {
      std::vector<double> root(d * d);
      for (double& r : root) r = normal(random) / std::sqrt(static_cast<double>(d));
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) {
          double sum = i == j ? 0.25 : 0;
          for (std::size_t m = 0; m < d; ++m) sum += root[i * d + m] * root[j * d + m];
          out[at + i * d + j] = sum;
        }
    }
  }
  calibrate(twin.model, Block{}, twin.theta);
  return twin;
}

inline textbook::Normals written_out(const Twin& twin) {
  const auto [K, d] = twin.e;
  textbook::Normals out;
  const auto weights = twin.theta["weights"];
  out.weights.assign(weights.begin(), weights.end());
  const auto all = twin.theta["covariances"];
  for (std::size_t k = 0; k < K; ++k) {
    const auto mean = twin.theta["means"].subspan(k * d, d);
    out.means.emplace_back(mean.begin(), mean.end());
    textbook::Matrix sigma(d, textbook::Vector(d));
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) switch (twin.family.covariance) {
          case Covariance::full:
            sigma[i][j] = all[(k * d + i) * d + j];
            break;
          case Covariance::tied:
            sigma[i][j] = all[i * d + j];
            break;
          case Covariance::diag:
            sigma[i][j] = i == j ? all[k * d + j] : 0;
            break;
          default:
            sigma[i][j] = i == j ? all[k] : 0;
        }
    out.sigmas.push_back(std::move(sigma));
  }
  return out;
}

inline Table draw(const Twin& twin, std::size_t rows, std::uint64_t seed) {
  Table table(twin.e.d);
  std::vector<double> row(twin.e.d);
  for (std::size_t t = 0; t < rows; ++t) {
    Random random(seed, t);
    draw(twin.model, twin.theta, random, row.data());
    table.append_row(row.data());
  }
  return table;
}

inline std::vector<double> row_of(const Block& rows, std::size_t t) {
  return {rows.row(t), rows.row(t) + rows.columns};
}

}  // namespace normals
