// The bare recursion of online EM (Cappé & Moulines 2009), mini-batch by mini-batch.
#include "estimators/gradient_step.hpp"
#include <thalweg/core/absorb.hpp>
#include <thalweg/estimators/recursion.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {

Recursion::Recursion(const ModelHandle& model, const Schema& schema, RecursionOptions options)
    : model_(model.shared()),
      absorb_(capability<Absorb>(*model_)),
      tangent_(capability<Tangent>(*model_)),
      schema_(schema),
      options_(std::move(options)),
      plan_(model_->plan(schema)),
      cutter_(options_.batch_size, plan_.unit),
      border_(plan_.unit),
      theta_(plan_.parameters),
      statistic_(plan_.statistic),
      context_(options_.regularisation.context(0)) {
  carry_.unit = plan_.unit;
  cutter_.waiting() = Table(schema.width());
  if (options_.update == Update::gradient && !tangent_)
    throw UsageError("this model has no gradient recursion", {"use " + option("method", "online")});
  if (options_.update == Update::gradient && options_.regularisation.ridge > 0)
    throw UsageError("steps along the gradient know no " + option("ridge"));
  require_settled(options_.regularisation);
  if (options_.average.kind == Averaging::Kind::automatic) path_.emplace(plan_.statistic);
}

void Recursion::begin(Parameters theta) {
  theta_ = std::move(theta);
  settle_prior();
}

void Recursion::settle_prior() {
  options_.regularisation = settled_at(*model_, std::move(options_.regularisation), theta_);
  context_.prior = options_.regularisation.prior.get();
}

void Recursion::begin(Parameters theta, Statistic statistic, std::uint64_t rows) {
  begin(std::move(theta));
  statistic_ = std::move(statistic);
  rows_ = rows;
  k_ = rows / options_.batch_size;
}

void Recursion::trust_start() {
  if (path_) path_->trust(statistic_, context_.prior, pull());
}

void Recursion::repeat(double weight_of_a_pass) {
  pass_ = weight_of_a_pass;
  if (path_) path_->begin_pass();
}

/// Inlined: textbook mode comes here with every row.
[[gnu::always_inline]] inline void Recursion::step(const Block& batch) {
  const double weight = batch.total_weight();
  rows_ += batch.rows;
  ++k_;
  const double before = statistic_.weight;
  const double total = before + weight;
  const bool gathering = options_.cautious && 2 * gathered() < 5 * free_parameters();
  // The weight of a usual batch: m rows of the average weight so far.
  const double usual = real(options_.batch_size) * (total / real(rows_));
  const double rate = gathering ? weight / total : options_.step.rate(k_, weight, usual, total);
  context_.rows = context_.prior ? counted(total) : total;
  context_.freeze = gathering || rows_ <= options_.warmup;
  context_.visit = k_;
  const double log_likelihood =
      options_.update == Update::gradient
          ? gradient_step(*model_, *tangent_, theta_, batch, rate, statistic_, context_, carry_)
      : absorb_ ? absorb_->absorb(theta_, batch, rate, statistic_, context_, carry_)
                : absorb_by_expectation(*model_, theta_, batch, rate, statistic_, context_, carry_);
  if (statistic_.weight > before) {  // a batch that was left out has no score either
    scored_ += log_likelihood;
    scored_weight_ += weight;
  }
  if (options_.average.kind != Averaging::Kind::off)
    take_average(rate, weight, statistic_.weight > before);
  for (Observer* observer : observers_)
    observer->on({.phase = Phase::online,
                  .number = k_,
                  .rows = rows_,
                  .batch_rows = batch.rows,
                  .batch_weight = weight,
                  .rate = rate,
                  .log_likelihood = log_likelihood,
                  .events = events_,
                  .current = &theta_,
                  .reporter = this});
}

void Recursion::learn(const Block& rows) {
  const Block block = border_.admit(*model_, schema_, rows, offered_);
  learn_admitted(block);
}

/// A batch of units none of which counts is no step.
void Recursion::learn_units(const Block& batch) {
  if (batch.total_weight() > 0) return step(batch);
  rows_ += batch.rows;
}

void Recursion::learn_admitted(const Block& block) {
  if (block.rows > 0) offered_ = block.number(block.rows - 1) + 1;
  point_context();
  if (plan_.unit != Unit::row) [[unlikely]]
    return cutter_.feed(block, [this](const Block& batch) { learn_units(batch); });
  for_rows_that_count(block, Unit::row, [this](const Block& part) {
    cutter_.feed(part, [this](const Block& batch) { step(batch); });
  });
}

