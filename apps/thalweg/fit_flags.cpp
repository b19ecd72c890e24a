#include "fit_flags.hpp"

#include "flags.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/core/text.hpp>
#include <thalweg/observers/checkpoint.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace thalweg::app {
namespace {

/// 64M, 2G, 1000: bytes.
std::uint64_t parse_bytes(const std::string& text) {
  const std::string units = "KMG";
  std::string digits = text;
  std::uint64_t factor = 1;
  if (!text.empty()) {
    const std::size_t unit = units.find(static_cast<char>(std::toupper(text.back())));
    if (unit != std::string::npos) {
      factor = std::uint64_t{1} << (10 * (unit + 1));
      digits.pop_back();
    }
  }
  const auto count = to_count(digits);
  if (!count || *count > (std::uint64_t{1} << 62U) / factor)
    throw UsageError("--keep \"" + text + "\" is not a number of bytes like 64M or 2G");
  return *count * factor;
}

/// Every option that a model of the catalogue has becomes a flag, once.
void add_model_options(CLI::App& verb, std::map<std::string, std::string>& values) {
  std::map<std::string, std::string> seen;
  for (const Entry& entry : catalogue()) {
    for (const OptionInfo& option : entry.options) {
      if (!seen.emplace(option.name, entry.name).second) continue;
      const std::string names =
          option.flag.starts_with("--") ? option.flag : option.flag + ",--" + option.name;
      verb.add_option_function<std::string>(
              names,
              [&values, name = option.name](const std::string& text) { values[name] = text; },
              option.help + (option.is_count() ? "; 1:9 compares and keeps the best"
                                               : " (" + option.standard + ")"))
          ->type_name(option.is_count() ? "K" : "NAME")
          ->group("Model");
    }
  }
}

}  // namespace

