// The Gaussian mixtures of the library beside those of the textbook: every covariance type, parameters both ways.
#pragma once

#include "gaussians.hpp"
#include "samples.hpp"
#include <thalweg/catalogue/mixtures.hpp>

#include <array>
#include <string>

namespace samples {

using textbook::Gaussians;
using textbook::name;
using textbook::Shape;

inline constexpr std::array shapes{Shape::full, Shape::tied, Shape::diag, Shape::spherical};

inline thalweg::Covariance covariance(Shape shape) {
  constexpr std::array all{thalweg::Covariance::full, thalweg::Covariance::tied,
                           thalweg::Covariance::diag, thalweg::Covariance::spherical};
  return all[static_cast<std::size_t>(shape)];
}

inline std::shared_ptr<const thalweg::Model> gaussian_model(Shape shape, std::size_t K) {
  return thalweg::gaussian_mixture({.components = K, .covariance = covariance(shape)});
}

/// The numbers of `covariances` as the library keeps them: full [K][d][d], tied [d][d], diag [K][d], spherical [K].
inline std::vector<double> packed(const Gaussians& theta, Shape shape) {
  std::vector<double> out;
  for (std::size_t k = 0; k < (shape == Shape::tied ? 1 : theta.K()); ++k)
    for (std::size_t i = 0; i < (shape == Shape::spherical ? 1 : theta.d()); ++i)
      for (std::size_t j = 0; j < theta.d(); ++j)
        if (i == j || shape == Shape::full || shape == Shape::tied)
          out.push_back(static_cast<double>(theta.covariances[k][i][j]));
  return out;
}

/// Library parameters, the gauge taken from `rows`.
inline thalweg::Parameters parameters(const thalweg::Model& model, const Gaussians& theta,
                                      Shape shape, const thalweg::Block& rows) {
  thalweg::Parameters out(model.plan(thalweg::Schema::numbered(theta.d())).parameters);
  std::copy(theta.weights.begin(), theta.weights.end(), out["weights"].begin());
  for (std::size_t k = 0; k < theta.K(); ++k)
    std::copy(theta.means[k].begin(), theta.means[k].end(),
              out["means"].begin() + static_cast<std::ptrdiff_t>(k * theta.d()));
  const std::vector<double> numbers = packed(theta, shape);
  std::copy(numbers.begin(), numbers.end(), out["covariances"].begin());
  thalweg::calibrate(model, rows, out);
  return out;
}

/// The other way round.
inline Gaussians gaussians(const thalweg::Parameters& parameters, Shape shape) {
  const auto weights = parameters["weights"];
  const auto means = parameters["means"];
  const auto numbers = parameters["covariances"];
  const std::size_t K = weights.size();
  const std::size_t d = means.size() / K;
  Gaussians out{{weights.begin(), weights.end()},
                textbook::Matrix(K, textbook::Vector(d)),
                std::vector<textbook::Matrix>(K, textbook::Matrix(d, textbook::Vector(d)))};
  for (std::size_t k = 0; k < K; ++k)
    for (std::size_t i = 0; i < d; ++i) {
      out.means[k][i] = means[k * d + i];
      for (std::size_t j = 0; j < d; ++j) {
        if (shape == Shape::full) out.covariances[k][i][j] = numbers[(k * d + i) * d + j];
        if (shape == Shape::tied) out.covariances[k][i][j] = numbers[i * d + j];
      }
      if (shape == Shape::diag) out.covariances[k][i][i] = numbers[k * d + i];
      if (shape == Shape::spherical) out.covariances[k][i][i] = numbers[k];
    }
  return out;
}

/// n rows of a mixture.
inline textbook::Data draw(const Gaussians& theta, std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const std::vector<double> weights(theta.weights.begin(), theta.weights.end());
  std::discrete_distribution<std::size_t> component(weights.begin(), weights.end());
  std::vector<textbook::Matrix> factors;
  for (const auto& covariance : theta.covariances)
    factors.push_back(textbook::cholesky(covariance));
  textbook::Data data;
  for (std::size_t t = 0; t < n; ++t) {
    const std::size_t k = component(random);
    textbook::Vector y = theta.means[k];
    for (std::size_t j = 0; j < theta.d(); ++j) {
      const double z = normal(random);
      for (std::size_t i = j; i < theta.d(); ++i) y[i] += factors[k][i][j] * z;
    }
    data.rows.emplace_back(y.begin(), y.end());
  }
  return data;
}

}  // namespace samples
