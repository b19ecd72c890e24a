// The fit service: one fit from its job to a model with its training record.
#include "catalogue/fitted_regularisation.hpp"
#include "catalogue/training.hpp"
#include "sources/first_rows.hpp"
#include "sources/mixed_rows.hpp"
#include <thalweg/catalogue/criteria.hpp>
#include <thalweg/catalogue/fit_job.hpp>
#include <thalweg/core/capabilities.hpp>

#include <algorithm>

namespace thalweg {
namespace {

/// The same model with one component; nothing where that is the model itself.
std::optional<Fitted> baseline_of(const Fitted& model) {
  if (!model.entry || !model.entry->has_components() || !model.entry->has_size() ||
      component_count(model) == 1)
    return std::nullopt;
  ModelOptions one = model.options;
  one.set(model.entry->size().name, "1");
  return prepare(*model.entry, one, model.schema);
}

FitResult run(Fit& fit, const FitJob& job, Source& rows, std::optional<Diagnosis>& diagnosis) {
  if (!job.with_diagnosis) return fit.run(rows);
  FirstRows first(rows.schema().width(), rows_for_diagnosis(job.model.plan), job.model.plan.unit);
  Observed seen(rows, {&first});
  FitResult result = fit.run(seen);
  if (!result.stopped)
    diagnosis =
        diagnose(*job.model.model, job.model.plan, result, job.options, first.kept().block());
  return result;
}

/// A fit that learns row by row is misled by an order that means something. `automatic` gathers and mixes what fits by itself.
MixedRowsOptions mixing(const FitJob& job, const Tell& tell) {
  using When = MixedRowsOptions::When;
  const FitOptions& options = job.options;
  const bool gathers = options.method == Method::automatic;
  const bool in_steps = (streams(options.method) || gathers) && job.model.plan.unit == Unit::row;
  const bool mends = in_steps && job.mends_order && !options.live;
  return {.when = !mends               ? When::never
                  : options.passes > 1 ? When::always
                                       : When::if_needed,
          .keep = options.keep,
          .small_fits = gathers,
          .warns = in_steps && !gathers,
          .seed = options.online.seed,
          .tell = tell};
}

/// A row that is refused is told by its number in the source.
FitResult run(Fit& fit, const FitJob& job, MixedRows& rows, std::optional<Diagnosis>& diagnosis) {
  try {
    return run(fit, job, static_cast<Source&>(rows), diagnosis);
  } catch (const RowError& error) {
    throw RowError(rows.number_in_source(error.row()), error.reason());
  }
}

void score(FitOutcome& outcome) {
  const FitResult& result = outcome.result;
  if (!result.log_likelihood) return;
  const double log_likelihood = *result.log_likelihood;
  outcome.mean = log_likelihood / result.weight;
  outcome.aic = aic(log_likelihood, outcome.free_parameters);
  outcome.bic = bic(log_likelihood, outcome.free_parameters, result.weight);
  if (result.entropy) outcome.icl = icl(*outcome.bic, *result.entropy);
  if (result.baseline)
    outcome.baseline_bic =
        bic(*result.baseline * result.weight, outcome.baseline_parameters, result.weight);
}

}  // namespace

FitOutcome fit_model(const FitJob& job, Source& rows) {
  FitOutcome outcome{.fitted = job.model, .result = {}};
  const Tell tell = [&](const Remark& remark) {
    outcome.remarks.push_back(remark);
    if (job.options.tell) job.options.tell(remark);
  };
  FitOptions options = job.options;
  options.tell = tell;
  MixedRows mixed(rows, mixing(job, tell));
  options.mends_order = job.mends_order && !mixed.mixes();
  Fit fit(job.model.model, options);
  if (!job.starts.empty()) fit.begin(job.starts);
  if (job.earlier)
    fit.go_on_from(job.earlier->parameters, *job.earlier->statistic, job.earlier->training->rows);
  const std::optional<Fitted> baseline = job.with_baseline ? baseline_of(job.model) : std::nullopt;
  if (baseline) {
    outcome.baseline_parameters = baseline->plan.free_parameters;
    fit.compare_with(baseline->model);
  }
  for (Observer* observer : job.observers) fit.observe(*observer);
  if (job.attach) job.attach(fit);
  outcome.result = run(fit, job, mixed, outcome.diagnosis);
  if (outcome.result.parameters.size() == 0) return outcome;
  take(outcome.result, job.options, outcome.fitted,
       job.earlier ? &*job.earlier->training : nullptr);
  outcome.free_parameters = free_parameters(outcome.fitted);
  if (outcome.fitted.regularisation.prior)
    outcome.prior_weight = outcome.fitted.regularisation.prior->weight;
  score(outcome);
  return outcome;
}

void align_factors(Fitted& fitted) {
  const Regularisation& regularisation = fitted.regularisation;
  const auto is_held = [&](const Piece& piece) {
    return piece.meaning == Meaning::loading && regularisation.fixed->holds(piece.name, 0);
  };
  const bool held =
      regularisation.fixed && std::ranges::any_of(fitted.plan.parameters->pieces(), is_held);
  const bool known = regularisation.prior && !(regularisation.prior_strength > 0);
  if (held || known || !capability<Canonical>(*fitted.model)) return;
  Statistic none(fitted.plan.statistic);
  align(*fitted.model, fitted.parameters, fitted.statistic ? *fitted.statistic : none);
}

void arrange(FitOutcome& outcome, ComponentOrder order) {
  if (!outcome.fitted.entry->has_components()) return align_factors(outcome.fitted);
  const std::vector<std::size_t> components = component_order(outcome.fitted, order);
  reorder(outcome.fitted, components);
  outcome.result.events.relabel(components);
  if (std::optional<Moving>& moving = outcome.result.moving; moving && moving->component)
    moving->component = static_cast<std::size_t>(std::ranges::find(components, *moving->component) -
                                                 components.begin());
}

}  // namespace thalweg
