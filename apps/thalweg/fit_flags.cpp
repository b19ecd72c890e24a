// The flags of fit, made from the table of options.
#include "fit_flags.hpp"

#include "catalogue/asked_regularisation.hpp"
#include "core/text.hpp"
#include "flags.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/observers/checkpoint.hpp>

#include <fmt/format.h>

#include <set>

namespace thalweg::app {
namespace {

/// Every option that a model of the catalogue has becomes a flag, once.
void add_model_options(CLI::App& verb, std::map<std::string, std::string>& values) {
  std::set<std::string_view> seen;
  for (const Entry& entry : catalogue()) {
    for (const Option& row : entry.options) {
      if (!seen.insert(row.name).second) continue;
      const std::string name(row.name);
      const std::string flag(row.flag);
      verb.add_option_function<std::string>(
              flag.starts_with("--") ? flag : fmt::format("{},--{}", flag, name),
              [&values, name](const std::string& text) { values[name] = text; },
              row.is_count() ? std::string(row.help) + "; 1:9 compares and keeps the best"
              : row.compares ? help_of(row) + "; all compares them and keeps the best"
                             : help_of(row))
          ->type_name(row.is_count() ? "K" : "NAME")
          ->group("Model");
    }
  }
}

/// A flag whose value is kept by its name.
void add_row_to(CLI::App& verb, const Option& row, OptionValues& values) {
  CLI::Option* const flag =
      row.takes == Takes::nothing && row.choices.empty()
          ? verb.add_flag_callback(
                std::string(row.flag), [&values, &row] { values.set(row, "yes"); }, help_of(row))
          : add_row_function(verb, row, [&values, &row](const OptionValues& given) {
              values.set(row, given.text(row));
            });
  if (!row.group.empty()) flag->group(std::string(row.group));
}

}  // namespace

void FitFlags::add(CLI::App& verb) {
  input.add(verb, true);
  for (const Option& row : learning_options) {
    if (!row.flag.empty()) add_row_to(verb, row, *this);
    if (row.name == "model") add_model_options(verb, model_options);
  }
  for (const Option& row : telling_options)
    if (!row.flag.empty()) add_row_to(verb, row, *this);
}

bool FitFlags::steps() const {
  const Method asked = parse_method(text("method"));
  return streams(asked) || asked == Method::automatic;
}

Order FitFlags::row_order() const {
  if (given("order")) return parse_order(text("order"));
  return count("passes") > 1 ? Order::shuffled : Order::sequential;
}

std::uint64_t FitFlags::threads() const { return count_if_given("threads").value_or(cores()); }

std::optional<Range> FitFlags::size(const Entry& entry) const {
  if (!entry.has_size()) return std::nullopt;
  const Option& size = entry.size();
  const auto given = model_options.find(std::string(size.name));
  if (given == model_options.end()) return std::nullopt;
  const std::string& text = given->second;
  const std::size_t colon = text.find(':');
  const auto first = to_count(text.substr(0, colon));
  const auto last = colon == std::string::npos ? first : to_count(text.substr(colon + 1));
  if (!first || !last || *first < 1 || *last < *first || *last > 1'000'000)
    throw UsageError(
        fmt::format("{} \"{}\" is not a {} (3) or a range (1:9)", size.flag, text, size.help));
  return Range{*first, *last};
}

std::vector<std::string> FitFlags::settings() const {
  FitFlags settled = *this;  // the usual order is one of those that have names
  if (!given("order")) settled.set("order", std::string(order_name(row_order())));
  std::vector<std::string> lines = settled.deciding();
  for (std::string& line : input.settings()) lines.push_back(std::move(line));
  return lines;
}

FitOptions FitFlags::options() const {
  FitOptions options = fit_options(*this);
  check_method(options.method);
  if (!has("checkpoint") && has("resume"))
    throw UsageError("--resume goes on from a checkpoint: name it by --checkpoint FILE");
  CheckpointPace::parse(text("checkpoint_every"));
  if (changed("checkpoint_every") && !has("checkpoint"))
    throw UsageError("--checkpoint-every says how often: name the file by --checkpoint FILE");
  const auto buffer = count_if_given("buffer");
  const bool textbook = buffer && *buffer == 0;
  const bool continues = has("continue");
  if (continues) {
    if (buffer) throw UsageError("--continue has its start, --buffer means nothing to it");
    if (!steps())
      throw UsageError("--continue goes on online, --method " + text("method") +
                       " would begin anew (--init)");
  }
  if (has("fix") && !has("init") && !continues)
    throw UsageError("--fix " + text("fix") +
                     " keeps parameters as they start, so it needs --init FILE");
  if (has("prior") && textbook)
    throw UsageError("--prior is scaled by the first rows, so it needs a --buffer of at least one");
  if (!input.label_column.empty() && text("order_components") != "none")
    throw UsageError(
        "--label-column says which component is which, --order-components would "
        "change it (leave one out)");
  if (textbook && !has("init"))
    throw UsageError("--buffer 0 (textbook mode) needs starting parameters (--init FILE)");
  prior_strength(*this);
  options.pool = ThreadPool(static_cast<std::size_t>(threads()));
  // Passes and textbook mode are requests for online EM as such: no polishing behind the user's back.
  if (options.method == Method::automatic && (options.passes > 1 || textbook || continues))
    options.method = Method::online;
  return options;
}

}  // namespace thalweg::app
