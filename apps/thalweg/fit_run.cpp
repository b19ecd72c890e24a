// One fit from flags to outcome, with progress, trace and checkpoints.
#include "fit_run.hpp"

#include "faults_report.hpp"
#include "fit_checkpoint.hpp"
#include "sources/first_rows.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/observers/progress.hpp>
#include <thalweg/observers/trace.hpp>
#include <thalweg/sources/journal.hpp>
#include <thalweg/sources/memory.hpp>
#include <thalweg/sources/reordered.hpp>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace thalweg::app {
namespace {

int terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// Mean log-likelihood of the rows of --validate.
std::function<double(const Parameters&)> validator(const FitFlags& flags, const Fitted& prototype) {
  if (!flags.has("validate")) return {};
  InputFlags input = flags.input;
  input.files = {flags.text("validate")};
  input.filter = {};
  input.follow = false;
  input.label_column.clear();  // held-out rows are scored as if nothing were known of them
  const auto source = input.open_for(prototype.schema, false, true);
  auto rows = std::make_shared<Table>(
      *read_all(*source, *prototype.model, std::numeric_limits<std::uint64_t>::max()));
  fmt::print(stderr, "{}", unknown_levels_text(source->unknown_levels()));
  return [rows, model = prototype.model, plan = prototype.plan](const Parameters& theta) {
    const Block block = rows->block();
    const auto e = expect_all(*model, theta, plan, block);
    return e.log_likelihood() / e.weight();
  };
}

Training training_of(const FitFlags& flags, const FitResult& result, const FitOptions& options) {
  const bool kept = result.memory > 0 || result.rate;
  const bool stepped = result.batch_size > 0 && !kept;
  const std::string step = result.rate ? Schedule::constant(*result.rate).text()
                           : stepped   ? options.online.step.text()
                                       : "";
  return {
      .method = std::string(name(result.method)),
      .observations = result.weight,
      .rows = result.rows,
      .passes = result.passes,
      .progressive_mean_log_likelihood = streams(result.method) ? result.progressive : std::nullopt,
      .log_likelihood = result.log_likelihood,
      .iterations = result.iterations,
      .converged = result.converged,
      .seed = flags.count("seed"),
      .step = step,
      .average = stepped ? options.online.average.text() : "",
      .batch_size = result.batch_size,
      .buffer = result.buffer,
      .events = result.events};
}

/// The model file of --continue, which must tell what is behind its parameters.
std::optional<Fitted> earlier_fit(const FitFlags& flags) {
  if (!flags.has("continue")) return std::nullopt;
  Fitted earlier = read_fitted(flags.text("continue"));
  if (!earlier.statistic || !earlier.training || !(earlier.statistic->weight > 0))
    throw Error(flags.text("continue") +
                ": has no statistics to go on with (give a file that fit wrote, or use --init)");
  if (earlier.regularisation.prior)  // several passes made it no stronger
    earlier.statistic->weight = std::min(earlier.statistic->weight, earlier.training->observations);
  return earlier;
}

/// A source whose rows were counted.
class OfKnownLength final : public Forwarding<> {
 public:
  OfKnownLength(Source& source, std::uint64_t rows) : Forwarding(source), rows_(rows) {}
  std::optional<std::uint64_t> rows() const override { return rows_; }

 private:
  std::uint64_t rows_;
};

/// One pass for the length, which --average half needs; the source is rewound.
std::uint64_t count_rows(Source& source) {
  std::uint64_t rows = 0;
  for (const Block& block : source) rows += block.rows;
  source.rewind();
  return rows;
}

}  // namespace

std::optional<double> Outcome::bic_value() const {
  if (!result.log_likelihood) return std::nullopt;
  return bic(*result.log_likelihood, free_parameters, result.weight);
}

std::optional<double> Outcome::icl_value() const {
  if (!result.log_likelihood || !result.entropy) return std::nullopt;
  return icl(*bic_value(), *result.entropy);
}

