// -k 1:9, -r 1:9: a fit for every number of components or factors, compared by held-out likelihood, BIC and ICL.
#include "fit_run.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/data/slices.hpp>
#include <thalweg/sources/memory.hpp>

#include <fmt/format.h>

#include <map>

namespace thalweg::app {
namespace {

constexpr double held_out_share = 0.2;

struct Scores {
  std::optional<double> mean;      // of all rows at the maximum
  std::optional<double> held_out;  // mean log-likelihood of rows that the fit did not see
  std::optional<double> bic;
  std::optional<double> icl;  // BIC + 2 × entropy of the posterior
};

/// Each unit goes to one of the two by a coin of its own.
std::pair<Table, Table> split(const Block& rows, std::uint64_t seed, Unit unit) {
  std::pair<Table, Table> parts{Table(rows.columns), Table(rows.columns)};
  const Units units(rows, unit);
  for (std::size_t u = 0; u < units.size(); ++u) {
    const bool out = Random(seed, units.begin(u), 1).uniform() < held_out_share;
    (out ? parts.second : parts.first).append(units[u]);
  }
  return parts;
}

double mean_log_likelihood(const Fitted& fitted, const Block& rows) {
  const auto e = expect_all(*fitted.model, fitted.parameters, fitted.plan, rows);
  return e.log_likelihood() / e.weight();
}

Scores score(const FitFlags& flags, const Outcome& outcome, const Fitted& prototype,
             FitRows& rows) {
  Scores scores;
  if (rows.in_memory() && outcome.result.log_likelihood) {
    const Block all = rows.table().block();
    scores.mean = *outcome.result.log_likelihood / outcome.result.weight;
    scores.bic = outcome.bic_value();
    scores.icl = outcome.icl_value();
    const auto [learned, held_out] = split(all, flags.count("seed"), prototype.plan.unit);
    if (!was_interrupted() && learned.rows() >= prototype.plan.rows_needed && held_out.rows() > 0) {
      MemorySource source(prototype.schema, learned.block());
      FitFlags plain = flags;
      plain.set("order", "sequential");
      const Outcome part = run_fit(plain, prototype, std::nullopt, source, true);
      scores.held_out = mean_log_likelihood(part.fitted, held_out.block());
    }
  } else {
    scores.held_out = outcome.result.progressive;  // rows were scored before they were learned
  }
  return scores;
}

/// Larger is better.
std::optional<double> merit(const Scores& scores, const std::string& choose_by) {
  const auto minus = [](const std::optional<double>& x) {
    return x ? std::optional<double>(-*x) : std::nullopt;
  };
  if (choose_by == "bic") return minus(scores.bic);
  if (choose_by == "icl") return minus(scores.icl);
  return scores.held_out;
}

/// The size that each criterion prefers, where they differ.
class Preferences {
 public:
  void add(std::uint64_t k, const Scores& scores) {
    for (auto& [criterion, best] : best_) {
      const auto value = merit(scores, criterion);
      if (value && (!best || *value > best->second)) best = {k, *value};
    }
  }
  std::string text() const {
    std::string text;
    for (const auto& [criterion, best] : best_)
      if (best)
        text += fmt::format("{}{} prefers {}", text.empty() ? "" : ", ", criterion, best->first);
    return text;
  }

 private:
  std::map<std::string, std::optional<std::pair<std::uint64_t, double>>> best_ = {
      {"bic", {}}, {"icl", {}}, {"held-out", {}}};
};

std::string cell(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

Json json_of(const Entry& entry, std::uint64_t size, const Scores& scores) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  Json json = {{entry.size().name, size},
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

Outcome compare(const FitFlags& flags, Range range, const Entry& entry, const ModelOptions& options,
                FitRows& rows, Json& table) {
  const Option& size = entry.size();
  const std::string letter = entry.has_components() ? "K" : "r";
  if (flags.has("init"))
    throw UsageError(fmt::format("{} with a range and --init exclude each other", size.flag));
  ModelOptions largest = options;
  largest.set(size.name, std::to_string(range.last));
  prepare(entry, largest, rows.source().schema());  // refuses before the first fit
  std::optional<Outcome> best;
  std::optional<double> best_merit;
  Preferences preferences;
  if (!flags.has("quiet")) print_line(entry, letter, "mean log-lik", "held out", "BIC", "ICL");
  for (std::uint64_t k = range.first; k <= range.last && !was_interrupted(); ++k) {
    ModelOptions with_k = options;
    with_k.set(size.name, std::to_string(k));
    const Fitted prototype = prepare(entry, with_k, rows.source().schema());
    if (k > range.first && !rows.source().rewind())
      throw Error("comparing needs an input that can be read again, or that fits into --keep");
    Outcome outcome = run_fit(flags, prototype, std::nullopt, rows.source(), true);
    if (was_interrupted() && best) break;  // half a fit is compared with nothing
    const Scores scores = score(flags, outcome, prototype, rows);
    if (!flags.has("quiet"))
      print_line(entry, std::to_string(k), cell(scores.mean, 6), cell(scores.held_out, 6),
                 cell(scores.bic, 2), cell(scores.icl, 2));
    table.push_back(json_of(entry, k, scores));
    preferences.add(k, scores);
    // A stream that was read once has no likelihood of all rows: held-out likelihood decides.
    const auto value = merit(scores, scores.bic ? flags.text("choose_by") : "held-out");
    if (!best || (value && (!best_merit || *value > *best_merit))) {
      best = std::move(outcome);
      best_merit = value;
    }
  }
  if (!best) throw Interrupted("interrupted before the first fit ended");
  best->result.stopped = was_interrupted();
  if (!flags.has("quiet"))
    fmt::print(stderr, "\nkept {} = {} by {} ({})\n", letter, best->fitted.options.text(size.name),
               best->result.log_likelihood ? flags.text("choose_by") : "held-out",
               preferences.text());
  return std::move(*best);
}

}  // namespace thalweg::app
