// thalweg fit: estimates a model from files or a stream.
#include "catalogue/asked_regularisation.hpp"
#include "catalogue/training.hpp"
#include "faults_report.hpp"
#include "fit_choice.hpp"
#include "fit_run.hpp"
#include "sources/count_hint.hpp"
#include "sources/detect.hpp"
#include "sources/places.hpp"
#include "verbs.hpp"
#include <thalweg/catalogue/merge.hpp>
#include <thalweg/core/error.hpp>

#include <fmt/format.h>

namespace thalweg::app {
namespace {

void describe_input(const TableSource& source, Notes& notes) {
  if (!source.has_header() && source.header_detected())
    notes.add("the first line holds numbers, so there is no header: columns are c0, c1, …");
  if (source.text_columns().empty()) return;
  std::string names;
  for (const std::string& name : source.text_columns()) names += (names.empty() ? "" : ", ") + name;
  notes.add("left out the text columns " + names + " (--columns picks others)");
}

/// --one-step-from: everything but the rows is in the model file.
int fit_one_step(const FitFlags& flags) {
  const auto refuse = [](std::string_view flag) {
    throw UsageError(
        fmt::format("--one-step-from takes the model, its parameters and its columns from the "
                    "file, and makes one step: {} does not go with it",
                    flag));
  };
  constexpr std::array<OptionId, 8> known = {"one_step_from", "output", "quiet", "json",
                                             "threads",       "floor",  "ridge", "seed"};
  for (const Option& row : option_table) {
    const bool taken = std::ranges::any_of(known, [&row](OptionId id) { return &*id == &row; });
    const bool of_the_fit = !row.flag.empty() && !row.group.empty() && !taken;
    if (of_the_fit && flags.changed(row)) refuse(row.flag);
  }
  if (!flags.model_options.empty()) refuse(find_option(flags.model_options.begin()->first)->flag);
  const InputFlags& input = flags.input;
  if (!input.columns.empty()) refuse("--columns");
  if (!input.label_column.empty()) refuse("--label-column");
  if (!input.categorical.empty()) refuse("--categorical");
  if (!input.levels.empty()) refuse("--levels");
  Fitted base = read_fitted(flags.text("one_step_from"));
  base.regularisation = asked_for_one_step(flags, base);
  const auto source = flags.input.open_for(base.schema, false, flags.has("quiet"));
  const Fitted result = with_places(*source, [&] {
    return one_step(base, *source, ThreadPool(static_cast<std::size_t>(flags.threads())));
  });
  const Training& training = *result.training;
  if (flags.has("output")) write_fitted(flags.text("output"), result);
  fmt::print(stderr, "{}", unknown_levels_text(source->unknown_levels()));
  const double mean = *training.log_likelihood / training.observations;
  if (!flags.has("quiet")) {
    fmt::print(stderr,
               "{}\n{} rows; one E-step at {} (mean log-likelihood there {:.6f}), one M-step\n{}",
               parameter_table(result), training.rows, flags.text("one_step_from"), mean,
               events_text(training.events, result.schema));
  }
  const std::optional<Warning> warning = degenerate_warning(result);
  if (warning) fmt::print(stderr, "{}", warnings_text({*warning}));
  if (!flags.has("quiet")) {
    if (flags.has("output")) fmt::print(stderr, "model written to {}\n", flags.text("output"));
  }
  if (flags.has("json")) {
    const Json file = Json::parse(to_json(to_file(result)));
    const Json summary = {{"method", training.method},
                          {"rows", training.rows},
                          {"observations", training.observations},
                          {"mean_log_likelihood_before", mean},
                          {"degenerate", degenerate_json(degeneracies(result))},
                          {"parameters", file.at("parameters")}};
    fmt::print("{}\n", summary.dump());
  }
  return done;
}

int fit(FitFlags flags) {
  flags.options();  // complains before any data are read
  flags.input.files = expand_names(flags.input.files);
  flags.input.filter.seed = flags.count("seed");
  flags.input.threads = flags.threads();
  check_outputs(flags);
  if (flags.has("one_step_from")) return fit_one_step(flags);
  for (const OptionId id : {OptionId("starts"), OptionId("start_budget")})
    if (flags.changed(*id) && (flags.has("init") || flags.has("continue")))
      throw UsageError(fmt::format("{} means nothing where the start is given ({})", id->flag,
                                   flags.has("init") ? "--init" : "--continue"));
  if (flags.has("continue")) {
    if (flags.has("init")) throw UsageError("--init and --continue exclude each other");
    flags.set("init", flags.text("continue"));
  }
  Notes notes(flags.has("quiet"));
  const Choice choice = choose(flags, notes);
  catch_interrupts();

  flags.input.labels = label_options(flags, choice);
  if (choice.init && !flags.input.levels.empty())
    throw UsageError("--levels: the levels are those of " + flags.text("init"));
  if (choice.entry->takes_categories) choose_categories(flags.input);
  const InputFlags& input = flags.input;
  const bool named = choice.init && input.columns.empty() &&
                     choice.init->schema != Schema::numbered(choice.init->schema.width());
  const auto opened = unless_interrupted([&] {
    return named ? input.open_for(choice.init->schema, false, flags.has("quiet")) : input.open();
  });
  FilteredTable& source = *opened;
  describe_input(source, notes);
  if (input.one_sequence(*choice.entry)) notes.add(one_sequence_note);
  const Fitted prototype = prepare(*choice.entry, choice.options, source.schema());
  if (choice.init && choice.init->schema.width() != source.schema().width())
    throw Error(fmt::format("{} has {} columns, the input has {}", flags.text("init"),
                            choice.init->schema.width(), source.schema().width()));
  if (choice.init && choice.init->schema.levels != source.schema().levels)
    throw Error(fmt::format(
        "{}: its levels are not those of the input (leave out --columns: the model knows them)",
        flags.text("init")));

  const ComponentOrder order_of = parse_component_order(flags.text("order_components"));
  if (choice.entry->has_components()) component_order(prototype, order_of);  // refused before a fit

  const bool range = !choice.several().empty();
  if (range && flags.has("checkpoint"))
    throw UsageError(fmt::format("--checkpoint saves one fit, {} asks for several (give one)",
                                 choice.several()));
  FitJob job{.model = prototype, .options = flags.options(), .with_baseline = true};
  job.options.stop = was_interrupted;
  const bool as_they_come = flags.given("order") && flags.row_order() == Order::sequential;
  job.options.live = input.follow || as_they_come;
  if (choice.init) job.starts = {choice.init->parameters};
  if (flags.has("continue")) job.earlier = choice.init;
  job.options.regularisation =
      asked_regularisation(flags, prototype, job.earlier ? &*job.earlier : nullptr, range);
  if (job.earlier) job.earlier = continuable(std::move(*job.earlier), flags.text("continue"));
  FitRows rows(flags, prototype, source, range || flags.count("passes") > 1);
  CountHint hint;
  Observed observed(rows.source(), {&hint});
  job.mends_order = !rows.in_order() && !flags.given("order");
  job.options.tell = [&notes](const Remark& remark) {
    remark.warning ? notes.warn(in_command(remark.text)) : notes.add(in_command(remark.text));
  };
  if (!range) job.observers = {&notes};
  Told told = range ? compare(flags, job, choice, rows) : run_fit(flags, std::move(job), observed);
  FitOutcome& outcome = told.outcome;
  outcome.fitted.training->labels = source.label_names();
  arrange(outcome, order_of);

  if (flags.has("output")) write_fitted(flags.text("output"), outcome.fitted);
  notes.say();
  print_summary(flags, told);
  fmt::print(stderr, "{}{}", faults_text(source.faults(), source.given()),
             unknown_levels_text(source.unknown_levels()));
  const bool unasked = !flags.has("model") && !flags.has("init");
  if (unasked && hint.counts())
    notes.add("every column holds counts: --model poisson may fit better");
  notes.say();
  if (flags.has("json")) {
    Json summary = summary_json(told);
    summary["faults"] = faults_json(source.faults());
    if (source.unknown_levels().cells() > 0)
      summary["unknown_levels"] = unknown_levels_json(source.unknown_levels());
    if (range) summary["comparison"] = told.comparison;
    fmt::print("{}\n", summary.dump());
  }
  return outcome.result.stopped ? interrupted : done;
}

}  // namespace

Run add_fit(CLI::App& app) {
  auto flags = std::make_shared<FitFlags>();
  CLI::App* verb = app.add_subcommand("fit", "estimate a model from files or a stream");
  verb->footer(
      "Examples:\n"
      "  thalweg fit faithful.csv -k 2 -o model.json\n"
      "  thalweg fit counts.csv --model poisson -k 1:6  compare one to six components\n"
      "  zcat events.csv.gz | thalweg fit -k 8          a stream of any length\n"
      "A table on stderr follows the fit: each row is scored before it is learned. A small input "
      "ends at the\n"
      "maximum of the likelihood, a long one gets one pass in constant memory; the summary says "
      "which.");
  flags->add(*verb);
  return [flags] { return fit(*flags); };
}

}  // namespace thalweg::app
