// A fit for every number of components or factors, compared by held-out likelihood, BIC and ICL.
#include <thalweg/catalogue/comparison.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/data/slices.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/sources/memory.hpp>

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

SizeScores score(std::uint64_t size, const FitOutcome& outcome, const FitJob& job,
                 const Block* kept) {
  // Rows of a stream were scored before they were learned.
  if (!kept || !outcome.result.log_likelihood)
    return {.size = size, .held_out = outcome.result.progressive};
  return {.size = size,
          .mean = outcome.mean,
          .held_out = held_out(job, *kept),
          .bic = outcome.bic,
          .icl = outcome.icl};
}

/// Of the model with another number of components or factors.
FitJob resized(const FitJob& job, std::uint64_t size) {
  FitJob other = job;
  other.model.options.set(job.model.entry->size().name, std::to_string(size));
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

std::optional<Comparison> compare_sizes(const ComparisonJob& job, Source& rows, const Block* kept) {
  resized(job.fit, job.last);  // refuses before the first fit
  std::optional<FitOutcome> best;
  std::optional<double> best_merit;
  std::vector<SizeScores> table;
  std::map<std::string, std::uint64_t> preferred;
  std::map<std::string, double> highest;
  for (std::uint64_t size = job.first; size <= job.last && !stopped(job.fit); ++size) {
    const FitJob fit = resized(job.fit, size);
    if (size > job.first && !rows.rewind())
      throw Error("comparing needs an input that can be read again, or that fits into " +
                  option("keep"));
    FitOutcome outcome = fit_model(fit, rows);
    if (stopped(job.fit) && best) break;  // half a fit is compared with nothing
    const SizeScores& scores = table.emplace_back(score(size, outcome, fit, kept));
    if (job.told) job.told(scores);
    for (const char* criterion : {"bic", "icl", "held-out"}) {
      const auto value = scores.merit(criterion);
      if (!value || (highest.contains(criterion) && *value <= highest[criterion])) continue;
      highest[criterion] = *value;
      preferred[criterion] = size;
    }
    // A stream that was read once has no likelihood of all rows: held-out likelihood decides.
    const auto value = scores.merit(scores.bic ? job.choose_by : "held-out");
    if (best && !(value && (!best_merit || *value > *best_merit))) continue;
    best = std::move(outcome);
    best_merit = value;
  }
  if (!best) return std::nullopt;
  best->result.stopped = stopped(job.fit);
  std::string by = best->result.log_likelihood ? job.choose_by : "held-out";
  return Comparison{.best = std::move(*best),
                    .chosen_by = std::move(by),
                    .table = std::move(table),
                    .preferred = std::move(preferred)};
}

}  // namespace thalweg
