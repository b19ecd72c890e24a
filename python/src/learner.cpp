// A model that learns: fits, goes on online, is kept and comes back.
#include "learner.hpp"

#include <thalweg/catalogue/fitted_regularisation.hpp>
#include <thalweg/catalogue/options.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/domain.hpp>
#include <thalweg/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace thalweg::python {
namespace {

/// Counts the M-steps of a run.
class Steps final : public Observer {
 public:
  void on(const Step& step) override {
    if (step.phase == Phase::online) number_ = step.number;
  }
  std::uint64_t number() const { return number_; }

 private:
  std::uint64_t number_ = 0;
};

/// The regularisation of a fit may be those of a file, which no setting knows.
Archive saved_regularisation(const Regularisation& regularisation) {
  Archive archive;
  archive.put("numbers", std::vector<double>{regularisation.floor, regularisation.ridge,
                                             regularisation.prior_strength});
  archive.put("fixed",
              regularisation.fixed ? regularisation.fixed->words() : std::vector<std::string>());
  save_prior(regularisation, archive);
  return archive;
}

Regularisation loaded_regularisation(const Archive& archive, const Plan& plan) {
  const auto& numbers = archive.numbers("numbers");
  if (numbers.size() != 3) throw Error("saved estimator is damaged");
  Regularisation regularisation{
      .floor = numbers[0], .ridge = numbers[1], .prior_strength = numbers[2]};
  std::string fixed;
  for (const std::string& word : archive.texts("fixed")) fixed += (fixed.empty() ? "" : ",") + word;
  if (!fixed.empty()) regularisation.fixed = std::make_shared<const Fixed>(Fixed::parse(fixed));
  load_prior(archive, plan, regularisation);
  return regularisation;
}

}  // namespace

Learner::Learner(const Entry& entry, const ModelOptions& options, const Schema& schema,
                 Setting setting)
    : setting_(std::move(setting)), fitted_(prepare(entry, options, schema)) {
  fitted_.regularisation = setting_.fit.regularisation;
}

Learner::Learner(std::shared_ptr<const Model> model, const Schema& schema, Setting setting)
    : setting_(std::move(setting)) {
  fitted_.plan = model->plan(schema);
  fitted_.schema = schema;
  fitted_.parameters = Parameters(fitted_.plan.parameters);
  fitted_.model = std::move(model);
  fitted_.regularisation = setting_.fit.regularisation;
}

void Learner::place(Parameters theta) {
  fitted_.parameters = std::move(theta);
  fitted_.statistic.reset();
  fitted_.regularisation = setting_.fit.regularisation;
  online_.reset();
  report_ = {};
  placed_ = true;
  moved_ = false;
}

void Learner::fit(Source& source, const ThreadPool& pool, std::function<bool()> stop,
                  const std::vector<Observer*>& observers) {
  online_.reset();
  if (setting_.climbs) {
    ClimbOptions options = setting_.climb;
    options.pool = pool;
    options.stop = std::move(stop);
    options.given = pieces_;
    try {
      take(climb(fitted_.model, source, given_, options, observers));
    } catch (const Interrupted&) {
      return;
    }
  } else {
    FitOptions options = setting_.fit;
    if (!pieces_.empty() && !streams(options.method))
      throw UsageError(
          "only batch EM and methods of one pass can start from a part of the parameters (give all "
          "of them)");
    options.online.impose = impose();
    options.pool = pool;
    options.online.stop = stop;
    options.stop = std::move(stop);
    Fit fit(fitted_.model, options);
    if (!given_.empty()) fit.begin(given_.front());
    Steps steps;
    fit.observe(steps);
    for (Observer* observer : observers) fit.observe(*observer);
    take(fit.run(source));
    if (report_.method == name(Method::online)) report_.iterations = steps.number();
  }
  given_.clear();
  placed_ = true;
  moved_ = false;
}

void Learner::take(const Climbed& climbed) {
  fitted_.parameters = climbed.theta;
  fitted_.statistic = climbed.statistic;
  fitted_.regularisation = climbed.regularisation;
  rows_ = climbed.rows;
  weight_ = climbed.weight;
  report_ = {.method = std::string(name(Method::batch)),
             .why = "batch EM, as asked",
             .converged = climbed.converged,
             .stopped = climbed.stopped,
             .iterations = climbed.iterations,
             .lower_bound = {},
             .passes = climbed.iterations + 1,
             .events = climbed.events};
  if (climbed.iterations > 0) report_.lower_bound = climbed.lower_bound;
}

