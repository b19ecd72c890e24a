// thalweg evaluate: the log-likelihood of data under a model.
#include "catalogue/fitted_regularisation.hpp"
#include "core/slices.hpp"
#include "faults_report.hpp"
#include "flags.hpp"
#include "input.hpp"
#include "report.hpp"
#include "verbs.hpp"
#include <thalweg/catalogue/criteria.hpp>
#include <thalweg/core/border.hpp>
#include <thalweg/estimators/entropy.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/information.hpp>

#include <fmt/format.h>

namespace thalweg::app {
namespace {

struct EvaluateFlags {
  std::string model;
  InputFlags input;
  bool standard_errors = false;
  bool json = false;
};

/// "rates[0][1]" and the standard error of each, as far as the rows determine them.
Json standard_errors(const Fitted& fitted, const Table& rows) {
  const Information found = information(*fitted.model, fitted.parameters, rows.block(),
                                        fitted.regularisation.fixed.get());
  if (found.singular)
    throw Error(
        "no standard errors: the rows do not determine every parameter (components that are alike "
        "or empty, fewer rows than parameters, or factors that can be rotated)");
  const std::vector<double> errors = found.standard_errors(fitted.parameters.size(), found.rows);
  const std::vector<std::string> names = fitted.plan.parameters->entry_names();
  Json by_name = Json::object();
  std::size_t at = 0;
  for (const Piece& piece : fitted.plan.parameters->pieces())
    if (!piece.constant)
      for (std::size_t i = 0; i < piece.size(); ++i)
        by_name[names[at++]] = errors[piece.offset + i];
  return by_name;
}

void print_errors(const Fitted& fitted, const Json& errors) {
  fmt::print("\n{:<24} {:>14} {:>14}\n", "parameter", "value", "standard error");
  std::size_t at = 0;
  const std::vector<std::string> names = fitted.plan.parameters->entry_names();
  for (const Piece& piece : fitted.plan.parameters->pieces())
    if (!piece.constant)
      for (std::size_t i = 0; i < piece.size(); ++i, ++at)
        fmt::print("{:<24} {:>14.6g} {:>14.4g}\n", names[at],
                   fitted.parameters.data()[piece.offset + i], errors[names[at]].get<double>());
}

int evaluate(const EvaluateFlags& flags) {
  const Fitted fitted = read_fitted(flags.model);
  flags.input.check_sequences(*fitted.entry);
  const auto opened = flags.input.open_for(fitted.schema);
  if (flags.input.one_sequence(*fitted.entry)) fmt::print(stderr, "note: {}\n", one_sequence_note);
  Source& source = *opened;
  const bool components = fitted.entry->has_components();
  double overlap = 0;  // entropy of the posterior
  Cutter slices(slice_rows, fitted.plan.unit);
  const auto add_entropy = [&](const Block& slice) {
    overlap += entropy(*fitted.model, fitted.parameters, slice, ThreadPool(1), fitted.plan.unit)
                   .value_or(0);
  };
  Table kept(fitted.schema.width());
  const ThreadPool pool(static_cast<std::size_t>(flags.input.threads));
  Expectation e(*fitted.model, fitted.parameters, fitted.plan, pool);
  Admission border(fitted.plan.unit);
  with_places(source, [&] {
    for (const Block& block : source) {
      border.admit(*fitted.model, fitted.schema, block);
      e.add(block);
      if (flags.standard_errors) kept.append(block);
      if (components) slices.feed(block, add_entropy);
    }
  });
  fmt::print(stderr, "{}{}", faults_text(opened->faults(), opened->given()),
             unknown_levels_text(opened->unknown_levels()));
  e.finish();
  slices.flush(add_entropy);
  const std::size_t p = free_parameters(fitted);
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
  const Json errors = flags.standard_errors ? standard_errors(fitted, kept) : Json();
  if (flags.json) {
    if (flags.standard_errors) summary["standard_errors"] = errors;
    if (!opened->faults().empty()) summary["faults"] = faults_json(opened->faults());
    if (opened->unknown_levels().cells() > 0)
      summary["unknown_levels"] = unknown_levels_json(opened->unknown_levels());
    fmt::print("{}\n", summary.dump());
  } else {
    for (const auto& [name, value] : summary.items()) fmt::print("{:<20} {}\n", name, value.dump());
    if (flags.standard_errors) print_errors(fitted, errors);
  }
  return done;
}

}  // namespace

Run add_evaluate(CLI::App& app) {
  auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* verb =
      app.add_subcommand("evaluate", "log-likelihood, AIC, BIC and ICL of data under a model");
  verb->footer(
      "Example: compare a model on data that it has not seen\n"
      "  thalweg evaluate model.json test.csv --json\n"
      "Example: how sure the fit is of its parameters\n"
      "  thalweg evaluate model.json data.csv --standard-errors");
  verb->add_option("MODEL", flags->model, "a model file that fit wrote")->required();
  flags->input.add(*verb, false);
  add_threads(*verb, flags->input.threads);
  verb->add_flag("--standard-errors", flags->standard_errors,
                 "of every parameter, by the Fisher information of these rows, which are kept in "
                 "memory: the rows of the fit give the errors of the fit");
  verb->add_flag("--json", flags->json, "one JSON object instead of a table");
  return [flags] { return evaluate(*flags); };
}

}  // namespace thalweg::app
