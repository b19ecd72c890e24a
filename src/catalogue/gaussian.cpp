#include "entries.hpp"
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/models/mixture.hpp>

#include <algorithm>

namespace thalweg {

std::shared_ptr<const AnyModel> gaussian_mixture(GaussianMixtureOptions options) {
  return erase(Mixture(Gaussian{.covariance = options.covariance}, options.components));
}

namespace {

std::shared_ptr<const AnyModel> build(const ModelOptions& options) {
  const bool full = options.text("covariance") == "full";
  return gaussian_mixture({.components = options.count("components"),
                           .covariance = full ? Covariance::full : Covariance::diag});
}

Example example() {
  Example example{.options = {{"components", "3"}, {"covariance", "diag"}},
                  .schema = {{"length", "width"}},
                  .truth = {}};
  const auto model = build(example.options);
  example.truth = Parameters(model->plan(example.schema).parameters);
  std::ranges::copy(std::vector<double>{0.5, 0.3, 0.2}, example.truth["weights"].begin());
  std::ranges::copy(std::vector<double>{0.0, 5.0, 2.5, 3.0, -1.0, 1.0},
                    example.truth["means"].begin());
  std::ranges::copy(std::vector<double>{1.0, 0.5, 0.6, 2.0, 1.5, 0.8},
                    example.truth["covariances"].begin());
  model->calibrate(dense_block(nullptr, 0, example.schema.width()), example.truth);
  return example;
}

}  // namespace

Entry gaussian_entry() {
  return {.name = "gaussian",
          .summary = "mixture of normal distributions, for real numbers",
          .density = "sum_k w_k N(y; mean_k, covariance_k)",
          .options = {components_option(),
                      {.name = "covariance",
                       .flag = "--covariance",
                       .help = "full (so far for one column only), or diag: independent columns",
                       .standard = "full",
                       .choices = {"full", "diag"}}},
          .parameters = {weights_parameter(),
                         {"means", "K × d", "mean of each component"},
                         {"covariances", "K × d (diag) or K × d × d (full)",
                          "variances of each component"}},
          .takes_missing = false,
          .takes_counts_only = false,
          .build = build,
          .example = example};
}

}  // namespace thalweg