void Learner::take(const FitResult& result) {
  fitted_.parameters = result.parameters;
  fitted_.statistic = result.statistic;
  fitted_.regularisation = result.regularisation;
  rows_ = result.rows;
  weight_ = result.weight;
  report_ = {.method = std::string(name(result.method)),
             .why = in_python(result.why),
             .converged = result.converged,
             .stopped = result.stopped,
             .iterations = result.iterations,
             .lower_bound = result.progressive,
             .passes = result.passes,
             .events = result.events};
  if (result.log_likelihood) report_.lower_bound = *result.log_likelihood / result.weight;
}

/// For a start of which only pieces are known.
std::function<void(Parameters&)> Learner::impose() const {
  if (pieces_.empty()) return {};
  return [pieces = pieces_](Parameters& theta) { fill_from(pieces, theta); };
}

Online Learner::make_online() const {
  OnlineOptions options = setting_.fit.online;
  options.impose = impose();
  options.regularisation = fitted_.regularisation;  // of the fit that it goes on from, else as set
  options.stop = [stop = stop_] { return *stop && (*stop)(); };
  return Online(fitted_.model, fitted_.schema, options);
}

void Learner::begin_online() {
  if (placed_ && prior_in_statistics(fitted_))
    throw UsageError(
        "gradient steps with a prior left it in the statistics: only such steps can go on from "
        "them");
  online_.emplace(make_online());
  for (Observer* observer : observers_) online_->observe(*observer);
  if (placed_ && fitted_.statistic) {
    online_->begin(fitted_.parameters, *fitted_.statistic, rows_);
  } else if (const auto* tangent = capability<Tangent>(*fitted_.model); placed_ && tangent) {
    // Nobody knows how many rows are behind these parameters: they count as much as a buffer that they were found on.
    Statistic expected(fitted_.plan.statistic);
    tangent->moments(fitted_.parameters, expected);
    online_->begin(fitted_.parameters, std::move(expected),
                   std::max<std::uint64_t>(online_->buffer_size(), 1));
  } else if (placed_) {
    online_->begin(fitted_.parameters);
  } else if (!given_.empty()) {
    online_->begin(given_.front());
  }
  given_.clear();
}

void Learner::learn(const Block& block, const std::function<bool()>& stop) {
  if (!online_) begin_online();
  struct Asked {  // whatever happens, nobody is asked later
    std::function<bool()>& now;
    ~Asked() { now = {}; }
  } asked{*stop_};
  asked.now = stop;
  if (setting_.careful) {
    Online before = *online_;
    try {
      online_->learn(block);
    } catch (...) {
      online_.emplace(std::move(before));
      throw;
    }
  } else {
    online_->learn(block);
  }
  rows_ += block.rows;
  weight_ += block.total_weight();
  moved_ = true;
}

void Learner::watch(Observer& observer) {
  observers_.push_back(&observer);
  if (online_) online_->observe(observer);
}

std::size_t Learner::rows_of_a_step(std::optional<std::uint64_t> length) const {
  const Method method = setting_.fit.method;
  if (setting_.climbs || !(streams(method) || method == Method::automatic)) return 0;
  OnlineOptions options = setting_.fit.online;
  if (!options.length) options.length = length;
  return Online(fitted_.model, fitted_.schema, options).batch_size();
}

std::size_t Learner::rows_of_a_portion() const {
  return online_ ? online_->batch_size() : make_online().batch_size();
}

std::uint64_t Learner::rows_until_ready() const {
  if (ready()) return 0;
  if (online_) return online_->rows_until_start();
  return setting_.fit.online.buffer.value_or(default_buffer(fitted_.plan));
}

void Learner::refresh() {
  if (!moved_ || !online_ || !online_->started()) return;
  const Recursion& run = online_->run();
  fitted_.parameters = run.reported();
  fitted_.statistic = run.reported_statistic();
  fitted_.regularisation = online_->regularisation();
  report_.method = std::string(name(Method::online));
  report_.why = "learned in portions";
  report_.converged = false;
  report_.iterations = run.steps();
  report_.lower_bound = run.progressive();
  report_.passes = 1;
  report_.events = run.events();
  report_.taken_at.clear();
  placed_ = true;
  moved_ = false;
}

