// -k 1:9, -r 1:9, --covariance all: the table of a comparison, as it grows.
#include "fit_run.hpp"
#include "sources/places.hpp"
#include <thalweg/core/error.hpp>

#include <fmt/format.h>

namespace thalweg::app {
namespace {

std::string cell(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string letter(const Entry& entry) { return entry.has_components() ? "K" : "r"; }

Json json_of(const Entry& entry, const SizeScores& scores) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  Json json = {{entry.size().name, scores.size}};
  for (const auto& [name, choice] : scores.choices) json[name] = choice;
  json["mean_log_likelihood"] = or_null(scores.mean);
  json["held_out_mean_log_likelihood"] = or_null(scores.held_out);
  json["bic"] = or_null(scores.bic);
  if (entry.has_components()) json["icl"] = or_null(scores.icl);
  json["converged"] = scores.converged;
  json["degenerate"] = degenerate_json(scores.degenerate);
  return json;
}

/// "degenerate (thin, alike), not converged"; empty where the likelihood says what the fit is worth.
std::string remark(const SizeScores& scores) {
  std::vector<std::string_view> kinds;
  for (const Degeneracy& one : scores.degenerate)
    if (kinds.empty() || kinds.back() != name(one.kind)) kinds.push_back(name(one.kind));
  std::string text = kinds.empty() ? "" : fmt::format("degenerate ({})", fmt::join(kinds, ", "));
  if (!scores.converged) text += text.empty() ? "not converged" : ", not converged";
  return text;
}

/// The lines of the table; only components have an ICL.
class Lines {
 public:
  Lines(const Entry& entry, std::vector<std::string> over)
      : entry_(entry), over_(std::move(over)) {}

  void head() const {
    print(letter(entry_), over_, {"mean log-lik", "held out", "BIC", "ICL"}, "");
  }
  void line(const SizeScores& scores) const {
    std::vector<std::string> choices;
    for (const std::string& name : over_) choices.push_back(scores.choices.at(name));
    print(
        std::to_string(scores.size), choices,
        {cell(scores.mean, 6), cell(scores.held_out, 6), cell(scores.bic, 2), cell(scores.icl, 2)},
        remark(scores));
  }

 private:
  void print(const std::string& size, const std::vector<std::string>& choices,
             const std::vector<std::string>& figures, const std::string& remark) const {
    std::string text = fmt::format("{:>4}", size);
    for (const std::string& choice : choices) text += fmt::format(" {:>11}", choice);
    for (std::size_t i = 0; i < figures.size() && (i < 3 || entry_.has_components()); ++i)
      text += fmt::format(" {:>14}", figures[i]);
    fmt::print(stderr, "{}{}{}\n", text, remark.empty() ? "" : "  ", remark);
  }

  const Entry& entry_;
  std::vector<std::string> over_;
};

/// "3", "3 diag".
std::string what(const SizeScores& scores) {
  std::string text = std::to_string(scores.size);
  for (const auto& [name, choice] : scores.choices) text += " " + choice;
  return text;
}

/// "(bic prefers 3, icl prefers 2)".
std::string preferences(const Comparison& found) {
  std::string text;
  for (const auto& [criterion, place] : found.preferred)
    text += fmt::format("{}{} prefers {}", text.empty() ? "" : ", ", criterion,
                        what(found.table[place]));
  return text;
}

/// What was not chosen though its merit is higher, because it is degenerate or has not converged.
std::string avoided(const Comparison& found, const std::string& letter) {
  const SizeScores& kept = found.table[found.kept];
  const auto merit = kept.merit(found.chosen_by);
  std::vector<std::string> higher;
  for (const SizeScores& scores : found.table)
    if (const auto other = scores.merit(found.chosen_by);
        other && merit && *other > *merit && scores.soundness > kept.soundness)
      higher.push_back(what(scores));
  if (higher.empty()) return "";
  return fmt::format(
      "left out although {} is better there: {} = {} (--degenerate allow takes them)\n",
      found.chosen_by, letter, fmt::join(higher, ", "));
}

}  // namespace

Told compare(const FitFlags& flags, const FitJob& job, const Choice& choice, FitRows& rows) {
  const Entry& entry = *job.model.entry;
  if (flags.has("init"))
    throw UsageError(fmt::format("{} and --init exclude each other", choice.several()));
  const bool quiet = flags.has("quiet");
  const Lines lines(entry, choice.over);
  bool begun = false;
  const ComparisonJob comparison{.fit = job,
                                 .first = choice.range->first,
                                 .last = choice.range->last,
                                 .over = choice.over,
                                 .choose_by = flags.text("choose_by"),
                                 .allow_degenerate = flags.text("degenerate") == "allow",
                                 .told = [&](const SizeScores& scores) {
                                   if (quiet) return;
                                   if (!begun) lines.head();
                                   begun = true;
                                   lines.line(scores);
                                 }};
  const std::optional<Block> kept = rows.in_memory();
  auto found = with_places(rows.source(), [&] {
    return unless_interrupted(
        [&] { return compare_sizes(comparison, rows.source(), kept ? &*kept : nullptr); });
  });
  if (!found) throw Interrupted("interrupted before the first fit ended");
  Json table = Json::array();
  for (const SizeScores& scores : found->table) table.push_back(json_of(entry, scores));
  if (!quiet)
    fmt::print(stderr, "\nkept {} = {} by {} ({})\n{}", letter(entry),
               what(found->table[found->kept]), found->chosen_by, preferences(*found),
               avoided(*found, letter(entry)));
  return {.outcome = std::move(found->best), .comparison = std::move(table)};
}

}  // namespace thalweg::app
