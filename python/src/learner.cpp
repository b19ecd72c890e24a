// A model that learns: fits, goes on online, is kept and comes back.
#include "learner.hpp"

#include "catalogue/fitted_regularisation.hpp"
#include "catalogue/options.hpp"
#include "catalogue/training.hpp"
#include "core/domain.hpp"
#include <thalweg/catalogue/warnings.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/error.hpp>

#include <algorithm>
#include <utility>

namespace thalweg::python {
namespace {

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
  fitted_.training = no_training();
  online_.reset();
  shown_early_ = false;
  report_ = {};
  placed_ = true;
  moved_ = false;
}

void Learner::fit(Source& source, const ThreadPool& pool, std::function<bool()> stop,
                  const std::vector<Observer*>& observers) {
  online_.reset();
  shown_early_ = false;
  FitJob job{.model = fitted_, .options = setting_.fit, .starts = given_, .observers = observers};
  FitOptions& options = job.options;
  const bool batch = options.method == Method::batch;
  if (!pieces_.empty() && !batch && !streams(options.method))
    throw UsageError(
        "only batch EM and methods of one pass can start from a part of the parameters (give all "
        "of them)");
  if (batch && options.online.buffer == 0) options.online.buffer.reset();  // it is that of `learn`
  if (!batch && given_.size() > 1) job.starts.resize(1);
  options.online.impose = impose();
  options.pool = pool;
  options.online.stop = stop;
  options.stop = std::move(stop);
  job.with_baseline = true;
  job.with_diagnosis = streams(options.method);
  FitOutcome outcome = fit_model(job, source);
  if (outcome.result.parameters.size() == 0) return;
  const std::vector<Warning> warned = warnings(outcome);
  fitted_ = std::move(outcome.fitted);
  conclude(outcome.result);
  for (const Warning& warning : warned)
    report_.warnings.emplace_back(name(warning.kind), in_python(warning.text));
  rows_ = outcome.result.rows;
  weight_ = outcome.result.weight;
  given_.clear();
}

/// fitted_ is that of the result.
void Learner::conclude(const FitResult& result) {
  align_factors(fitted_);
  report_ = {.why = in_python(result.why),
             .stopped = result.stopped,
             .iterations = result.method == Method::online ? result.steps : result.iterations};
  placed_ = true;
  moved_ = false;
}

/// Of parameters that no fit has found.
Training Learner::no_training() const {
  return {.method = "", .observations = weight_, .rows = rows_, .seed = setting_.fit.online.seed};
}

/// For a start of which only pieces are known.
std::function<void(Parameters&)> Learner::impose() const {
  if (pieces_.empty()) return {};
  return [pieces = pieces_](Parameters& theta) { fill_from(pieces, theta); };
}

Online Learner::make_online() const {
  OnlineOptions options = setting_.fit.online;
  options.impose = impose();
  options.regularisation = regularisation_before();
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
  if (!(streams(method) || method == Method::automatic)) return 0;
  OnlineOptions options = setting_.fit.online;
  if (!options.length) options.length = length;
  return Online(fitted_.model, fitted_.schema, options).batch_size();
}

std::size_t Learner::rows_of_a_portion() const {
  return online_ ? online_->batch_size() : make_online().batch_size();
}

std::uint64_t Learner::rows_until_ready() const {
  if (ready()) return 0;
  return online_ ? online_->rows_until_model() : make_online().rows_until_model();
}

void Learner::refresh() {
  if (!moved_ || !online_ || !online_->has_model()) return;
  FitResult result;
  take(*online_, result);
  shown_early_ = online_->provisional();
  result.why = "learned in portions";
  if (shown_early_)
    result.why = "a coarse model of the first " + std::to_string(online_->run().rows()) +
                 " rows: starts are not found yet";
  result.rows = rows_;
  result.weight = weight_;
  result.passes = 1;
  result.progressive = online_->run().progressive();
  take(result, setting_.fit, fitted_);
  fitted_.training->provisional = shown_early_;
  conclude(result);
}

Learner Learner::from_fitted(Fitted fitted, Setting setting) {
  Learner learner(*fitted.entry, fitted.options, fitted.schema, std::move(setting));
  if (fitted.training) {
    learner.rows_ = fitted.training->rows;
    learner.weight_ = fitted.training->observations;
    learner.report_ = {.why = "read from a file", .iterations = fitted.training->iterations};
    weigh_once(fitted);
  } else {
    fitted.statistic.reset();  // nobody knows how many rows are behind it
    fitted.training = learner.no_training();
  }
  learner.fitted_ = std::move(fitted);
  learner.placed_ = true;
  return learner;
}

Archive Learner::save() const {
  Archive archive;
  archive.put("why", std::vector<std::string>{report_.why});
  archive.put("weight", weight_);
  if (shown_early_) archive.put("shown early", std::uint64_t{1});
  archive.put("counts", std::vector<std::uint64_t>{rows_, placed_ ? 1U : 0U, moved_ ? 1U : 0U,
                                                   fitted_.statistic ? 1U : 0U, online_ ? 1U : 0U,
                                                   fitted_.training ? 1U : 0U,
                                                   report_.stopped ? 1U : 0U, report_.iterations});
  if (fitted_.training) {
    Archive training;
    thalweg::save(*fitted_.training, training);
    archive.put("training/", training);
  }
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
  const std::vector<std::string> why = archive.texts("why");
  if (counts.size() != 8 || why.size() != 1) throw Error("saved estimator is damaged");
  rows_ = counts[0];
  weight_ = archive.number("weight");
  placed_ = counts[1] == 1;
  moved_ = counts[2] == 1;
  shown_early_ = archive.count_or("shown early", 0) == 1;
  report_ = {.why = why[0], .stopped = counts[6] == 1, .iterations = counts[7]};
  fitted_.training.reset();
  if (counts[5] == 1) fitted_.training = load_training(archive.nested("training/"));
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
