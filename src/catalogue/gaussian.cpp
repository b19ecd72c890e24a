// Mixtures of Gaussians in the catalogue.
#include "entries.hpp"
#include "parts_of_columns.hpp"
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/catalogue/named_array.hpp>
#include <thalweg/models/mixture.hpp>

#include <algorithm>

namespace thalweg {

std::shared_ptr<const Model> gaussian_mixture(GaussianMixtureOptions options) {
  return std::make_shared<const Mixture<Gaussian>>(Gaussian(options.covariance),
                                                   options.components);
}

namespace {

constexpr Choices kinds = {"full", "tied", "diag", "spherical"};  // as the enum

std::shared_ptr<const Model> build(const ModelOptions& options, const Schema&) {
  return gaussian_mixture(
      {.components = options.count("components"), .covariance = covariance_kind(options)});
}

/// The same weights and means under each kind of covariance.
Example example(const std::string& kind, const std::vector<double>& covariances) {
  Example example{.name = kind,
                  .options = {{"components", "3"}, {"covariance", kind}},
                  .schema = {{"length", "width"}},
                  .truth = {}};
  const auto model = build(example.options, example.schema);
  example.truth = Parameters(model->plan(example.schema).parameters);
  std::ranges::copy(std::vector<double>{0.5, 0.3, 0.2}, example.truth["weights"].begin());
  std::ranges::copy(std::vector<double>{0.0, 5.0, 2.5, 3.0, -1.0, 1.0},
                    example.truth["means"].begin());
  std::ranges::copy(covariances, example.truth["covariances"].begin());
  calibrate(*model, dense_block(nullptr, 0, example.schema.width()), example.truth);
  return example;
}

std::vector<Example> examples() {
  return {example("full", {1.0, 0.4, 0.4, 0.5, 0.6, -0.5, -0.5, 2.0, 1.5, 0.3, 0.3, 0.8}),
          example("tied", {1.2, 0.5, 0.5, 0.9}), example("diag", {1.0, 0.5, 0.6, 2.0, 1.5, 0.8}),
          example("spherical", {0.9, 1.6, 0.5})};
}

/// The kind of covariance by its number of extents. K × d and d × d look alike when K = d: a symmetric matrix is taken for a tied
/// covariance.
std::optional<std::string> covariance_from(std::string_view option,
                                           const std::vector<NamedArray>& parameters) {
  const NamedArray* const covariances = find_array(parameters, "covariances");
  if (option != "covariance" || !covariances) return std::nullopt;
  const NamedArray* const means = find_array(parameters, "means");
  const std::vector<std::size_t>& shape = covariances->shape;
  if (shape.size() == 3) return "full";
  if (shape.size() == 1) return "spherical";
  if (shape.size() != 2 || !means || means->shape.size() != 2) return "diag";
  const std::size_t K = means->shape[0];
  const std::size_t d = means->shape[1];
  if (shape[0] != d || shape[1] != d) return "diag";
  if (K != d) return "tied";
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (covariances->values[i * d + j] != covariances->values[j * d + i]) return "diag";
  return d > 1 ? "tied" : "diag";
}

}  // namespace

Covariance covariance_kind(const ModelOptions& options) {
  const std::string& kind = options.text("covariance");
  return static_cast<Covariance>(std::ranges::find(kinds, kind) - kinds.begin());
}

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
                       .choices = kinds,
                       .compares = true,
                       .python = {.name = "covariance_type"}}},
          .parameters = {weights_parameter(),
                         {"means", "K × d", "mean of each component"},
                         {"covariances",
                          "K × d × d (full), d × d (tied), K × d (diag) or K (spherical)",
                          "covariance matrix or variances of each component"}},
          .takes_missing = false,
          .takes_counts_only = false,
          .build = build,
          .examples = examples,
          .parts = gaussian_parts(),
          .option_from = covariance_from};
}

}  // namespace thalweg