void FitFlags::add(CLI::App& verb) {
  input.add(verb, true);
  verb.add_option_function<std::string>(
          "-o,--output",
          [this](const std::string& path) {
            if (path.empty()) throw UsageError("-o needs a file name");
            output = path;
          },
          "write the model to this file")
      ->type_name("FILE");
  verb.add_option("--model", model, "kind of model; thalweg models lists them (gaussian)")
      ->type_name("NAME")
      ->group("Model");
  add_model_options(verb, model_options);
  add_number(verb, "--floor", floor,
             "smallest variance relative to the data's squared scale (1e-6)")
      ->type_name("F")
      ->group("Model");
  add_number(verb, "--ridge", ridge, "added to every variance, as scikit-learn's reg_covar (0)")
      ->type_name("R")
      ->group("Model");
  verb.add_option("--prior", prior,
                  "pull towards one broad component with the weight of so many rows; or a model "
                  "file whose statistics are the prior")
      ->type_name("STRENGTH|FILE")
      ->group("Model");
  verb.add_option("--fix", fix,
                  "keep these as in --init: means, or of one component covariances[2], …")
      ->type_name("NAMES")
      ->group("Model");
  verb.add_option("--choose-by", choose_by,
                  "what decides with -k 1:9 or -r 1:9: bic, icl or held-out (bic)")
      ->check(CLI::IsMember({"bic", "icl", "held-out"}))
      ->type_name("NAME")
      ->group("Model");

  verb.add_option(
          "--method", method,
          "auto: online, then batch EM if the rows fit into --keep; online; batch; for rows "
          "in memory also incremental (a share of the statistic for every block of rows, "
          "replaced at each visit) and variance-reduced (fewest passes: steps corrected by "
          "a full E-step now and then); gradient: as online, by Titterington's steps in "
          "weights, rates, means, covariances; exact: the closed form, where a model has one "
          "(auto)")
      ->type_name("NAME")
      ->group("Method");
  verb.add_option(
          "--accelerate", accelerate,
          "batch EM: squarem leaps ahead where two steps show the way; none (squarem with --method "
          "auto, else none)")
      ->check(CLI::IsMember({"squarem", "none"}))
      ->type_name("NAME")
      ->group("Method");
  verb.add_option("--keep", keep, "memory for keeping rows (64M)")
      ->type_name("BYTES")
      ->group("Method");
  verb.add_option("--step", step,
                  "step sizes: 0.6[,offset=T] for (k+T)^-0.6, 1/n, or constant:G (0.6); "
                  "variance-reduced takes constant:G only, and finds G by itself without")
      ->type_name("STEP")
      ->group("Method");
  add_count(
      verb, "--batch-size", batch_size,
      "rows for each M-step (about one a parameter; variance-reduced: at least a hundredth of "
      "all)",
      1)
      ->type_name("M")
      ->group("Method");
  verb.add_option("--average", average, "poly:3, half, from:N or off (poly:3)")
      ->type_name("KIND")
      ->group("Method");
  verb.add_option("--average-of", average_of,
                  "average the statistic, or the parameters (statistic)")
      ->check(CLI::IsMember({"statistic", "parameters"}))
      ->type_name("NAME")
      ->group("Method");
  add_count(verb, "--passes", passes, "online passes over a finite input, at most (1)", 1)
      ->type_name("P")
      ->group("Method");
  verb.add_option("--order", order,
                  "of rows in each pass: sequential, shuffled or random (sequential)")
      ->type_name("NAME")
      ->group("Method");
  add_number(verb, "--tolerance", tolerance,
             "batch, incremental, variance-reduced: nat a row that may be left to gain (1e-8)")
      ->type_name("E")
      ->group("Method");
  add_count(verb, "--max-iterations", max_iterations,
            "at most: iterations of batch EM (every E-step), passes of incremental, epochs of "
            "variance-reduced (two passes each) (10000)")
      ->type_name("I")
      ->group("Method");

  add_count(verb, "--threads", threads,
            "threads for the work; the result is the same for any number (all cores)", 1)
      ->type_name("T")
      ->group("Method");

  verb.add_option("--init", init, "start from the parameters of this model file")
      ->type_name("FILE")
      ->group("Start");
  verb.add_option(
          "--continue", continue_from,
          "go on with the parameters and the statistics of this model file: online, as if its rows "
          "had come first")
      ->type_name("FILE")
      ->group("Start");
  verb.add_option(
          "--one-step-from", one_step_from,
          "one E-step at the parameters of this model file and one M-step: a batch iteration, "
          "or the share of one shard for thalweg merge")
      ->type_name("FILE")
      ->group("Start");
  add_count(verb, "--starts", starts, "starts that are tried on the first rows (8)", 1)
      ->type_name("R")
      ->group("Start");
  add_count(verb, "--buffer", buffer,
            "rows on which starts are compared; 0 needs --init (max(1000, 15 p))")
      ->type_name("B")
      ->group("Start");
  add_count(verb, "--warmup", warmup,
            "rows before the first M-step (0; incremental: the first pass)")
      ->type_name("N")
      ->group("Start");
  add_count(verb, "--seed", seed, "the same seed gives the same fit, bit for bit (0)")
      ->type_name("S")
      ->group("Start");

  verb.add_option("--order-components", order_components,
                  "of the result: weight (largest first), first-mean (smallest first) or none "
                  "(none)")
      ->check(CLI::IsMember({"weight", "first-mean", "none"}))
      ->type_name("NAME")
      ->group("Output");
  verb.add_option("--validate", validate, "held-out rows, scored at every progress line")
      ->type_name("FILE")
      ->group("Output");
  verb.add_option("--trace", trace, "write the path of the parameters as CSV")
      ->type_name("FILE")
      ->group("Output");
  verb.add_option("--checkpoint", checkpoint,
                  "save the state of the fit here now and then, and at Ctrl-C")
      ->type_name("FILE")
      ->group("Output");
  verb.add_option("--checkpoint-every", checkpoint_every,
                  "after so many rows (100000) or seconds (10s) (30s)")
      ->type_name("N|Ns")
      ->group("Output");
  verb.add_flag("--resume", resume,
                "go on from the checkpoint, to the same bits as an undisturbed run; from the "
                "beginning where there is none yet")
      ->group("Output");
  verb.add_option("--progress", progress,
                  "auto: table, and a live line on a terminal; always; never (auto)")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN")
      ->group("Output");
  verb.add_flag("--quiet", quiet, "nothing but warnings and errors on stderr")->group("Output");
  verb.add_flag("--json", json, "a summary on stdout as one JSON object")->group("Output");
}

