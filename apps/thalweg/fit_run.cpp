// One fit from flags to outcome, with progress, trace and checkpoints.
#include "fit_run.hpp"

#include "faults_report.hpp"
#include "fit_checkpoint.hpp"
#include "sources/first_rows.hpp"
#include "sources/journal.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/observers/progress.hpp>
#include <thalweg/observers/trace.hpp>
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

FitRows::FitRows(const FitFlags& flags, const Fitted& prototype, TableSource& source,
                 bool needed_again)
    : source_(source) {
  const Order order = flags.row_order();
  // --average half has to know the length: a file can tell it, a pipe cannot.
  const bool counts = flags.text("average") == "half" && flags.steps() && source.rewind();
  if (order == Order::sequential && !needed_again && !counts) return;
  std::optional<Table> rows = read_all(source, *prototype.model, flags.bytes("keep"));
  const bool in_file = !flags.given("order") || order == Order::sequential;
  if (!rows && (!in_file || !source.rewind()))
    throw Error("the rows are needed more than once, and they do not fit into --keep " +
                flags.text("keep") + " (raise it, or give a file and --order sequential)");
  if (!rows) {
    if (counts) counted_ = std::make_unique<OfKnownLength>(source, count_rows(source));
    return;
  }
  table_ = std::move(*rows);
  reordered_ = order != Order::sequential;
  if (!reordered_) {
    kept_ = std::make_unique<MemorySource>(source.schema(), table_.block());
  } else {
    kept_ = std::make_unique<ReorderedSource>(
        source.schema(), table_.block(),
        ReorderedOptions{.order = order, .seed = flags.count("seed"), .unit = prototype.plan.unit});
  }
}

Told run_fit(const FitFlags& flags, FitJob job, Source& source) {
  Told told;
  std::optional<FitCheckpoint> checkpoint;
  if (flags.has("checkpoint")) {
    checkpoint.emplace(flags, job.model);
    job.options.rest = [&checkpoint](bool stopping) { checkpoint->rest(stopping); };
  }
  const auto validate = validator(flags, job.model);
  std::optional<Progress> progress;
  if (!flags.has("quiet") && flags.text("progress") != "never") {
    progress.emplace(
        stderr,
        ProgressOptions{.live = flags.text("progress") == "always" || ::isatty(STDERR_FILENO) == 1,
                        .share_read = [&source] { return source.share_read(); },
                        .validate = validate,
                        .width = terminal_width});
    job.observers.push_back(&*progress);
  }
  Trace trace;
  if (flags.has("trace")) job.observers.push_back(&trace);
  if (checkpoint) job.attach = [&](Fit& fit) { checkpoint->attach(fit, trace); };
  job.with_diagnosis = true;

  Journal journal(source);
  Source& rows = checkpoint ? static_cast<Source&>(journal) : source;
  told.outcome =
      with_places(rows, [&] { return unless_interrupted([&] { return fit_model(job, rows); }); });
  const Parameters& theta = told.outcome.result.parameters;
  if (progress) progress->finish();
  if (checkpoint) checkpoint->say();
  if (flags.has("trace")) trace.write(flags.text("trace"), theta);
  if (validate) told.held_out = validate(theta);
  return told;
}

}  // namespace thalweg::app
