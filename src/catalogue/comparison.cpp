// A fit for every number of components or factors and every choice, compared by held-out likelihood, BIC and ICL.
#include "catalogue/fitted_regularisation.hpp"
#include <thalweg/catalogue/comparison.hpp>
#include <thalweg/catalogue/warnings.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/data/slices.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/sources/memory.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {
namespace {

constexpr double held_out_share = 0.2;

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

bool stopped(const FitJob& job) { return job.options.stop && job.options.stop(); }

/// Mean log-likelihood of a fifth of the rows under a fit to the others; nothing where that are too few.
std::optional<double> held_out(const FitJob& job, const Block& all) {
  const auto [learned, out] = split(all, job.options.online.seed, job.model.plan.unit);
  if (stopped(job) || learned.rows() < job.model.plan.rows_needed || out.rows() == 0)
    return std::nullopt;
  FitJob part = job;
  part.with_baseline = false;
  MemorySource source(job.model.schema, learned.block());
  const Fitted fitted = fit_model(part, source).fitted;
  const Expectation e = expect_all(*fitted.model, fitted.parameters, fitted.plan, out.block());
  return e.log_likelihood() / e.weight();
}

/// By the worst that is known of it.
Soundness soundness(const FitOutcome& outcome, const std::vector<Degeneracy>& found) {
  const std::size_t K = component_count(outcome.fitted);
  const bool own = std::ranges::any_of(found, [K](const auto& one) { return !one.of_all(K); });
  if (own) return Soundness::degenerate;
  if (falls_short(outcome.result)) return Soundness::not_converged;
  return found.empty() ? Soundness::sound : Soundness::narrow_rows;
}

SizeScores score(const FitOutcome& outcome, const FitJob& job, const Block* kept) {
  SizeScores scores{.size = job.model.options.count(job.model.entry->size().name),
                    .degenerate = degeneracies(outcome.fitted),
                    .converged = !falls_short(outcome.result)};
  scores.soundness = soundness(outcome, scores.degenerate);
  // Rows of a stream were scored before they were learned.
  if (!kept || !outcome.result.log_likelihood) {
    scores.held_out = outcome.result.progressive;
    return scores;
  }
  scores.mean = outcome.mean;
  scores.held_out = held_out(job, *kept);
  scores.bic = outcome.bic;
  scores.icl = outcome.icl;
  return scores;
}

/// All combinations of choices, the last option fastest.
std::vector<std::map<std::string, std::string>> combinations(const Entry& entry,
                                                             const std::vector<std::string>& over) {
  std::vector<std::map<std::string, std::string>> all = {{}};
  for (const std::string& name : over) {
    const Option* const row = entry.option(name);
    if (!row || row->choices.empty())
      throw UsageError("model " + entry.name + " has no choices of " + option(name));
    std::vector<std::map<std::string, std::string>> longer;
    for (const auto& choices : all)
      for (const std::string_view choice : row->choices) {
        longer.push_back(choices);
        longer.back()[name] = choice;
      }
    all = std::move(longer);
  }
  return all;
}

/// Of the model with another number of components or factors, and other choices.
FitJob with(const FitJob& job, std::uint64_t size,
            const std::map<std::string, std::string>& choices) {
  FitJob other = job;
  other.model.options.set(job.model.entry->size().name, std::to_string(size));
  for (const auto& [name, choice] : choices) other.model.options.set(name, choice);
  other.model = prepare(*job.model.entry, other.model.options, job.model.schema);
  return other;
}

}  // namespace

std::optional<double> SizeScores::merit(const std::string& criterion) const {
  const auto minus = [](const std::optional<double>& x) {
    return x ? std::optional<double>(-*x) : std::nullopt;
  };
  if (criterion == "bic") return minus(bic);
  if (criterion == "icl") return minus(icl);
  return held_out;
}

namespace {

/// The best so far: sounder fits go first, then merit by what decides.
class Leader {
 public:
  explicit Leader(const ComparisonJob& job) : job_(job) {}

  /// A stream that was read once has no likelihood of all rows: held-out likelihood decides.
  bool offer(const SizeScores& scores) {
    const Soundness soundness = job_.allow_degenerate ? Soundness::sound : scores.soundness;
    const auto merit = scores.merit(scores.bic ? job_.choose_by : "held-out");
    const bool better = !any_ || soundness < soundness_ ||
                        (soundness == soundness_ && merit && (!merit_ || *merit > *merit_));
    if (!better) return false;
    any_ = true;
    soundness_ = soundness;
    merit_ = merit;
    return true;
  }
  bool may_choose(const SizeScores& scores) const {
    return job_.allow_degenerate || scores.soundness == soundness_;
  }

 private:
  const ComparisonJob& job_;
  bool any_ = false;
  Soundness soundness_ = Soundness::sound;
  std::optional<double> merit_;
};

std::map<std::string, std::size_t> preferences(const std::vector<SizeScores>& table,
                                               const Leader& leader) {
  std::map<std::string, std::size_t> preferred;
  std::map<std::string, double> highest;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!leader.may_choose(table[i])) continue;
    for (const char* criterion : {"bic", "icl", "held-out"}) {
      const auto value = table[i].merit(criterion);
      if (!value || (highest.contains(criterion) && *value <= highest[criterion])) continue;
      highest[criterion] = *value;
      preferred[criterion] = i;
    }
  }
  return preferred;
}

}  // namespace

std::optional<Comparison> compare_sizes(const ComparisonJob& job, Source& rows, const Block* kept) {
  const auto all = combinations(*job.fit.model.entry, job.over);
  with(job.fit, job.last, all.back());  // refuses before the first fit
  Leader leader(job);
  std::optional<FitOutcome> best;
  std::size_t place = 0;
  std::vector<SizeScores> table;
  for (std::uint64_t size = job.first; size <= job.last; ++size) {
    for (const auto& choices : all) {
      if (stopped(job.fit)) break;
      const FitJob fit = with(job.fit, size, choices);
      if (best && !rows.rewind())
        throw Error("comparing needs an input that can be read again, or that fits into " +
                    option("keep"));
      FitOutcome outcome = fit_model(fit, rows);
      if (stopped(job.fit) && best) break;  // half a fit is compared with nothing
      SizeScores& scores = table.emplace_back(score(outcome, fit, kept));
      scores.choices = choices;
      if (job.told) job.told(scores);
      if (!leader.offer(scores)) continue;
      best = std::move(outcome);
      place = table.size() - 1;
    }
  }
  if (!best) return std::nullopt;
  best->result.stopped = stopped(job.fit);
  std::string by = best->result.log_likelihood ? job.choose_by : "held-out";
  auto preferred = preferences(table, leader);
  return Comparison{.best = std::move(*best),
                    .chosen_by = std::move(by),
                    .table = std::move(table),
                    .kept = place,
                    .preferred = std::move(preferred)};
}

}  // namespace thalweg
