// thalweg show: a model file as a table.
#include "catalogue/fitted_regularisation.hpp"
#include "report.hpp"
#include "verbs.hpp"

#include <fmt/format.h>

namespace thalweg::app {
namespace {

struct ShowFlags {
  std::string model;
  bool json = false;
};

/// What the M-step was told, where that is not what it is told without being asked.
void show_regularisation(const RegularisationRecord& regularisation) {
  if (regularisation.floor) fmt::print("floor {:g}\n", *regularisation.floor);
  if (regularisation.ridge) fmt::print("ridge {:g}\n", *regularisation.ridge);
  if (!regularisation.prior.empty())
    fmt::print("prior worth {:g} rows{}\n", regularisation.prior_weight,
               regularisation.usual_prior ? "" : ", from another model file");
  if (!regularisation.fixed.empty())
    fmt::print("held: {}\n", fmt::join(regularisation.fixed, ", "));
}

int show(const ShowFlags& flags) {
  const Fitted fitted = read_fitted(flags.model);
  if (flags.json) {
    fmt::print("{}", to_json(to_file(fitted)));
    return done;
  }
  fmt::print("{}: {}\n", fitted.entry->name, fitted.entry->summary);
  for (const auto& [name, value] : fitted.options.values()) fmt::print("  {} {}\n", name, value);
  fmt::print("  free parameters {}\n\n{}", free_parameters(fitted), parameter_table(fitted));
  show_regularisation(regularisation_record(fitted));
  if (!fitted.training) return done;
  const Training& training = *fitted.training;
  fmt::print("\nfitted by {} to {} rows (total weight {:g}), {} passes, seed {}\n",
             training.method == "exact" ? "the closed form" : training.method + " EM",
             training.rows, training.observations, training.passes, training.seed);
  if (training.provisional)
    fmt::print("a coarse model of the first rows: starts had not been found yet\n");
  if (training.log_likelihood) fmt::print("log-likelihood {:.6f}\n", *training.log_likelihood);
  if (training.progressive_mean_log_likelihood)
    fmt::print("progressive mean log-likelihood {:.6f}\n",
               *training.progressive_mean_log_likelihood);
  fmt::print("{}{}", labels_text(training.labels), events_text(training.events, fitted.schema));
  return done;
}

}  // namespace

Run add_show(CLI::App& app) {
  auto flags = std::make_shared<ShowFlags>();
  CLI::App* verb = app.add_subcommand("show", "the parameters of a model file as a table");
  verb->footer(
      "Example:\n  thalweg show model.json\n  thalweg show model.json --json | jq .parameters");
  verb->add_option("MODEL", flags->model, "a model file that fit wrote")->required();
  verb->add_flag("--json", flags->json, "the model file itself, checked");
  return [flags] { return show(*flags); };
}

}  // namespace thalweg::app
