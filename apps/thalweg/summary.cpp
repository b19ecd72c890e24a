// What fit says at the end.
#include "catalogue/fitted_regularisation.hpp"
#include "fit_run.hpp"

#include <fmt/format.h>

namespace thalweg::app {
namespace {

/// One component beside the mixture.
std::string baseline_text(const FitOutcome& outcome) {
  const FitResult& result = outcome.result;
  if (!result.baseline) return "";
  if (const auto one = outcome.baseline_bic)
    return fmt::format("one component: mean log-likelihood {:.6f}, BIC {:.2f}\n", *result.baseline,
                       *one);
  if (!result.progressive) return "";
  return fmt::format("one component: progressive mean log-likelihood {:.6f}\n", *result.baseline);
}

/// "converged after 40 iterations": how a method that iterates came to its end.
std::string ending(const FitResult& result, const std::string& unit) {
  return fmt::format("{} after {} {}",
                     result.converged ? "converged"
                     : result.stopped ? "interrupted"
                                      : "stopped",
                     result.iterations, unit) +
         (falls_short(result) ? ", not converged" : "");
}

std::string method_text(const FitResult& result) {
  switch (result.method) {
    case Method::batch:
      return fmt::format("batch EM {}\n", ending(result, "iterations"));
    case Method::incremental:
      return fmt::format("incremental EM {}; {} rows a block, {} bytes kept beside the rows\n",
                         ending(result, "passes"), result.batch_size, result.memory);
    case Method::variance_reduced:
      return fmt::format(
          "variance-reduced EM {}, {} passes in all; {} rows a mini-batch, rate {:.4g} at the "
          "end\n",
          ending(result, "epochs"), result.passes, result.batch_size, *result.rate);
    default:
      return "";
  }
}

/// What the search for starts cost, in passes over the rows.
double passes_of_search(const FitResult& result) {
  double visits = 0;
  for (const StartRecord& start : result.starts) visits += static_cast<double>(start.visits);
  return visits / static_cast<double>(result.rows);
}

}  // namespace

void print_summary(const FitFlags& flags, const Told& told) {
  const FitOutcome& outcome = told.outcome;
  const FitResult& result = outcome.result;
  std::vector<Warning> said_now = warnings(outcome);
  std::erase_if(said_now, [](const Warning& warning) {  // those were said then
    return warning.kind == Warning::Kind::on_the_way;
  });
  const std::string warned = warnings_text(said_now);
  if (flags.has("quiet")) {
    fmt::print(stderr, "{}", warned);
    return;
  }
  if (result.starts.size() > 1)
    fmt::print(stderr,
               "\nstarts, mean log-likelihood of {} rows ({} starts for the price of {:.3g} "
               "passes):\n{}",
               result.buffer, result.starts.size(), passes_of_search(result),
               starts_table(result.starts));
  fmt::print(stderr, "\n{}", parameter_table(outcome.fitted));
  fmt::print(stderr, "\n{} rows", result.rows);
  if (result.weight != static_cast<double>(result.rows))
    fmt::print(stderr, " (total weight {:g})", result.weight);
  fmt::print(stderr, "; {}\n", in_command(result.why));
  if (result.log_likelihood) {
    fmt::print(stderr, "log-likelihood {:.6f}, mean {:.6f}, AIC {:.2f}, BIC {:.2f}",
               *result.log_likelihood, *outcome.mean, *outcome.aic, *outcome.bic);
    if (result.entropy)
      fmt::print(stderr, ", ICL {:.2f}, entropy {:.4f}", *outcome.icl, *result.entropy);
    fmt::print(stderr, "\n{}", method_text(result));
  } else if (result.progressive) {
    fmt::print(stderr,
               "progressive mean log-likelihood {:.6f} (each row scored before it was learned)\n",
               *result.progressive);
  }
  if (outcome.diagnosis && !outcome.diagnosis->slow)  // else it is a warning
    fmt::print(stderr, "{}\n", in_command(outcome.diagnosis->sentence));
  if (outcome.prior_weight > 0) fmt::print(stderr, "prior worth {:g} rows\n", outcome.prior_weight);
  if (outcome.free_parameters != outcome.fitted.plan.free_parameters)
    fmt::print(stderr, "{} free parameters, {} held by --fix\n", outcome.free_parameters,
               outcome.fitted.plan.free_parameters - outcome.free_parameters);
  if (told.held_out)
    fmt::print(stderr, "held-out mean log-likelihood {:.6f} ({})\n", *told.held_out,
               flags.text("validate"));
  fmt::print(stderr, "{}{}{}{}", labels_text(outcome.fitted.training->labels),
             baseline_text(outcome), warned, events_text(result.events, outcome.fitted.schema));
  if (result.stopped) fmt::print(stderr, "interrupted: this is what was learned until then\n");
  if (result.stopped && flags.has("checkpoint"))
    fmt::print(stderr, "the same command with --resume goes on from {}\n",
               flags.text("checkpoint"));
  if (flags.has("output")) fmt::print(stderr, "model written to {}\n", flags.text("output"));
}

Json summary_json(const Told& told) {
  const FitOutcome& outcome = told.outcome;
  const FitResult& result = outcome.result;
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  const Json file = Json::parse(to_json(to_file(outcome.fitted)));
  Json starts = Json::array();
  for (const StartRecord& start : result.starts)
    starts.push_back({{"start", start.number},
                      {"at_start", start.at_start},
                      {"after_short_em", start.after_short_em},
                      {"in_race", std::isnan(start.in_race) ? Json(nullptr) : Json(start.in_race)},
                      {"chosen", start.chosen}});
  return {{"model", outcome.fitted.entry->name},
          {"options", file.at("options")},
          {"columns", outcome.fitted.schema.columns},
          {"method", std::string(name(result.method))},
          {"why", in_command(result.why)},
          {"rows", result.rows},
          {"observations", result.weight},
          {"passes", result.passes},
          {"iterations", result.iterations},
          {"converged", result.converged},
          {"interrupted", result.stopped},
          {"log_likelihood", or_null(result.log_likelihood)},
          {"mean_log_likelihood", or_null(outcome.mean)},
          {"progressive_mean_log_likelihood", or_null(result.progressive)},
          {"held_out_mean_log_likelihood", or_null(told.held_out)},
          {"free_parameters", outcome.free_parameters},
          {"aic", or_null(outcome.aic)},
          {"bic", or_null(outcome.bic)},
          {"entropy", or_null(result.entropy)},
          {"icl", or_null(outcome.icl)},
          {"prior_weight", outcome.prior_weight > 0 ? Json(outcome.prior_weight) : Json(nullptr)},
          {"baseline_mean_log_likelihood", or_null(result.baseline)},
          {"em_rate", outcome.diagnosis ? Json(outcome.diagnosis->slowest.rate) : Json(nullptr)},
          {"forgotten", outcome.diagnosis ? or_null(outcome.diagnosis->forgotten) : Json(nullptr)},
          {"batch_size", result.batch_size},
          {"kept_bytes", result.memory > 0 ? Json(result.memory) : Json(nullptr)},
          {"rate", or_null(result.rate)},
          {"buffer", result.buffer},
          {"events", events_json(result.events)},
          {"degenerate", degenerate_json(degeneracies(outcome.fitted))},
          {"warnings", warnings_json(warnings(outcome))},
          {"labels", outcome.fitted.training->labels},
          {"starts", starts},
          {"search_passes", result.starts.empty() ? Json(nullptr) : Json(passes_of_search(result))},
          {"parameters", file.at("parameters")}};
}

}  // namespace thalweg::app