bool FitFlags::steps() const {
  const Method asked = parse_method(method);
  return streams(asked) || asked == Method::automatic;
}

/// Flags that mean nothing to a method are refused by name.
void FitFlags::check_method(Method asked) const {
  const std::string chosen = "--method " + std::string(name(asked));
  const auto refuse = [&chosen](bool given, const std::string& flag, const std::string& instead) {
    if (given) throw UsageError(flag + " means nothing to " + chosen + " (" + instead + ")");
  };
  const bool plain = asked == Method::batch || asked == Method::exact;
  if (plain && passes > 1)
    throw UsageError("--passes belongs to --method online; batch EM has --max-iterations");
  if (plain && row_order() != Order::sequential)
    throw UsageError("--order belongs to the online method");
  if (asked != Method::batch && asked != Method::automatic)
    refuse(accelerate == "squarem", "--accelerate", "it belongs to batch EM");
  if (asked == Method::gradient)
    refuse(ridge.value_or(terms.ridge) > 0, "--ridge",
           "it belongs to the M-step; --floor and --prior work");
  if (asked != Method::incremental && asked != Method::variance_reduced) return;
  refuse(passes > 1, "--passes", "it has --max-iterations");
  refuse(average != FitFlags().average || average_of != FitFlags().average_of, "--average",
         "it converges, so there is nothing to average");
  if (asked == Method::incremental) {
    refuse(step != FitFlags().step, "--step", "it has none");
  } else {
    refuse(step != FitFlags().step && !step.starts_with("constant:"), "--step " + step,
           "constant:G sets its rate");
    refuse(warmup > 0, "--warmup", "its first step uses all rows");
    refuse(row_order() != Order::sequential, "--order", "it draws its own, by --seed");
  }
}

std::uint64_t FitFlags::keep_bytes() const { return parse_bytes(keep); }

std::uint64_t FitFlags::cores() {
  return std::max<std::uint64_t>(std::thread::hardware_concurrency(), 1);
}

std::optional<double> FitFlags::prior_strength() const {
  const auto strength = to_number(prior);
  if (strength && (!(*strength > 0) || !std::isfinite(*strength)))
    throw UsageError("--prior " + prior + " is not a positive number of rows (or a model file)");
  return strength;
}

std::optional<Range> FitFlags::size(const Entry& entry) const {
  const OptionInfo& size = entry.size();
  const auto given = model_options.find(size.name);
  if (given == model_options.end()) return std::nullopt;
  const std::string& text = given->second;
  const std::size_t colon = text.find(':');
  const auto first = to_count(text.substr(0, colon));
  const auto last = colon == std::string::npos ? first : to_count(text.substr(colon + 1));
  if (!first || !last || *first < 1 || *last < *first || *last > 1'000'000)
    throw UsageError(size.flag + " \"" + text + "\" is not a " + size.help +
                     " (3) or a range (1:9)");
  return Range{*first, *last};
}