FitRows::FitRows(const FitFlags& flags, const Fitted& prototype, TableSource& source,
                 bool needed_again)
    : source_(source) {
  const Order order = flags.row_order();
  // --average half has to know the length: a file can tell it, a pipe cannot.
  const bool counts = flags.text("average") == "half" && flags.steps() && source.rewind();
  if (order == Order::sequential && !needed_again && !counts) return;
  std::optional<Table> rows = read_all(source, *prototype.model, flags.bytes("keep"));
  if (!rows && (order != Order::sequential || !source.rewind()))
    throw Error("the rows are needed more than once, and they do not fit into --keep " +
                flags.text("keep") + " (raise it, or give a file and --order sequential)");
  if (!rows) {
    if (counts) counted_ = std::make_unique<OfKnownLength>(source, count_rows(source));
    return;
  }
  table_ = std::move(*rows);
  if (order == Order::sequential) {
    kept_ = std::make_unique<MemorySource>(source.schema(), table_.block());
  } else {
    kept_ = std::make_unique<ReorderedSource>(
        source.schema(), table_.block(),
        ReorderedOptions{.order = order, .seed = flags.count("seed"), .unit = prototype.plan.unit});
  }
}

Outcome run_fit(const FitFlags& flags, const Fitted& prototype,
                const std::optional<Parameters>& init, Source& source, bool quiet,
                Observer* listener) {
  Outcome outcome{.fitted = prototype, .result = {}};
  FitOptions options = flags.options();
  options.stop = was_interrupted;
  std::optional<FitCheckpoint> checkpoint;
  if (flags.has("checkpoint") && !quiet) {
    checkpoint.emplace(flags, prototype);
    options.rest = [&checkpoint](bool stopping) { checkpoint->rest(stopping); };
  }
  const std::size_t components = component_count(prototype);
  Fit fit(prototype.model, options);
  if (init) fit.begin(*init);
  const std::optional<Fitted> earlier = earlier_fit(flags);
  if (earlier) fit.go_on_from(*init, *earlier->statistic, earlier->training->rows);
  if (components > 1) {
    ModelOptions one = prototype.options;
    one.set("components", "1");
    const Fitted baseline = prepare(*prototype.entry, one, prototype.schema);
    outcome.baseline_parameters = baseline.plan.free_parameters;
    fit.compare_with(baseline.model);
  }
  if (listener) fit.observe(*listener);
  const auto validate = quiet ? nullptr : validator(flags, prototype);
  std::optional<Progress> progress;
  if (!quiet && !flags.has("quiet") && flags.text("progress") != "never") {
    progress.emplace(
        stderr,
        ProgressOptions{.live = flags.text("progress") == "always" || ::isatty(STDERR_FILENO) == 1,
                        .share_read = [&source] { return source.share_read(); },
                        .validate = validate,
                        .width = terminal_width});
    fit.observe(*progress);
  }
  Trace trace;
  if (!quiet && flags.has("trace")) fit.observe(trace);

  Journal journal(source);
  FirstRows first(source.schema().width(), rows_for_diagnosis(prototype.plan));
  Observed rows(checkpoint ? static_cast<Source&>(journal) : source, {&first});
  if (checkpoint) checkpoint->attach(fit, trace);
  outcome.result =
      with_places(rows, [&] { return unless_interrupted([&] { return fit.run(rows); }); });
  if (!quiet && !outcome.result.stopped)
    outcome.diagnosis =
        diagnose(*prototype.model, prototype.plan, outcome.result, options, first.kept().block());
  if (progress) progress->finish();
  if (checkpoint) checkpoint->say();
  if (!quiet && flags.has("trace")) trace.write(flags.text("trace"), outcome.result.parameters);
  outcome.fitted.parameters = outcome.result.parameters;
  if (validate) outcome.held_out = validate(outcome.result.parameters);
  outcome.fitted.statistic = outcome.result.statistic;
  outcome.fitted.regularisation = outcome.result.regularisation;
  outcome.free_parameters = free_parameters(outcome.fitted);
  if (outcome.fitted.regularisation.prior)
    outcome.prior_weight = outcome.fitted.regularisation.prior->weight;
  outcome.fitted.training = training_of(flags, outcome.result, options);
  if (earlier) {
    outcome.fitted.training->rows += earlier->training->rows;
    outcome.fitted.training->observations += earlier->training->observations;
  }
  return outcome;
}

}  // namespace thalweg::app
