// Warnings of a fit, from its result, its baseline, its diagnosis and what is degenerate in it.
#include "catalogue/fitted_regularisation.hpp"
#include <thalweg/catalogue/warnings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace thalweg {
namespace {

std::string_view plural(const FitResult& result) {
  return result.method == Method::incremental        ? "passes"
         : result.method == Method::variance_reduced ? "epochs"
                                                     : "iterations";
}

std::string_view kind_of_em(const FitResult& result) {
  return result.method == Method::incremental        ? "incremental EM"
         : result.method == Method::variance_reduced ? "variance-reduced EM"
                                                     : "batch EM";
}

/// "means of component 2 in column width".
std::string place(const Moving& moving, const Fitted& fitted) {
  std::string text = moving.parameter;
  const bool states = fitted.entry && fitted.entry->latent == Latent::states;
  if (moving.component)
    text += fmt::format(" of {} {}", states ? "state" : "component", *moving.component);
  if (!moving.column) return text;
  const std::vector<std::string>& columns = fitted.schema.columns;
  text += moving.row != moving.column
              ? fmt::format(" in columns {} and {}", columns[*moving.row], columns[*moving.column])
              : " in column " + columns[*moving.column];
  return text;
}

/// "means of component 2 in column width moved by 0.03 in the last of them, 12.3 nat or more are left to gain". Gains are a sum of
/// geometric series, of which the slow ones come to the fore: until then Aitken's estimate is too low.
std::string still_moving(const FitOutcome& outcome) {
  const Moving& moving = *outcome.result.moving;
  std::string text;
  if (!moving.parameter.empty())
    text = fmt::format("{} moved by {:.2g} in the last of them", place(moving, outcome.fitted),
                       moving.by);
  const double left = moving.left * outcome.result.weight;
  const std::string gain = std::isfinite(left)
                               ? fmt::format("{:.3g} nat or more are left to gain", left)
                               : "gains still grow";
  return text + (text.empty() ? "" : ", ") + gain;
}

/// Two digits of it.
double roughly(double count) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(count)) - 1));
  return unit * std::round(count / unit);
}

Warning not_converged(const FitOutcome& outcome) {
  const FitResult& result = outcome.result;
  Message text = fmt::format("{} did not converge in {} {}", kind_of_em(result), result.iterations,
                             plural(result));
  if (!result.moving) {
    text.advise("raise " + option("max_iterations"));
    return {.kind = Warning::Kind::not_converged, .text = std::move(text)};
  }
  text += ": " + still_moving(outcome);
  const double more = result.moving->iterations_left().value_or(0);
  constexpr double hopeless = 1e6;  // more than anybody waits for
  if (more < hopeless)
    text.advise("raise " + option("max_iterations") +
                (more > 0 ? fmt::format(": about {:.0f} more would do", roughly(more)) : ""));
  text.advise("a larger " + option("tolerance"));
  if (component_count(outcome.fitted) > 1) text.advise("fewer components");
  return {.kind = Warning::Kind::not_converged, .text = std::move(text)};
}

/// Where g nat are left, p parameters are sqrt(2 g / p) standard errors from the maximum, in the root mean square: a quarter of
/// one is worth a word, and so are gains that grow.
std::optional<Warning> still_climbs(const FitOutcome& outcome) {
  const FitResult& result = outcome.result;
  if (!result.converged || !result.moving || streams(result.method)) return std::nullopt;
  const Moving& moving = *result.moving;
  const double p = static_cast<double>(outcome.free_parameters);
  const double left = moving.left * result.weight;
  const double worth_a_word = std::max(1.0, p / 32);
  const bool grows = !std::isfinite(left) && moving.gain * result.weight > 0.1;
  if (!grows && !(std::isfinite(left) && left > worth_a_word)) return std::nullopt;
  Message text =
      fmt::format("{} stopped while it climbs, its tolerance allows {:.2g} nat a row: {}",
                  kind_of_em(result), moving.allowed, still_moving(outcome));
  text.advise("a smaller " + option("tolerance"));
  return Warning{.kind = Warning::Kind::still_climbs, .text = std::move(text)};
}

/// By BIC where the likelihood of all rows is known, else by progressive likelihood.
std::optional<Warning> no_better(const FitOutcome& outcome) {
  const FitResult& result = outcome.result;
  if (!result.baseline) return std::nullopt;
  const auto said = [&](const std::string& figures) {
    return Warning{.kind = Warning::Kind::no_better,
                   .text = fmt::format("{} components are no better than one here ({})",
                                       component_count(outcome.fitted), figures)};
  };
  if (const auto one = outcome.baseline_bic) {
    if (*one > *outcome.bic) return std::nullopt;
    return said(fmt::format("BIC {:.2f} against {:.2f}", *outcome.bic, *one));
  }
  if (!result.progressive || *result.baseline < *result.progressive) return std::nullopt;
  return said(
      fmt::format("progressive {:.6f} against {:.6f}", *result.progressive, *result.baseline));
}

}  // namespace

std::string_view name(Warning::Kind kind) {
  constexpr std::array<std::string_view, 6> names = {"degenerate", "not_converged", "still_climbs",
                                                     "too_short",  "no_better",     "on_the_way"};
  return names[static_cast<std::size_t>(kind)];
}

bool falls_short(const FitResult& result) {
  return !streams(result.method) && !result.converged && !result.stopped;
}

std::optional<Warning> degenerate_warning(const Fitted& fitted) {
  const std::vector<Degeneracy> found = degeneracies(fitted);
  if (found.empty()) return std::nullopt;
  std::string all;
  for (const Degeneracy& one : found) all += (all.empty() ? "" : "; ") + sentence(one, fitted);
  Message text = "this fit is degenerate: " + all;
  for (Message& way : ways_out(found, fitted)) text.advise(std::move(way));
  return Warning{.kind = Warning::Kind::degenerate, .text = std::move(text)};
}

std::vector<Warning> warnings(const FitOutcome& outcome) {
  std::vector<Warning> all;
  const auto add = [&all](std::optional<Warning> warning) {
    if (warning) all.push_back(std::move(*warning));
  };
  const FitResult& result = outcome.result;
  if (result.parameters.size() == 0) return all;
  add(degenerate_warning(outcome.fitted));
  if (falls_short(result)) add(not_converged(outcome));
  add(still_climbs(outcome));
  if (outcome.diagnosis && outcome.diagnosis->slow)
    add(Warning{.kind = Warning::Kind::too_short, .text = outcome.diagnosis->sentence});
  add(no_better(outcome));
  for (const Remark& remark : outcome.remarks)
    if (remark.warning) all.push_back({.kind = Warning::Kind::on_the_way, .text = remark.text});
  return all;
}

}  // namespace thalweg
