// Mixtures of gamma distributions in the catalogue.
#include "entries.hpp"
#include "parts_of_columns.hpp"
#include <thalweg/core/capabilities.hpp>
#include <thalweg/families/gamma.hpp>
#include <thalweg/models/mixture.hpp>

#include <algorithm>

namespace thalweg {
namespace {

std::shared_ptr<const Model> build(const ModelOptions& options, const Schema&) {
  return std::make_shared<const Mixture<Gamma>>(Gamma{}, options.count("components"));
}

std::vector<Example> examples() {
  Example example{
      .name = "", .options = {{"components", "3"}}, .schema = {{"wait", "amount"}}, .truth = {}};
  const auto model = build(example.options, example.schema);
  example.truth = Parameters(model->plan(example.schema).parameters);
  std::ranges::copy(std::vector<double>{0.5, 0.3, 0.2}, example.truth["weights"].begin());
  std::ranges::copy(std::vector<double>{2.0, 3.0, 6.0, 1.2, 9.0, 5.0},
                    example.truth["shapes"].begin());
  std::ranges::copy(std::vector<double>{0.5, 4.0, 0.7, 2.0, 1.1, 9.0},
                    example.truth["scales"].begin());
  calibrate(*model, dense_block(nullptr, 0, example.schema.width()), example.truth);
  return {example};
}

MeanAndVariance moments(const Parameters& theta, std::size_t k, std::size_t j) {
  const std::size_t at = k * theta.layout().extent(Axis::column) + j;
  const double shape = theta["shapes"][at];
  const double scale = theta["scales"][at];
  return {.mean = shape * scale, .variance = shape * scale * scale};
}

}  // namespace

Entry gamma_entry() {
  return {
      .name = "gamma",
      .summary =
          "mixture of gamma distributions, for waiting times, amounts and other numbers above 0",
      .density =
          "sum_k w_k prod_j y_j^(shape_kj - 1) exp(-y_j / scale_kj) / (Gamma(shape_kj) "
          "scale_kj^shape_kj)",
      .options = {components_option()},
      .parameters = {weights_parameter(),
                     {"shapes", "K × d", "shape of each component in each column"},
                     {"scales", "K × d", "scale; the mean is shape × scale"}},
      .takes_missing = false,
      .takes_positive_only = true,
      .build = build,
      .examples = examples,
      .parts = independent_columns(moments)};
}

}  // namespace thalweg
