// -k 1:9, -r 1:9: the table of a comparison of sizes, as it grows.
#include "fit_run.hpp"
#include "sources/places.hpp"
#include <thalweg/core/error.hpp>

#include <fmt/format.h>

namespace thalweg::app {
namespace {

std::string cell(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

Json json_of(const Entry& entry, const SizeScores& scores) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  Json json = {{entry.size().name, scores.size},
               {"mean_log_likelihood", or_null(scores.mean)},
               {"held_out_mean_log_likelihood", or_null(scores.held_out)},
               {"bic", or_null(scores.bic)}};
  if (entry.has_components()) json["icl"] = or_null(scores.icl);
  return json;
}

/// A line of the table; only components have an ICL.
void print_line(const Entry& entry, const std::string& size, const std::string& mean,
                const std::string& held_out, const std::string& bic, const std::string& icl) {
  fmt::print(stderr, "{:>4} {:>14} {:>14} {:>14}", size, mean, held_out, bic);
  if (entry.has_components()) fmt::print(stderr, " {:>14}", icl);
  fmt::print(stderr, "\n");
}

}  // namespace

Told compare(const FitFlags& flags, const FitJob& job, Range range, FitRows& rows) {
  const Entry& entry = *job.model.entry;
  const std::string letter = entry.has_components() ? "K" : "r";
  if (flags.has("init"))
    throw UsageError(
        fmt::format("{} with a range and --init exclude each other", entry.size().flag));
  const bool quiet = flags.has("quiet");
  const ComparisonJob comparison{
      .fit = job,
      .first = range.first,
      .last = range.last,
      .choose_by = flags.text("choose_by"),
      .told = [&](const SizeScores& scores) {
        if (quiet) return;
        if (scores.size == range.first)
          print_line(entry, letter, "mean log-lik", "held out", "BIC", "ICL");
        print_line(entry, std::to_string(scores.size), cell(scores.mean, 6),
                   cell(scores.held_out, 6), cell(scores.bic, 2), cell(scores.icl, 2));
      }};
  const std::optional<Block> kept = rows.in_memory();
  auto found = with_places(rows.source(), [&] {
    return unless_interrupted(
        [&] { return compare_sizes(comparison, rows.source(), kept ? &*kept : nullptr); });
  });
  if (!found) throw Interrupted("interrupted before the first fit ended");
  Told told{.outcome = std::move(found->best), .comparison = Json::array()};
  for (const SizeScores& scores : found->table) told.comparison.push_back(json_of(entry, scores));
  if (quiet) return told;
  std::string preferences;
  for (const auto& [criterion, size] : found->preferred)
    preferences += fmt::format("{}{} prefers {}", preferences.empty() ? "" : ", ", criterion, size);
  fmt::print(stderr, "\nkept {} = {} by {} ({})\n", letter,
             told.outcome.fitted.options.text(entry.size().name), found->chosen_by, preferences);
  return told;
}

}  // namespace thalweg::app
