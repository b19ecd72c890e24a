// Probabilistic PCA in tests: simulated rows, and parameters between the library and the textbook.
#pragma once

#include "plain.hpp"
#include "textbook_ppca.hpp"
#include <thalweg/data/table.hpp>
#include <thalweg/models/ppca.hpp>

#include <gtest/gtest.h>

#include <random>

namespace ppcas {

using namespace thalweg;
using samples::plain;
using textbook::Factors;
using textbook::Real;

/// Writes all of theta but the constants.
inline void assign(const Factors& from, Parameters& theta) {
  for (std::size_t j = 0; j < from.d(); ++j) {
    theta["mean"][j] = static_cast<double>(from.mean[j]);
    for (std::size_t k = 0; k < from.r(); ++k)
      theta["loadings"][j * from.r() + k] = static_cast<double>(from.loadings[j][k]);
  }
  theta["noise_variance"][0] = static_cast<double>(from.noise);
}

inline Parameters parameters(const Ppca& model, const Factors& theta, const Block& rows) {
  Parameters out(model.plan(Schema::numbered(theta.d())).parameters);
  assign(theta, out);
  model.calibrate(rows, out);
  return out;
}

inline Factors factors(const Parameters& theta) {
  const auto mean = theta["mean"];
  const auto loadings = theta["loadings"];
  const std::size_t r = loadings.size() / mean.size();
  Factors out{.mean = {mean.begin(), mean.end()}, .loadings = {}, .noise = 0};
  for (std::size_t j = 0; j < mean.size(); ++j) {
    const auto row = loadings.subspan(j * r, r);
    out.loadings.emplace_back(row.begin(), row.end());
  }
  out.noise = theta["noise_variance"][0];
  return out;
}

/// A model with random loadings whose columns have these lengths.
inline Factors random_factors(std::size_t d, const std::vector<double>& lengths, double noise,
                              unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Factors theta{.mean = textbook::Vector(d),
                .loadings = textbook::Matrix(d, textbook::Vector(lengths.size())),
                .noise = noise};
  for (Real& m : theta.mean) m = normal(random);
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    Real squared = 0;
    for (auto& row : theta.loadings) {
      row[k] = normal(random);
      squared += row[k] * row[k];
    }
    for (auto& row : theta.loadings) row[k] *= lengths[k] / std::sqrt(squared);
  }
  return theta;
}

/// Rows drawn without the library; weights 0.5, 1, 1.5 in turn where asked for.
inline Table rows(const Factors& theta, std::size_t n, unsigned seed, bool weighted = false) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Table table(theta.d());
  std::vector<double> y(theta.d());
  std::vector<double> z(theta.r());
  for (std::size_t t = 0; t < n; ++t) {
    for (double& factor : z) factor = normal(random);
    for (std::size_t j = 0; j < y.size(); ++j) {
      y[j] = static_cast<double>(theta.mean[j]) +
             std::sqrt(static_cast<double>(theta.noise)) * normal(random);
      for (std::size_t k = 0; k < z.size(); ++k)
        y[j] += static_cast<double>(theta.loadings[j][k]) * z[k];
    }
    table.append_row(y.data(), weighted ? 0.5 * static_cast<double>(1 + t % 3) : 1.0);
  }
  return table;
}

/// Largest difference of mean, loadings and noise, relative where they are above 1.
inline double difference(const Factors& a, const Factors& b) {
  Real largest = std::abs(a.noise - b.noise) / std::max<Real>(1, b.noise);
  for (std::size_t j = 0; j < a.d(); ++j) {
    largest =
        std::max(largest, std::abs(a.mean[j] - b.mean[j]) / std::max<Real>(1, std::abs(b.mean[j])));
    for (std::size_t k = 0; k < a.r(); ++k)
      largest = std::max(largest, std::abs(a.loadings[j][k] - b.loadings[j][k]) /
                                      std::max<Real>(1, std::abs(b.loadings[j][k])));
  }
  return static_cast<double>(largest);
}

}  // namespace ppcas
