// What marginals and conditionals of different models are made with.
#pragma once

#include <thalweg/catalogue/parts.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace thalweg {

Schema schema_on(const Schema& schema, const std::vector<std::size_t>& columns);

/// A model of the same kind on some of the columns, its parameters zero. Limits of variances go on; what a prior says, and what is
/// held, is of all columns together.
Fitted on_columns(const Fitted& whole, const std::vector<std::size_t>& columns);

std::vector<std::size_t> other_columns(const Fitted& whole, const std::vector<std::size_t>& given);

/// Its components are as probable as this posterior says: the weights of a mixture, the start of a chain.
void weigh_components(std::span<const double> posterior, Fitted& part);

struct MeanAndVariance {
  double mean = 0;
  double variance = 0;
};

/// A mean and variance over components that have such, weighted by the posterior.
template <class InComponent>
MeanAndVariance over_components(std::span<const double> posterior, const InComponent& moments) {
  MeanAndVariance all;
  for (std::size_t k = 0; k < posterior.size(); ++k) all.mean += posterior[k] * moments(k).mean;
  for (std::size_t k = 0; k < posterior.size(); ++k) {
    const double apart = moments(k).mean - all.mean;
    all.variance += posterior[k] * (moments(k).variance + apart * apart);
  }
  return all;
}

/// Of a mixture, or a chain, whose columns are independent in a component: the given columns say which component it may be, and nothing else of
/// the others. `moments` are those of column j in component k; categorical columns need none.
std::shared_ptr<const Parts> independent_columns(
    std::function<MeanAndVariance(const Parameters& theta, std::size_t k, std::size_t j)> moments =
        {});

/// Of a mixture or a chain of Gaussians, whatever the kind of its covariances.
std::shared_ptr<const Parts> gaussian_parts();

/// Of a model with factors and round noise.
std::shared_ptr<const Parts> ppca_parts();

}  // namespace thalweg
