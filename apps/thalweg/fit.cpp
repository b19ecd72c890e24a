// thalweg fit: estimates a model from files or a stream.
#include "faults_report.hpp"
#include "fit_run.hpp"
#include "sources/detect.hpp"
#include "sources/sorted_hint.hpp"
#include "verbs.hpp"
#include <thalweg/catalogue/merge.hpp>
#include <thalweg/catalogue/order.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

namespace thalweg::app {
namespace {

/// Output files are looked at before the work, not after it, and never take the place of what is read.
void check_outputs(const FitFlags& flags) {
  namespace fs = std::filesystem;
  std::vector<std::string> read = flags.input.files;
  if (flags.has("validate")) read.push_back(flags.text("validate"));
  std::error_code ignored;
  for (const std::string& path :
       {flags.text("output"), flags.text("trace"), flags.text("checkpoint")}) {
    if (path.empty()) continue;
    const fs::path folder = fs::path(path).parent_path();
    if (fs::is_directory(path, ignored))
      throw Error(path + ": is a directory, expected a file name");
    if (::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
      throw Error(path + ": cannot be written: no such folder, or no right to write there");
    for (const std::string& input : read)
      if (path == input || fs::equivalent(path, input, ignored))
        throw UsageError(path + " is an input, the result would replace it (give another name)");
  }
  const auto same = [&ignored](const std::string& a, const std::string& b) {
    return !a.empty() && !b.empty() &&
           fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
  };
  const std::string named = !flags.has("output") ? flags.text("trace") : flags.text("output");
  if (same(flags.text("output"), flags.text("trace")) ||
      same(flags.text("output"), flags.text("checkpoint")) ||
      same(flags.text("trace"), flags.text("checkpoint")))
    throw UsageError("--output, --trace and --checkpoint name the same file " + named);
  for (const std::string& path : {flags.text("trace"), flags.text("checkpoint")})
    if (same(path, flags.text("init")) || same(path, flags.text("prior")))
      throw UsageError(path + " is an input, the result would replace it (give another name)");
}

/// What was decided without being asked, said once the first rows went well: an error stays one line.
class Notes final : public Observer {
 public:
  explicit Notes(bool quiet) : quiet_(quiet) {}
  void add(std::string text) { waiting_.push_back(std::move(text)); }
  void on(const Step&) override { say(); }
  void say() {
    if (!quiet_)
      for (const std::string& text : waiting_) fmt::print(stderr, "note: {}\n", text);
    waiting_.clear();
  }

 private:
  bool quiet_;
  std::vector<std::string> waiting_;
};

void describe_input(const TableSource& source, Notes& notes) {
  if (!source.has_header() && source.header_detected())
    notes.add("the first line holds numbers, so there is no header: columns are c0, c1, …");
  if (source.text_columns().empty()) return;
  std::string names;
  for (const std::string& name : source.text_columns()) names += (names.empty() ? "" : ", ") + name;
  notes.add("left out the text columns " + names + " (--columns picks others)");
}

/// The model that the flags ask for; what --init says fills the gaps and must not be contradicted.
struct Choice {
  const Entry* entry = nullptr;
  ModelOptions options;
  std::optional<Fitted> init;
  std::optional<Range> range;
};

void check_input_flags(const InputFlags& input, const Entry& entry) {
  if (!entry.takes_categories && !(input.categorical.empty() && input.levels.empty()))
    throw UsageError(fmt::format("model {} takes no categorical columns (--model {} takes them)",
                                 entry.name, models_that(&Entry::takes_categories)));
  input.check_sequences(entry);
}

/// What a model of categories reads: the columns that are named, all of them by their levels.
void choose_categories(InputFlags& input) {
  if (input.categorical.empty()) {
    input.all_categorical = true;
  } else if (input.columns.empty()) {
    input.columns = input.categorical;
  }
}

/// Flags that mean nothing to this model, by name.
void check_flags(const FitFlags& flags, const Entry& entry) {
  check_input_flags(flags.input, entry);
  flags.check_model(entry);
  for (const auto& [name, value] : flags.model_options) {
    if (entry.option(name)) continue;
    std::vector<std::string_view> known;
    for (const Option& row : entry.options) known.push_back(row.flag);
    throw UsageError(fmt::format("model {} knows no {} (it has {})", entry.name,
                                 find_option(name)->flag, fmt::join(known, ", ")));
  }
  if (entry.has_components()) return;
  const auto refuse = [&entry](const std::string& flag) {
    throw UsageError(
        fmt::format("{} means nothing to a {} model: it has no components", flag, entry.name));
  };
  if (!flags.input.label_column.empty()) refuse("--label-column");
  if (flags.text("choose_by") == "icl") refuse("--choose-by icl");
}

Choice choose(const FitFlags& flags, Notes& notes) {
  Choice choice;
  if (flags.has("init")) choice.init = read_fitted(flags.text("init"));
  choice.entry = flags.has("model") ? &find_entry(flags.text("model"))
                 : choice.init      ? choice.init->entry
                                    : &find_entry("gaussian");
  if (choice.init && choice.init->entry != choice.entry)
    throw UsageError(flags.text("init") + " holds a " + choice.init->entry->name +
                     " model, --model says " + choice.entry->name);
  check_flags(flags, *choice.entry);
  for (const auto& [option, value] : flags.model_options) choice.options.set(option, value);
  choice.range = flags.size(*choice.entry);
  const Option& size = choice.entry->size();
  if (choice.init) {
    for (const auto& [option, value] : choice.init->options.values()) {
      const auto given = flags.model_options.find(option);
      if (given != flags.model_options.end() && given->second != value)
        throw UsageError(fmt::format("{} has {} {}, the command line says {}", flags.text("init"),
                                     option, value, given->second));
      choice.options.set(option, value);
    }
  } else if (choice.range && choice.range->several()) {
    choice.options.set(size.name, std::to_string(choice.range->first));
  } else if (!choice.range) {
    choice.options.set(size.name, "1");
    notes.add(fmt::format("no {0} given: one {1} ({0} 3 fits three, {0} 1:9 compares)", size.flag,
                          choice.entry->has_components() ? "component" : "factor"));
  }
  choice.entry->complete(choice.options);  // complains before any data are read
  return choice;
}

bool all_counts(const Block& block) {
  for (std::size_t t = 0; t < block.rows; ++t)
    for (std::size_t j = 0; j < block.columns; ++j)
      if (const double y = block.row(t)[j]; !(y >= 0 && y == std::floor(y))) return false;
  return block.rows > 0;
}

/// Watches the first rows of a default model for whole numbers.
class CountHint final : public RowObserver {
 public:
  void see(const Block& block) override {
    if (seen_) return;
    seen_ = true;
    counts_ = all_counts(block);
  }
  void save(Archive& archive) const override {
    archive.put("hint", std::vector<std::uint64_t>{seen_ ? 1U : 0U, counts_ ? 1U : 0U});
  }
  void load(const Archive& archive) override {
    const std::vector<std::uint64_t>& hint = archive.counts("hint");
    if (hint.size() != 2) throw Error("saved state \"hint\" is damaged");
    seen_ = hint[0] == 1;
    counts_ = hint[1] == 1;
  }
  bool counts() const { return counts_; }

 private:
  bool seen_ = false;
  bool counts_ = false;
};

/// How labels become components: the names of --init go on.
LabelOptions label_options(const FitFlags& flags, const Choice& choice) {
  if (flags.input.label_column.empty()) return {};
  if (choice.range && choice.range->several())
    throw UsageError(
        "--label-column needs one number of components: a label means the same "
        "component in every fit (give -k one number)");
  LabelOptions labels{.components = choice.options.count("components")};
  if (choice.init && choice.init->training) labels.names = choice.init->training->labels;
  return labels;
}

/// Loadings that are held stay as they are, and so do those that a prior's statistics know. The usual prior knows no direction.
void align_factors(Fitted& fitted) {
  const Regularisation& regularisation = fitted.regularisation;
  const bool held = regularisation.fixed && regularisation.fixed->holds("loadings", 0);
  const bool known = regularisation.prior && !(regularisation.prior_strength > 0);
  if (!held && !known) align(*fitted.model, fitted.parameters, *fitted.statistic);
}

/// --one-step-from: everything but the rows is in the model file.
int fit_one_step(const FitFlags& flags) {
  if (flags.has("init") || flags.has("continue") || flags.has("prior") || flags.has("fix") ||
      flags.has("model") || !flags.model_options.empty() || flags.changed("method") ||
      flags.count("passes") > 1 || flags.has("checkpoint") || flags.has("trace") ||
      !flags.input.label_column.empty() || !flags.input.categorical.empty() ||
      !flags.input.levels.empty())
    throw UsageError(
        "--one-step-from takes the model and its parameters from the file: --model, -k, --init, "
        "--method, --passes, --prior, --fix, --label-column, --categorical, --levels, --trace and "
        "--checkpoint do not go with it");
  Fitted base = read_fitted(flags.text("one_step_from"));
  choose_one_step_regularisation(flags, base);
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
    if (flags.has("output")) fmt::print(stderr, "model written to {}\n", flags.text("output"));
  }
  if (flags.has("json")) {
    const Json file = Json::parse(to_json(to_file(result)));
    const Json summary = {{"method", training.method},
                          {"rows", training.rows},
                          {"observations", training.observations},
                          {"mean_log_likelihood_before", mean},
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

  const bool range = choice.range && choice.range->several();
  if (range && flags.has("checkpoint"))
    throw UsageError(
        fmt::format("--checkpoint saves one fit, {} asks for several (give it one number)",
                    choice.entry->size().flag));
  choose_regularisation(flags, prototype, range, choice.init);
  FitRows rows(flags, prototype, source, range || flags.count("passes") > 1);
  Json table = Json::array();
  SortedHint sorted(source.schema());
  CountHint hint;
  Observed observed(rows.source(), {&sorted, &hint});
  const auto init = choice.init ? std::optional(choice.init->parameters) : std::nullopt;
  Outcome outcome = range
                        ? compare(flags, *choice.range, *choice.entry, choice.options, rows, table)
                        : run_fit(flags, prototype, init, observed, false, &notes);

  outcome.fitted.training->labels = source.label_names();
  if (choice.entry->has_components()) {
    const auto order = component_order(outcome.fitted, order_of);
    reorder(outcome.fitted, order);
    outcome.result.events.relabel(order);
  } else {
    align_factors(outcome.fitted);
  }

  if (flags.has("output")) write_fitted(flags.text("output"), outcome.fitted);
  notes.say();
  print_summary(flags, outcome);
  fmt::print(stderr, "{}{}", faults_text(source.faults(), source.given()),
             unknown_levels_text(source.unknown_levels()));
  if (const auto found = sorted.found();
      found && streams(outcome.result.method) && !choice.entry->takes_sequences)
    fmt::print(stderr,
               "warning: the rows look sorted ({}), which misleads a fit that reads them once (use "
               "--shuffle-buffer 100000, or --order shuffled)\n",
               *found);
  const bool unasked = !flags.has("model") && !flags.has("init");
  if (unasked && hint.counts())
    notes.add("every column holds counts: --model poisson may fit better");
  notes.say();
  if (flags.has("json")) {
    Json summary = summary_json(outcome);
    summary["faults"] = faults_json(source.faults());
    if (source.unknown_levels().cells() > 0)
      summary["unknown_levels"] = unknown_levels_json(source.unknown_levels());
    if (range) summary["comparison"] = table;
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
