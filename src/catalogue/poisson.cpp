// Mixtures of Poisson distributions in the catalogue.
#include "entries.hpp"
#include "parts_of_columns.hpp"
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/families/poisson.hpp>
#include <thalweg/models/mixture.hpp>

#include <algorithm>

namespace thalweg {

std::shared_ptr<const Model> poisson_mixture(PoissonMixtureOptions options) {
  return std::make_shared<const Mixture<Poisson>>(Poisson{}, options.components);
}

namespace {

std::shared_ptr<const Model> build(const ModelOptions& options, const Schema&) {
  return poisson_mixture({.components = options.count("components")});
}

std::vector<Example> examples() {
  Example example{
      .name = "", .options = {{"components", "3"}}, .schema = {{"calls", "faults"}}, .truth = {}};
  example.truth =
      Parameters(build(example.options, example.schema)->plan(example.schema).parameters);
  std::ranges::copy(std::vector<double>{0.5, 0.3, 0.2}, example.truth["weights"].begin());
  std::ranges::copy(std::vector<double>{1.0, 4.0, 5.0, 1.5, 9.0, 8.0},
                    example.truth["rates"].begin());
  return {example};
}

MeanAndVariance moments(const Parameters& theta, std::size_t k, std::size_t j) {
  const double rate = theta["rates"][k * theta.layout().extent(Axis::column) + j];
  return {.mean = rate, .variance = rate};
}

}  // namespace

Entry poisson_entry() {
  return {.name = "poisson",
          .summary = "mixture of Poisson distributions, for counts in any number of columns",
          .density = "sum_k w_k prod_j exp(-rate_kj) rate_kj^y_j / y_j!",
          .options = {components_option()},
          .parameters = {weights_parameter(),
                         {"rates", "K × d", "mean count of each component in each column"}},
          .takes_missing = false,
          .takes_counts_only = true,
          .build = build,
          .examples = examples,
          .parts = independent_columns(moments)};
}

}  // namespace thalweg
