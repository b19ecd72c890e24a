// The laws of the table.
#include "designs.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace efficiency {

using namespace thalweg;

namespace {

/// Parameters of zeros in a gauge of one.
Design plain(std::string name, std::shared_ptr<const Model> model, std::size_t columns) {
  Design design{.name = std::move(name),
                .model = std::move(model),
                .schema = Schema::numbered(columns),
                .truth = {}};
  design.truth = Parameters(design.model->plan(design.schema).parameters);
  for (const Piece& piece : design.truth.layout().pieces())
    if (piece.constant && piece.meaning == Meaning::scale)
      for (double& scale : design.truth[piece.name]) scale = 1;
  return design;
}

Design gaussians(std::string name, std::size_t components, std::size_t columns) {
  Design design = plain(std::move(name), gaussian_mixture({.components = components}), columns);
  for (std::size_t k = 0; k < components; ++k)
    for (std::size_t j = 0; j < columns; ++j)
      design.truth["covariances"][(k * columns + j) * columns + j] = 1;
  return design;
}

}  // namespace

Design two_poissons() {
  Design design = plain("two Poissons", poisson_mixture({.components = 2}), 1);
  design.truth["weights"][0] = 0.8;
  design.truth["weights"][1] = 0.2;
  design.truth["rates"][0] = 1;
  design.truth["rates"][1] = 3;
  return design;
}

Design two_gaussians(double apart) {
  Design design =
      gaussians("two Gaussians, " + std::to_string(apart).substr(0, 3) + " apart", 2, 1);
  design.truth["weights"][0] = 0.4;
  design.truth["weights"][1] = 0.6;
  design.truth["means"][1] = apart;
  return design;
}

Design three_gaussians() {
  Design design = gaussians("three Gaussians", 3, 2);
  design.truth["weights"][0] = 0.5;
  design.truth["weights"][1] = 0.3;
  design.truth["weights"][2] = 0.2;
  design.truth["means"][2] = 3;
  design.truth["means"][5] = 3;
  return design;
}

Design eight_gaussians(std::uint64_t seed) {
  constexpr std::size_t K = 8;
  constexpr std::size_t d = 4;
  Design design = gaussians("eight Gaussians", K, d);
  Random random(seed, 0, 0);
  double total = 0;
  for (std::size_t k = 0; k < K; ++k) {
    total += design.truth["weights"][k] = 0.3 + random.uniform();
    for (std::size_t j = 0; j < d; ++j) {
      design.truth["means"][k * d + j] = 8 * random.uniform();
      design.truth["covariances"][(k * d + j) * d + j] = std::pow(0.5 + random.uniform(), 2);
    }
  }
  for (double& weight : design.truth["weights"]) weight /= total;
  return design;
}

Design two_factors() {
  Design design = plain("two factors", ppca({.rank = 2}), 10);
  Random random(5, 0, 0);
  for (double& loading : design.truth["loadings"]) loading = 2 * random.uniform() - 1;
  design.truth["noise_variance"][0] = 2;
  return design;
}

}  // namespace efficiency