void Recursion::maximise_now() {
  maximise(*model_, statistic_,
           options_.regularisation.context(counted(statistic_.weight), &events_), theta_);
}

void Recursion::finish() {
  point_context();
  cutter_.flush([this](const Block& batch) { learn_units(batch); });
}

Parameters Recursion::reported() const {
  if (averaged_ == 0) return theta_;
  if (options_.average.of == Averaging::Of::parameters) return average_theta_;
  Parameters theta = theta_;
  Context context = options_.regularisation.context(counted(statistic_.weight));
  if (options_.update == Update::gradient) context.prior = nullptr;  // moments have it in them
  maximise(*model_, average_, context, theta);
  return theta;
}

const Statistic& Recursion::reported_statistic() const {
  const bool averaged = averaged_ > 0 && options_.average.of == Averaging::Of::statistic;
  return averaged ? average_ : statistic_;
}

Archive Recursion::save() const {
  Archive archive;
  archive.put("theta", theta_);
  archive.put("statistic", statistic_);
  if (averaged_ > 0 && options_.average.of == Averaging::Of::parameters)
    archive.put("average", average_theta_);
  else if (averaged_ > 0)
    archive.put("average", average_);
  if (path_) path_->save(archive);
  archive.put("waiting", cutter_.waiting());
  archive.put("offered", offered_);
  archive.put("carry", carry_.state);
  archive.put("scored", std::vector<double>{scored_, scored_weight_, pass_});
  archive.put("counts", std::vector<std::uint64_t>{rows_, k_, averaged_});
  archive.put("events", events_.counts());
  return archive;
}

void Recursion::load(const Archive& archive) {
  const auto& counts = archive.counts("counts");
  const auto& scored = archive.numbers("scored");
  if (counts.size() != 3 || scored.size() != 3) throw Error("saved online run is damaged");
  rows_ = counts[0];
  k_ = counts[1];
  averaged_ = counts[2];
  scored_ = scored[0];
  scored_weight_ = scored[1];
  pass_ = scored[2];
  offered_ = archive.count_or("offered", 0);
  archive.get("theta", theta_);
  settle_prior();
  archive.get("statistic", statistic_);
  archive.get("waiting", cutter_.waiting());
  border_ = Admission(plan_.unit);
  border_.admit(*model_, schema_, waiting());
  if (plan_.unit == Unit::row && cutter_.waiting().rows() >= options_.batch_size)
    throw Error("saved online run is damaged, or had larger mini-batches");
  carry_.state = archive.numbers("carry");
  events_ = Events::from_counts(archive.counts("events"));
  average_ = Statistic(plan_.statistic);
  average_theta_ = Parameters(plan_.parameters);
  if (averaged_ > 0 && options_.average.of == Averaging::Of::parameters)
    archive.get("average", average_theta_);
  else if (averaged_ > 0)
    archive.get("average", average_);
  if (path_ && !PathMean::saved_in(archive)) path_.reset();  // an earlier version took none
  if (path_) path_->load(archive);
}

void Recursion::take_average(double rate_of_step, double weight, bool learned) {
  const Averaging& average = options_.average;
  if (path_ && learned)
    path_->follow(statistic_, rate_of_step, weight, !context_.freeze, context_.prior, pull());
  if (!average.starts_after(rows_)) return;
  const double rate = average.rate(++averaged_);
  if (average.of == Averaging::Of::parameters) {
    if (averaged_ == 1) average_theta_ = theta_;
    blend(average_theta_, theta_, rate);
  } else {
    if (averaged_ == 1) average_ = statistic_;
    blend(average_, statistic_, rate);
    average_.weight = statistic_.weight;
  }
}

double Recursion::pull() const {
  if (!context_.prior) return 0;
  return context_.prior->weight / (counted() + context_.prior->weight);
}

double Recursion::counted(double weight) const {
  double rows = std::min(weight, pass_);
  if (options_.step.kind() == Schedule::Kind::constant && rows_ > 0) {
    const double usual = real(options_.batch_size) * (weight / real(rows_));
    rows = std::min(rows, usual * (2 / options_.step.constant_rate() - 1));
  }
  return rows;
}

void Recursion::point_context() {
  context_.events = &events_;
  context_.pool = &options_.pool;
  context_.seed = options_.seed;
}

double Recursion::gathered() const {
  const bool power = options_.step.kind() == Schedule::Kind::power;
  return real(options_.batch_size) * std::pow(real(k_), power ? options_.step.exponent() : 1.0);
}

}  // namespace thalweg
