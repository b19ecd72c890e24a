// Hidden Markov models: what a state emits is what a component of a mixture emits, without the weights.
#include "entries.hpp"
#include "parts_of_columns.hpp"
#include <thalweg/families/poisson.hpp>
#include <thalweg/models/chain.hpp>

#include <algorithm>
#include <stdexcept>

namespace thalweg {
namespace {

/// Mixtures of the catalogue whose components can be states.
std::vector<Entry> emissions() { return {gaussian_entry(), poisson_entry()}; }

/// The emission that the options name.
Entry emission_of(const Fitted& whole) {
  for (Entry& emission : emissions())
    if (emission.name == whole.options.text("emission")) return emission;
  throw std::logic_error("a chain without an emission");
}

/// Columns of a row tell of those beside them by the states of the chain: in which state a row is, the whole sequence says.
class EmissionParts final : public Parts {
 public:
  Fitted marginal(const Fitted& whole, const std::vector<std::size_t>& columns) const override {
    return emission_of(whole).parts->marginal(whole, columns);
  }
  std::unique_ptr<const Conditional> condition(
      const Fitted& whole, const std::vector<std::size_t>& given) const override {
    return emission_of(whole).parts->condition(whole, given);
  }
};

std::shared_ptr<const Model> build(const ModelOptions& options, const Schema&) {
  const std::size_t states = options.count("components");
  if (options.text("emission") == "poisson")
    return std::make_shared<const Chain<Poisson>>(Poisson{}, states);
  return std::make_shared<const Chain<Gaussian>>(Gaussian(covariance_kind(options)), states);
}

/// The mixture's example with its weights as start, and a cycle of states that is faster in one direction.
Example example(const Entry& emission, const Example& mixture) {
  Example example{.name = emission.name + (mixture.name.empty() ? "" : "_" + mixture.name),
                  .options = mixture.options,
                  .schema = mixture.schema,
                  .truth = {}};
  example.options.set("emission", emission.name);
  example.truth =
      Parameters(build(example.options, example.schema)->plan(example.schema).parameters);
  std::ranges::copy(std::vector<double>{0.5, 0.3, 0.2}, example.truth["start"].begin());
  std::ranges::copy(std::vector<double>{0.6, 0.3, 0.1, 0.15, 0.5, 0.35, 0.4, 0.1, 0.5},
                    example.truth["transition"].begin());
  for (const Piece& piece : mixture.truth.layout().pieces())
    if (piece.name != "weights")
      std::ranges::copy(mixture.truth[piece.name], example.truth[piece.name].begin());
  return example;
}

std::vector<Example> examples() {
  std::vector<Example> all;
  for (const Entry& emission : emissions())
    for (const Example& mixture : emission.examples()) all.push_back(example(emission, mixture));
  return all;
}

}  // namespace

Entry hmm_entry() {
  Entry entry{
      .name = "hmm",
      .summary = "hidden Markov model: states that follow each other along sequences of rows",
      .density =
          "sum over paths x of start_x1 g_x1(y_1) prod_t transition_x(t-1)x(t) "
          "g_x(t)(y_t)",
      .options = {components_option(),
                  {.name = "emission",
                   .flag = "--emission",
                   .help = "what a state emits: gaussian or poisson",
                   .standard = "gaussian",
                   .choices = {"gaussian", "poisson"}}},
      .parameters = {{"start", "K", "probability of each state in the first row"},
                     {"transition", "K × K",
                      "row i: probability of each state in the row after state i"}},
      .latent = Latent::states,
      .takes_sequences = true,
      .in_python = false,
      .build = build,
      .examples = examples,
      .parts = std::make_shared<const EmissionParts>(),
      .option_from = gaussian_entry().option_from};
  const Option choice = entry.options.back();
  for (const Entry& emission : emissions()) {
    const std::string_view name =
        *std::ranges::find(choice.choices, std::string_view(emission.name));
    for (Option option : emission.options) {
      option.only = {choice.name, name};
      if (option.name != "components") entry.options.push_back(option);
    }
    for (ParameterInfo parameter : emission.parameters) {
      parameter.only = {choice.name, name};
      if (parameter.name != "weights") entry.parameters.push_back(parameter);
    }
  }
  return entry;
}

}  // namespace thalweg
