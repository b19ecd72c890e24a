// Batch EM from several starts, the best one taken.
#include "estimators/multi_start.hpp"

#include "data/distinct.hpp"
#include "estimators/watched.hpp"
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/schedule.hpp>
#include <thalweg/estimators/entropy.hpp>
#include <thalweg/estimators/incremental.hpp>
#include <thalweg/estimators/variance_reduced.hpp>

#include <algorithm>
#include <concepts>

namespace thalweg {
namespace {

/// What came of a run so far; nothing before its first E-step.
template <class Estimator>
double reached(const Estimator& run) {
  return run.statistic().weight > 0 ? run.objective() : -HUGE_VAL;
}

/// Rows of weight 0 are as if they were not there: they are no reason to look for longer either. Nothing where there are none.
std::optional<Table> those_that_count(const Block& rows, Unit unit) {
  const double* weight = rows.side.weight;
  if (!weight || unit != Unit::row ||
      std::find(weight, weight + rows.rows, 0.0) == weight + rows.rows)
    return std::nullopt;
  Table counted(rows.columns);
  for_rows_that_count(rows, unit, [&counted](const Block& part) { counted.append(part); });
  return counted;
}

}  // namespace

MultiStart::MultiStart(const FitSetting& setting, Schema schema)
    : setting_(setting),
      schema_(std::move(schema)),
      plan_(setting.model->plan(schema_)),
      batch_(setting.options.batch),
      random_(setting.options.online.seed, 0, 2),
      asked_for_(!setting.given.empty() || setting.options.runs > 0) {}

template <class Estimator>
void MultiStart::take(const Estimator& run, FitResult& result) const {
  result.parameters = run.parameters();
  result.regularisation = batch_.regularisation;
  result.statistic = Statistic();
  if (run.statistic().weight > 0) {
    result.statistic = run.statistic();
    result.log_likelihood = run.log_likelihood();
  }
  result.iterations = run.iterations();
  result.converged = run.converged();
  result.events = run.events();
  if (run.iterations() > 0) result.moving = run.moving();
  if constexpr (requires { run.passes(); }) result.passes = run.passes();
  if constexpr (requires { run.memory(); }) {
    result.memory = run.memory();
    result.batch_size = run.block_size(static_cast<std::size_t>(result.rows));
  }
  if constexpr (std::same_as<Estimator, VarianceReduced>) {
    result.rate = run.rate();
    result.batch_size = run.batch_size(static_cast<std::size_t>(result.rows));
  }
}

template <class Estimator>
void MultiStart::enter(Estimator& run, const Parameters& theta) {
  if (saved_)
    run.load(*std::exchange(saved_, std::nullopt));
  else
    run.begin(theta);
  under_way_ = [&run] { return run.save(); };
}

bool MultiStart::pays() const { return at_ == 0 || asked_for_ || real(spent_) < spare_; }

void MultiStart::spend(const Block& rows) {
  if (at_ > 0) spent_ += rows.rows;
}

template <class Make>
void MultiStart::best_end(const Make& make, const Block& rows, FitResult& result) {
  if (at_ > 0 && result.parameters.size() == 0) throw Error("saved fit is damaged");
  spare_ = visits_within(setting_.options.online.start_budget, real(rows.rows), plan_);
  for (; at_ < runs() && !result.stopped && pays(); ++at_) {
    const Parameters& start = candidate();
    auto run = make();
    if (at_ == 0)
      for (Observer* observer : setting_.observers) run.observe(*observer);
    enter(run, start);
    for (bool done = run.exhausted(); !done && !result.stopped && pays();) {
      done = run.iterate(rows);
      spend(rows);
      result.stopped = !done && setting_.rest();
    }
    under_way_ = {};
    if (result.stopped) run.evaluate(rows);
    if (at_ > 0 && !(reached(run) > best_)) continue;
    best_ = reached(run);
    take(run, result);
    for (std::size_t r = 0; r < result.starts.size(); ++r) result.starts[r].chosen = r == at_;
  }
}

const Parameters& MultiStart::candidate() {
  if (at_ == candidates_.size()) candidates_.push_back(find_(at_));
  return candidates_[at_];
}

void MultiStart::begin(std::vector<Parameters> candidates, Regularisation regularisation) {
  candidates_ = std::move(candidates);
  batch_.regularisation = std::move(regularisation);
}

void MultiStart::polish(const Block& kept, FitResult& result) {
  const std::optional<Table> counted = those_that_count(kept, plan_.unit);
  const Block present = counted ? counted->block() : kept;
  const std::optional<Table> distinct = distinct_rows(present, plan_.unit);
  const Block rows = distinct ? distinct->block() : present;
  if (setting_.options.method == Method::automatic && !setting_.options.to_the_end)
    be_content(rows);
  best_end([this] { return Batch(setting_.model, schema_, batch_); }, rows, result);
  result.method = Method::batch;
  const bool to_the_top = setting_.given.empty() && batch_.stop_by == StopBy::gap;
  if (to_the_top) jump(rows, result);
  conclude(rows, result);
}

/// Where g nat are left to gain over all rows, p parameters lie sqrt(2 g / p) standard errors from the maximum, in the root mean square.
/// Whoever compares likelihoods of many parameters does not want to see more than a fraction of a nat.
void MultiStart::be_content(const Block& rows) {
  constexpr double standard_errors = 0.1;
  constexpr double nats = 0.25;
  const double of_errors = standard_errors * standard_errors / 2 * real(plan_.free_parameters);
  batch_.enough = std::min(of_errors, nats) / rows.total_weight();
  batch_.patience = static_cast<std::uint64_t>(visits_within(0, 0, plan_) / real(rows.rows));
}

void MultiStart::refine(const Block& kept, FitResult& result) {
  const std::optional<Table> counted = those_that_count(kept, plan_.unit);
  const Block rows = counted ? counted->block() : kept;
  const OnlineOptions& online = setting_.options.online;
  result.method = setting_.options.method;
  if (result.method == Method::incremental) {
    IncrementalOptions options{.batch_size = online.batch_size,
                               .warmup = {},
                               .tolerance = batch_.tolerance,
                               .max_iterations = batch_.max_iterations,
                               .regularisation = batch_.regularisation,
                               .pool = batch_.pool,
                               .seed = batch_.seed};
    const bool textbook = online.buffer && *online.buffer == 0;
    const std::uint64_t warmup = online.warmup.value_or(0);
    if (warmup > 0 || textbook) options.warmup = warmup;
    best_end([&] { return Incremental(setting_.model, schema_, options); }, rows, result);
    result.why = "incremental EM on rows kept in memory, as asked";
  } else {
    VarianceReducedOptions options{.batch_size = online.batch_size,
                                   .rate = {},
                                   .tolerance = batch_.tolerance,
                                   .max_iterations = batch_.max_iterations,
                                   .seed = online.seed,
                                   .regularisation = batch_.regularisation,
                                   .pool = batch_.pool};
    if (online.step.kind() == Schedule::Kind::constant) options.rate = online.step.constant_rate();
    best_end([&] { return VarianceReduced(setting_.model, schema_, options); }, rows, result);
    result.why = "variance-reduced EM on rows kept in memory, as asked";
  }
  conclude(rows, result);
}

void MultiStart::read_again(Source& source, FitResult& result) {
  const std::size_t count = result.starts.empty() ? runs() : 1;
  for (; at_ < count && !result.stopped; ++at_) {
    const Parameters& start = candidate();
    Batch run(setting_.model, schema_, batch_);
    for (Observer* observer : setting_.observers) run.observe(*observer);
    enter(run, start);
    try {
      for (bool done = run.exhausted(); !done && !result.stopped;
           result.stopped = !done && setting_.rest()) {
        setting_.rewind(source);
        done = run.iterate(source);
      }
    } catch (const Stopped&) {
      result.stopped = true;
    }
    under_way_ = {};
    if (result.stopped && batch_.stop_by == StopBy::gap) {
      setting_.rewind(source);
      run.evaluate(source);
    }
    if (at_ > 0 && !(reached(run) > best_)) continue;
    best_ = reached(run);
    take(run, result);
  }
  result.method = Method::batch;
}

Archive MultiStart::save() const {
  Archive archive;
  archive.put("counts", std::vector<std::uint64_t>{candidates_.size(), at_, failures_, trial_,
                                                   random_.drawn()});
  archive.put("best", best_);
  archive.put("spent", spent_);
  for (std::size_t c = 0; c < candidates_.size(); ++c)
    archive.put("candidate" + std::to_string(c), candidates_[c]);
  save_prior(batch_.regularisation, archive);
  archive.put("run/", under_way_());
  return archive;
}

void MultiStart::load(const Archive& archive) {
  const auto& counts = archive.counts("counts");
  if (counts.size() != 5 || counts[0] == 0 || counts[1] > counts[0])
    throw Error("saved fit is damaged");
  candidates_.clear();
  for (std::uint64_t c = 0; c < counts[0]; ++c)
    archive.get("candidate" + std::to_string(c), candidates_.emplace_back(plan_.parameters));
  at_ = counts[1];
  failures_ = counts[2];
  trial_ = counts[3];
  random_.go_to(counts[4]);
  best_ = archive.number("best");
  spent_ = archive.count_or("spent", 0);
  load_prior(archive, plan_, batch_.regularisation);
  saved_ = archive.nested("run/");
}

void MultiStart::jump(const Block& rows, FitResult& result) {
  constexpr std::uint64_t attempts = 4;
  constexpr std::uint64_t enough = 30;  // iterations that show whether a jump leads higher
  const double weight = rows.total_weight();
  at_ = runs();
  const double a_trial = real(enough * rows.rows);
  while (failures_ < attempts && !result.stopped && (saved_ || real(spent_) + a_trial < spare_)) {
    Parameters theta = result.parameters;
    if (!saved_) {
      trial_ = 0;
      spend(rows);
      if (!rearrange(*setting_.model, rows, batch_.regularisation.context(weight), failures_,
                     random_, theta))
        return;
    }
    Batch batch(setting_.model, schema_, batch_);
    enter(batch, theta);
    const auto leads_higher = [&] { return batch.objective() > best_ + 1e-4 * weight; };
    for (bool done = false; !done && !result.stopped; result.stopped = !done && setting_.rest()) {
      if (trial_ == enough && !leads_higher()) break;
      done = batch.iterate(rows);
      spend(rows);
      ++trial_;
    }
    under_way_ = {};
    if (result.stopped) batch.evaluate(rows);
    if (leads_higher()) {
      best_ = batch.objective();
      take(batch, result);
      failures_ = 0;
    } else {
      ++failures_;
    }
  }
}

void MultiStart::conclude(const Block& rows, FitResult& result) const {
  result.entropy = entropy(*setting_.model, result.parameters, rows, setting_.options.pool,
                           setting_.model->plan(schema_).unit);
  if (setting_.baseline && !rows.side.label)
    result.baseline = setting_.batch_baseline(schema_, rows, rows);
}

}  // namespace thalweg