std::vector<std::string> FitFlags::settings() const {
  std::vector<std::string> lines;
  const auto add = [&lines](const std::string& flag, const auto& value) {
    lines.push_back(fmt::format("{} {}", flag, value));
  };
  const auto or_default = [](const auto& value) {
    return value ? std::to_string(*value) : std::string("by itself");
  };
  add("--method", method);
  add("--accelerate", accelerate);
  add("--step", step);
  add("--batch-size", or_default(batch_size));
  add("--buffer", or_default(buffer));
  add("--warmup", warmup);
  add("--average", average);
  add("--average-of", average_of);
  add("--passes", passes);
  add("--order", order);
  add("--tolerance", tolerance);
  add("--max-iterations", max_iterations);
  add("--floor", floor.value_or(Terms{}.floor));
  add("--ridge", ridge.value_or(Terms{}.ridge));
  add("--prior", prior);
  add("--fix", fix);
  add("--keep", keep);
  add("--init", init);
  add("--continue", continue_from);
  add("--starts", starts);
  add("--seed", seed);
  add("--weight-column", input.weight_column);
  add("--label-column", input.label_column);
  add("--on-error", input.on_error);
  add("--limit", or_default(input.filter.limit));
  add("--sample", or_default(input.filter.sample));
  add("--shuffle-buffer", or_default(input.filter.shuffle));
  return lines;
}

FitOptions FitFlags::options() const {
  if (floor && (!(*floor >= 0) || *floor > 1))
    throw UsageError("--floor " + to_text(*floor) + " is outside [0, 1]");
  if (!(tolerance > 0) || !std::isfinite(tolerance))
    throw UsageError("--tolerance " + to_text(tolerance) + " is not a positive number");
  if (ridge && (!(*ridge >= 0) || !std::isfinite(*ridge)))
    throw UsageError("--ridge " + to_text(*ridge) + " is not a number from 0 on");
  constexpr std::uint64_t most_threads = 1024;
  if (threads > most_threads)
    throw UsageError("--threads " + std::to_string(threads) + " is more than " +
                     std::to_string(most_threads) + " (this machine has " +
                     std::to_string(cores()) + " cores)");
  if (checkpoint.empty() && resume)
    throw UsageError("--resume goes on from a checkpoint: name it by --checkpoint FILE");
  CheckpointPace::parse(checkpoint_every);
  if (!continue_from.empty()) {
    if (buffer) throw UsageError("--continue has its start, --buffer means nothing to it");
    if (!steps())
      throw UsageError("--continue goes on online, --method " + method +
                       " would begin anew (--init)");
  }
  if (!fix.empty() && init.empty() && continue_from.empty())
    throw UsageError("--fix " + fix + " keeps parameters as they start, so it needs --init FILE");
  if (!prior.empty() && buffer && *buffer == 0)
    throw UsageError("--prior is scaled by the first rows, so it needs a --buffer of at least one");
  if (!input.label_column.empty() && order_components != "none")
    throw UsageError(
        "--label-column says which component is which, --order-components would "
        "change it (leave one out)");
  FitOptions options;
  options.terms = terms;
  options.terms.floor = floor.value_or(terms.floor);
  options.terms.ridge = ridge.value_or(terms.ridge);
  options.terms.prior_strength = prior_strength().value_or(terms.prior_strength);
  options.terms.crew = Crew(static_cast<std::size_t>(threads));
  options.method = parse_method(method);
  options.keep = keep_bytes();
  options.passes = passes;
  options.batch = {.tolerance = tolerance, .max_iterations = max_iterations};
  const bool leaps =
      accelerate.empty() ? options.method == Method::automatic : accelerate == "squarem";
  if (leaps) options.batch.accelerate = Acceleration::squarem;
  options.online.step = Schedule::parse(step);
  options.online.batch_size = batch_size;
  options.online.buffer = buffer;
  options.online.warmup = warmup;
  options.online.average = Averaging::parse(average);
  if (average_of == "parameters") options.online.average.of = Averaging::Of::parameters;
  options.online.starts = starts;
  options.online.seed = seed;
  if (buffer && *buffer == 0 && init.empty())
    throw UsageError("--buffer 0 (textbook mode) needs starting parameters (--init FILE)");
  check_method(options.method);
  // Passes and textbook mode are requests for online EM as such: no polishing behind the user's back.
  if (options.method == Method::automatic &&
      (passes > 1 || (buffer && *buffer == 0) || !continue_from.empty()))
    options.method = Method::online;
  return options;
}

}  // namespace thalweg::app
