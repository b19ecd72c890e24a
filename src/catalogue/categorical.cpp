// Mixtures of categorical columns in the catalogue.
#include "entries.hpp"
#include "parts_of_columns.hpp"
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/families/categorical.hpp>
#include <thalweg/models/mixture.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {

std::shared_ptr<const Model> categorical_mixture(CategoricalMixtureOptions options) {
  return std::make_shared<const Mixture<Categorical>>(Categorical(std::move(options.levels)),
                                                      options.components);
}

namespace {

std::shared_ptr<const Model> build(const ModelOptions& options, const Schema& schema) {
  CategoricalMixtureOptions chosen{.components = options.count("components")};
  for (const auto& levels : schema.levels) chosen.levels.push_back(levels.size());
  return categorical_mixture(std::move(chosen));
}

std::vector<Example> examples() {
  Example example{.name = "",
                  .options = {{"components", "3"}},
                  .schema = {{"coat", "food", "size", "tail", "song"},
                             {{"smooth", "rough"},
                              {"seeds", "fish", "anything"},
                              {"small", "large"},
                              {"short", "long"},
                              {"yes", "no"}}},
                  .truth = {}};
  example.truth =
      Parameters(build(example.options, example.schema)->plan(example.schema).parameters);
  std::ranges::copy(std::vector<double>{0.5, 0.3, 0.2}, example.truth["weights"].begin());
  std::ranges::copy(
      std::vector<double>{0.22, 0.78, 0.7,  0.15, 0.15, 0.75, 0.25, 0.22, 0.78, 0.77, 0.23,  //
                          0.76, 0.24, 0.15, 0.15, 0.7,  0.78, 0.22, 0.25, 0.75, 0.22, 0.78,  //
                          0.78, 0.22, 0.22, 0.6,  0.18, 0.25, 0.75, 0.76, 0.24, 0.74, 0.26},
      example.truth["probabilities"].begin());
  return {example};
}

}  // namespace

Entry categorical_entry() {
  return {.name = "categorical",
          .summary = "mixture of independent categorical columns: latent class analysis",
          .density = "sum_k w_k prod_j p_kj(y_j), the product over the cells that are known",
          .options = {components_option()},
          .parameters = {weights_parameter(),
                         {"probabilities", "d × K × levels",
                          "of each column a table: the share of its levels in each component"}},
          .takes_missing = true,
          .takes_counts_only = true,
          .takes_categories = true,
          .build = build,
          .examples = examples,
          .parts = independent_columns()};
}

}  // namespace thalweg