Fitted Learner::complete() const {
  Fitted fitted = fitted_;
  const OnlineOptions& online = setting_.fit.online;
  const bool streamed = report_.method == name(Method::online);
  fitted.training = Training{.method = report_.method,
                             .observations = weight_,
                             .rows = rows_,
                             .passes = report_.passes,
                             .iterations = streamed ? 0 : report_.iterations,
                             .converged = report_.converged,
                             .seed = online.seed,
                             .events = report_.events,
                             .taken_at = report_.taken_at};
  if (streamed) {
    fitted.training->progressive_mean_log_likelihood = report_.lower_bound;
    fitted.training->step = online.step.text();
    fitted.training->average = online.average.text();
  } else if (report_.lower_bound) {
    fitted.training->log_likelihood = *report_.lower_bound * weight_;
  }
  return fitted;
}

Learner Learner::from_fitted(Fitted fitted, Setting setting) {
  Learner learner(*fitted.entry, fitted.options, fitted.schema, std::move(setting));
  if (const auto& training = fitted.training) {
    learner.rows_ = training->rows;
    learner.weight_ = training->observations;
    learner.report_ = {.method = training->method,
                       .why = "read from a file",
                       .converged = training->converged,
                       .iterations = training->iterations,
                       .lower_bound = training->progressive_mean_log_likelihood,
                       .passes = training->passes,
                       .events = training->events,
                       .taken_at = training->taken_at};
    if (training->log_likelihood && training->observations > 0)
      learner.report_.lower_bound = *training->log_likelihood / training->observations;
  } else {
    fitted.statistic.reset();  // nobody knows how many rows are behind it
  }
  learner.fitted_ = std::move(fitted);
  learner.placed_ = true;
  return learner;
}

Archive Learner::save() const {
  Archive archive;
  archive.put("texts", std::vector<std::string>{report_.method, report_.why, report_.taken_at});
  archive.put("numbers", std::vector<double>{weight_, report_.lower_bound.value_or(NAN)});
  archive.put("counts", std::vector<std::uint64_t>{
                            rows_, placed_ ? 1U : 0U, moved_ ? 1U : 0U, fitted_.statistic ? 1U : 0U,
                            online_ ? 1U : 0U, report_.converged ? 1U : 0U,
                            report_.stopped ? 1U : 0U, report_.iterations, report_.passes});
  archive.put("events", report_.events.counts());
  if (placed_) archive.put("parameters", fitted_.parameters);
  if (fitted_.statistic) archive.put("statistic", *fitted_.statistic);
  if (online_) archive.put("online/", online_->save());
  std::vector<std::string> names;
  for (const NamedArray& piece : pieces_) names.push_back(piece.name);
  archive.put("names of pieces", names);
  archive.put("terms/", saved_regularisation(fitted_.regularisation));
  Parameters known(fitted_.plan.parameters);
  fill_from(pieces_, known);
  archive.put("pieces", known);
  return archive;
}

void Learner::load(const Archive& archive) {
  const auto& counts = archive.counts("counts");
  const auto& numbers = archive.numbers("numbers");
  const std::vector<std::string> texts = archive.texts("texts");
  if (counts.size() != 9 || numbers.size() != 2 || texts.size() != 3)
    throw Error("saved estimator is damaged");
  rows_ = counts[0];
  weight_ = numbers[0];
  placed_ = counts[1] == 1;
  moved_ = counts[2] == 1;
  report_ = {.method = texts[0],
             .why = texts[1],
             .converged = counts[5] == 1,
             .stopped = counts[6] == 1,
             .iterations = counts[7],
             .lower_bound = std::isnan(numbers[1]) ? std::nullopt : std::optional(numbers[1]),
             .passes = counts[8],
             .events = Events::from_counts(archive.counts("events")),
             .taken_at = texts[2]};
  if (placed_) {
    archive.get("parameters", fitted_.parameters);
    if (!in_domain(fitted_.parameters)) throw Error("saved estimator has parameters out of range");
  }
  fitted_.statistic.reset();
  if (counts[3] == 1) {
    archive.get("statistic", fitted_.statistic.emplace(fitted_.plan.statistic));
    if (!fitted_.statistic->finite()) throw Error("saved estimator has a statistic out of range");
  }
  const std::vector<std::string> names = archive.texts("names of pieces");
  Parameters known(fitted_.plan.parameters);
  archive.get("pieces", known);
  pieces_ = arrays_of(known);
  std::erase_if(pieces_, [&names](const NamedArray& piece) {
    return std::find(names.begin(), names.end(), piece.name) == names.end();
  });
  if (const Archive regularisation = archive.nested("terms/"); !regularisation.empty())
    fitted_.regularisation = loaded_regularisation(regularisation, fitted_.plan);
  online_.reset();
  if (counts[4] == 1) {
    online_.emplace(make_online());
    online_->load(archive.nested("online/"));
  }
}

}  // namespace thalweg::python
