// Probabilistic principal component analysis in the catalogue.
#include "entries.hpp"
#include "parts_of_columns.hpp"
#include <thalweg/catalogue/factors.hpp>

#include <algorithm>

namespace thalweg {

std::shared_ptr<const Model> ppca(PpcaOptions options) {
  return std::make_shared<const Ppca>(options);
}

namespace {

std::shared_ptr<const Model> build(const ModelOptions& options, const Schema&) {
  return ppca({.rank = options.count("rank"), .expanded = options.text("mstep") == "expanded"});
}

Example example(const std::string& name, const ModelOptions& options, const Schema& schema,
                const std::vector<double>& mean, const std::vector<double>& loadings,
                double noise) {
  Example example{.name = name, .options = options, .schema = schema, .truth = {}};
  const auto model = build(options, schema);
  example.truth = Parameters(model->plan(schema).parameters);
  std::ranges::copy(mean, example.truth["mean"].begin());
  std::ranges::copy(loadings, example.truth["loadings"].begin());
  example.truth["noise_variance"][0] = noise;
  calibrate(*model, dense_block(nullptr, 0, schema.width()), example.truth);
  return example;
}

std::vector<Example> examples() {
  return {example("one", {{"rank", "1"}, {"mstep", "expanded"}},
                  {{"length", "width", "height", "weight"}}, {1.0, -2.0, 0.5, 3.0},
                  {1.5, -0.8, 0.4, 2.0}, 0.7),
          example("two", {{"rank", "2"}, {"mstep", "expanded"}}, {{"a", "b", "c", "d", "e"}},
                  {0.0, 1.0, -1.0, 4.0, 2.0}, {2.0, 0.3, 1.2, -0.9, -0.7, 1.1, 0.4, 0.8, 1.6, -0.2},
                  0.5),
          example("plain", {{"rank", "2"}, {"mstep", "plain"}}, {{"a", "b", "c", "d"}},
                  {0.5, 1.0, -1.0, 2.0}, {1.4, 0.3, 0.9, -1.2, -0.7, 1.0, 0.6, 0.8}, 0.9)};
}

}  // namespace

Entry ppca_entry() {
  return {.name = "ppca",
          .summary = "probabilistic principal component analysis: a few factors and round noise",
          .density = "N(y; mean, loadings loadings' + noise_variance I)",
          .options = {{.name = "rank",
                       .flag = "-r",
                       .help = "number of factors",
                       .standard = "1",
                       .python = {.name = "n_components"}},
                      {.name = "mstep",
                       .flag = "--mstep",
                       .help = "expanded: factors are whitened again in every M-step, which spares "
                               "EM its crawl where the noise is small; plain: the textbook's",
                       .standard = "expanded",
                       .choices = {"expanded", "plain"},
                       .in_parameters = false}},
          .parameters = {{"mean", "d", "mean of each column"},
                         {"loadings", "d × r", "what a unit of each factor adds to each column"},
                         {"noise_variance", "1", "variance of the noise in every column"}},
          .latent = Latent::factors,
          .takes_missing = false,
          .takes_counts_only = false,
          .build = build,
          .examples = examples,
          .parts = ppca_parts(),
          .python = {.name = "PPCA", .method = "exact"}};
}

}  // namespace thalweg
