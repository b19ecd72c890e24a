// The models of the catalogue for C++ programs, with options by name.
#pragma once

#include <thalweg/core/model.hpp>
#include <thalweg/export.hpp>
#include <thalweg/families/gaussian.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace thalweg {

struct GaussianMixtureOptions {
  std::size_t components = 1;
  Covariance covariance = Covariance::full;
};
THALWEG_API std::shared_ptr<const Model> gaussian_mixture(GaussianMixtureOptions options);

struct PoissonMixtureOptions {
  std::size_t components = 1;
};
THALWEG_API std::shared_ptr<const Model> poisson_mixture(PoissonMixtureOptions options);

struct CategoricalMixtureOptions {
  std::size_t components = 1;
  std::vector<std::size_t> levels = {};  // how many each column has
};
THALWEG_API std::shared_ptr<const Model> categorical_mixture(CategoricalMixtureOptions options);

}  // namespace thalweg
