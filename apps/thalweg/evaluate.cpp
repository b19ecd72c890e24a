// thalweg evaluate: the log-likelihood of data under a model.
#include "input.hpp"
#include "report.hpp"
#include "verbs.hpp"
#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/estimators/entropy.hpp>
#include <thalweg/estimators/expectation.hpp>

#include <fmt/format.h>

namespace thalweg::app {
namespace {

struct Flags {
  std::string model;
  InputFlags input;
  bool json = false;
};

int evaluate(const Flags& flags) {
  const Fitted fitted = read_fitted(flags.model);
  CsvSource source = flags.input.open_for(fitted.schema);
  const bool components = fitted.entry->has_components();
  double overlap = 0;  // entropy of the posterior
  Cutter slices(slice_rows);
  const auto add_entropy = [&](const Block& slice) {
    overlap += entropy(*fitted.model, fitted.parameters, slice).value_or(0);
  };
  Expectation<AnyModel> e(*fitted.model, fitted.parameters, fitted.plan);
  with_places(source, [&] {
    for (const Block& block : source) {
      fitted.model->check(fitted.schema, block);
      e.add(block);
      if (components) slices.feed(block, add_entropy);
    }
  });
  e.finish();
  slices.flush(add_entropy);
  const std::size_t p = fitted.plan.free_parameters;
  const double bic_value = bic(e.log_likelihood(), p, e.weight());
  Json summary = {{"observations", e.weight()},
                  {"log_likelihood", e.log_likelihood()},
                  {"mean_log_likelihood", e.log_likelihood() / e.weight()},
                  {"free_parameters", p},
                  {"aic", aic(e.log_likelihood(), p)},
                  {"bic", bic_value}};
  if (components) {
    summary["entropy"] = overlap;
    summary["icl"] = icl(bic_value, overlap);
  }
  if (flags.json) {
    fmt::print("{}\n", summary.dump());
  } else {
    for (const auto& [name, value] : summary.items()) fmt::print("{:<20} {}\n", name, value.dump());
  }
  return done;
}

}  // namespace

Run add_evaluate(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb =
      app.add_subcommand("evaluate", "log-likelihood, AIC, BIC and ICL of data under a model");
  verb->footer(
      "Example: compare a model on data that it has not seen\n"
      "  thalweg evaluate model.json test.csv --json");
  verb->add_option("MODEL", flags->model, "a model file that fit wrote")->required();
  flags->input.add(*verb, false);
  verb->add_flag("--json", flags->json, "one JSON object instead of a table");
  return [flags] { return evaluate(*flags); };
}

}  // namespace thalweg::app
