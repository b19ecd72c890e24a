#include "entries.hpp"
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/models/mixture.hpp>

#include <algorithm>

namespace thalweg {

std::shared_ptr<const AnyModel> gaussian_mixture(GaussianMixtureOptions options) {
  return erase(Mixture(Gaussian{.covariance = options.covariance}, options.components));
}

namespace {

const std::vector<std::string> kinds = {"full", "tied", "diag", "spherical"};  // as the enum

std::shared_ptr<const AnyModel> build(const ModelOptions& options) {
  const std::string& kind = options.text("covariance");
  const auto at = std::ranges::find(kinds, kind) - kinds.begin();
  return gaussian_mixture(
      {.components = options.count("components"), .covariance = static_cast<Covariance>(at)});
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
                       .help = "full: any ellipsoid; tied: one for all; diag: independent columns; "
                               "spherical: one variance a component",
                       .standard = "full",
                       .choices = kinds}},
          .parameters = {weights_parameter(),
                         {"means", "K × d", "mean of each component"},
                         {"covariances",
                          "K × d × d (full), d × d (tied), K × d (diag) or K (spherical)",
                          "covariance matrix or variances of each component"}},
          .takes_missing = false,
          .takes_counts_only = false,
          .build = build,
          .example = example};
}

}  // namespace thalweg
