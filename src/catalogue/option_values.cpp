// Values of options as a user gave them, checked against the table.
#include "catalogue/option_values.hpp"

#include "core/text.hpp"
#include <thalweg/catalogue/entry.hpp>
#include <thalweg/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace thalweg {
namespace {

constexpr double no_end = std::numeric_limits<double>::infinity();
constexpr std::uint64_t longest_count = std::uint64_t{1} << 62U;

Message named(const Option& row) { return option(std::string(row.name)); }

/// Why a number that is one is refused.
std::string outside(const Interval& range) {
  if (range.most == no_end && range.least == 0)
    return range.above ? "is not a positive number" : "is not a number from 0 on";
  return fmt::format("is outside {}{}, {}]", range.above ? '(' : '[', range.least, range.most);
}

void check_count(const Option& row, const std::string& text, const Interval& range) {
  const auto value = to_count(text);
  if (value && *value <= longest_count && range.holds(static_cast<double>(*value))) return;
  const std::string end = range.most == no_end ? "on" : fmt::format("to {}", range.most);
  throw UsageError(named(row) + " \"" + text + "\" is not a whole number from " +
                   fmt::format("{} {}", range.least, end));
}

void check_number(const Option& row, const std::string& text, const Interval& range) {
  const auto value = to_number(text);
  if (!value) throw UsageError(named(row) + " \"" + text + "\" is not a number");
  if (!range.holds(*value))
    throw UsageError(named(row) + " " + to_text(*value) + " " + outside(range));
}

void check_choice(const Option& row, const std::string& text) {
  if (std::ranges::find(row.choices, text) == row.choices.end())
    throw UsageError(named(row) + " \"" + text + "\" is not one of " +
                     fmt::format("{}", fmt::join(row.choices, ", ")));
}

/// A value as the settings of a checkpoint have it: numbers in one form, however they were written.
std::string settled(const Option& row, const std::string& text) {
  if (!row.choices.empty()) return text;
  if (row.takes == Takes::number && !text.empty()) return fmt::format("{}", *to_number(text));
  return text.empty() && row.takes == Takes::count ? "by itself" : text;
}

}  // namespace

void OptionValues::set(OptionId id, std::string text) { set(id, std::move(text), id->range); }

void OptionValues::set(OptionId id, std::string text, const Interval& range) {
  const Option& row = *id;
  if (!row.choices.empty()) {
    check_choice(row, text);
  } else if (row.takes == Takes::count) {
    check_count(row, text, range);
  } else if (row.takes == Takes::number) {
    check_number(row, text, range);
  } else if (row.takes == Takes::file && text.empty()) {
    throw UsageError(named(row) + " needs a file name");
  } else if (row.takes == Takes::bytes && !to_bytes(text)) {
    throw UsageError(named(row) + " \"" + text + "\" is not a number of bytes like 64M or 2G");
  }
  values_[std::string(row.name)] = std::move(text);
}

std::string OptionValues::text(OptionId id) const {
  const auto found = values_.find(id->name);
  return found == values_.end() ? std::string(id->standard) : found->second;
}

std::uint64_t OptionValues::count(OptionId id) const { return count_if_given(id).value(); }

std::optional<std::uint64_t> OptionValues::count_if_given(OptionId id) const {
  return to_count(text(id));
}

std::optional<double> OptionValues::number_if_given(OptionId id) const {
  const auto given = values_.find(id->name);
  return given == values_.end() ? std::nullopt : to_number(given->second);
}

double OptionValues::number(OptionId id) const { return to_number(text(id)).value(); }

std::uint64_t OptionValues::bytes(OptionId id) const { return to_bytes(text(id)).value(); }

bool OptionValues::changed(OptionId id) const {
  return settled(*id, text(id)) != settled(*id, std::string(id->standard));
}

void OptionValues::check_method(Method asked) const {
  for (const Option& row : option_table) {
    if (!changed(row)) continue;
    for (const Refusal& refusal : row.refused) {
      const std::string value = text(row);
      const bool taken = !refusal.unless.empty() && value.starts_with(refusal.unless);
      if (!refusal.of(asked) || taken) continue;
      const bool by_value = !refusal.unless.empty() && row.choices.empty();
      throw UsageError(option(std::string(row.name), by_value ? value : "") + " means nothing to " +
                       option("method", std::string(name(asked))) + " (" +
                       Message::parse(refusal.because) + ")");
    }
  }
}

void OptionValues::check_model(const Entry& entry) const {
  for (const Option& row : option_table)
    if (changed(row) && !knows(entry, row))
      throw UsageError(named(row) + " means nothing to a " + entry.name + " model: it has no " +
                       (row.needs == Needs::components    ? "components"
                        : row.needs == Needs::covariances ? "covariances"
                                                          : "categories"));
}

std::vector<std::string> OptionValues::deciding() const {
  std::vector<std::string> lines;
  for (const Option& row : learning_options)
    if (row.decides && !row.flag.empty())
      lines.push_back(fmt::format("{} {}", row.long_flag(), settled(row, text(row))));
  return lines;
}

std::vector<std::string> OptionValues::deciding_before() const {
  std::vector<std::string> lines;
  for (const Option& row : learning_options)
    if (row.decides && !row.standard_before.empty() && !changed(row))
      lines.push_back(
          fmt::format("{} {}", row.long_flag(), settled(row, std::string(row.standard_before))));
  return lines;
}

FitOptions fit_options(const OptionValues& values) {
  FitOptions asked;
  asked.method = parse_method(values.text("method"));
  asked.keep = values.bytes("keep");
  asked.passes = values.count("passes");
  asked.batch = {.tolerance = values.number("tolerance"),
                 .max_iterations = values.count("max_iterations")};
  const bool leaps = values.changed("accelerate") ? values.text("accelerate") == "squarem"
                                                  : asked.method == Method::automatic;
  if (leaps) asked.batch.accelerate = Acceleration::squarem;
  asked.to_the_end = values.given("tolerance");
  asked.regularisation.floor = values.number("floor");
  asked.regularisation.ridge = values.number("ridge");
  asked.online.step = Schedule::parse(values.text("step"));
  asked.online.batch_size = values.count_if_given("batch_size");
  asked.online.buffer = values.count_if_given("buffer");
  if (values.given("warmup")) asked.online.warmup = values.count("warmup");
  asked.online.average = Averaging::parse(values.text("average"));
  if (values.text("average_of") == "parameters")
    asked.online.average.of = Averaging::Of::parameters;
  if (values.given("starts")) asked.online.starts = values.count("starts");
  asked.online.start_budget = parse_start_budget(values.text("start_budget"));
  asked.online.seed = values.count("seed");
  return asked;
}

std::optional<std::uint64_t> to_bytes(std::string_view text) {
  constexpr std::string_view units = "KMG";
  std::uint64_t factor = 1;
  if (!text.empty()) {
    const std::size_t unit =
        units.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
    if (unit != std::string_view::npos) {
      factor = std::uint64_t{1} << (10 * (unit + 1));
      text.remove_suffix(1);
    }
  }
  const auto count = to_count(text);
  if (!count || *count > longest_count / factor) return std::nullopt;
  return *count * factor;
}

}  // namespace thalweg
