// The online EM recursion (Cappé & Moulines 2009): S += gamma_k (E[s | Y] - S), theta = theta-bar(S), one mini-batch a step; and
// beside it the gradient recursion of Titterington (1984).
#pragma once

#include <thalweg/core/any_model.hpp>
#include <thalweg/core/archive.hpp>
#include <thalweg/core/cutter.hpp>
#include <thalweg/core/schedule.hpp>
#include <thalweg/core/step.hpp>
#include <thalweg/core/terms.hpp>
#include <thalweg/estimators/ascent.hpp>
#include <thalweg/estimators/averaging.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace thalweg {

/// How a mini-batch moves theta: through the statistic, or along the gradient (see ascend).
enum class Update { em, gradient };

struct RecursionOptions {
  Update update = Update::em;
  Schedule step = Schedule::power();
  std::size_t batch_size = 1;  // m: rows for each M-step
  std::uint64_t warmup = 0;    // rows before the first M-step
  bool cautious = false;       // plain averaging, without M-steps, until 2 m k^alpha >= 5 p
  Averaging average = {};      // resolved
  Terms terms = {};
};

/// One run from one start. Options are not part of the saved state: load() into a run that was made with the same ones.
template <Model M = AnyModel>
class Recursion final : public Reporter {
 public:
  Recursion(std::shared_ptr<const M> model, const Schema& schema, RecursionOptions options)
      : model_(std::move(model)),
        options_(std::move(options)),
        plan_(model_->plan(schema)),
        cutter_(options_.batch_size),
        theta_(plan_.parameters),
        statistic_(plan_.statistic),
        context_(options_.terms.context(0)) {
    cutter_.waiting() = Table(schema.width());
    if (options_.update == Update::gradient && !has_tangent(*model_))
      throw UsageError("this model has no gradient recursion (use the online method)");
  }
  template <std::same_as<M> Concrete>  // in this form Clang 14 too deduces M by the guide below
    requires(!std::is_abstract_v<Concrete>)
  Recursion(const Concrete& model, const Schema& schema, RecursionOptions options)
      : Recursion(std::make_shared<const Concrete>(model), schema, std::move(options)) {}

  /// Textbook: the first rate is 1 under the usual schedules, so there is no S_0.
  void begin(Parameters theta) { theta_ = std::move(theta); }

  /// Continues from the statistic of `rows` rows that were used to find theta; they are not learned twice.
  void begin(Parameters theta, Statistic statistic, std::uint64_t rows) {
    theta_ = std::move(theta);
    statistic_ = std::move(statistic);
    rows_ = rows;
    k_ = rows / options_.batch_size;
  }

  void learn(const Block& block) {
    point_context();
    for_rows_that_count(block, [this](const Block& part) {
      cutter_.feed(part, [this](const Block& batch) { step(batch); });
    });
  }

  /// theta = theta-bar(S) without a step: for an input that ends with the start buffer.
  void maximise_now() {
    maximise(*model_, statistic_, options_.terms.context(counted(statistic_.weight), &events_),
             theta_);
  }

  /// Repeated passes: a prior is weighed against the rows of one pass, or it would vanish.
  void repeat(double weight_of_a_pass) { pass_ = weight_of_a_pass; }

  /// Learns the rows that still wait for a full mini-batch.
  void finish() {
    point_context();
    cutter_.flush([this](const Block& batch) { step(batch); });
  }

  void observe(Observer& observer) { observers_.push_back(&observer); }
  void forget_observers() { observers_.clear(); }

  /// The averaged parameters where averaging has begun, else the current ones.
  Parameters reported() const override {
    if (averaged_ == 0) return theta_;
    if (options_.average.of == Averaging::Of::parameters) return average_theta_;
    Parameters theta = theta_;
    Context context = options_.terms.context(counted(statistic_.weight));
    if (options_.update == Update::gradient) context.prior = nullptr;  // moments have it in them
    maximise(*model_, average_, context, theta);
    return theta;
  }
  const Statistic& reported_statistic() const {
    const bool averaged = averaged_ > 0 && options_.average.of == Averaging::Of::statistic;
    return averaged ? average_ : statistic_;
  }

  const Parameters& parameters() const { return theta_; }
  const Statistic& statistic() const { return statistic_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t steps() const { return k_; }
  double weight() const { return statistic_.weight; }
  double scored_log_likelihood() const {
    return scored_;
  }  // each batch scored before it was learned
  double scored_weight() const { return scored_weight_; }
  std::optional<double> progressive() const {  // their mean
    if (!(scored_weight_ > 0)) return std::nullopt;
    return scored_ / scored_weight_;
  }
  const Events& events() const { return events_; }
  const Plan& plan() const { return plan_; }

  Archive save() const {
    Archive archive;
    archive.put("theta", theta_);
    archive.put("statistic", statistic_);
    if (averaged_ > 0 && options_.average.of == Averaging::Of::parameters)
      archive.put("average", average_theta_);
    else if (averaged_ > 0)
      archive.put("average", average_);
    archive.put("waiting", cutter_.waiting());
    archive.put("carry", carry_.state);
    archive.put("scored", std::vector<double>{scored_, scored_weight_, pass_});
    archive.put("counts", std::vector<std::uint64_t>{rows_, k_, averaged_});
    archive.put("events", events_.counts());
    return archive;
  }

  void load(const Archive& archive) {
    const auto& counts = archive.counts("counts");
    const auto& scored = archive.numbers("scored");
    if (counts.size() != 3 || scored.size() != 3) throw Error("saved online run is damaged");
    rows_ = counts[0];
    k_ = counts[1];
    averaged_ = counts[2];
    scored_ = scored[0];
    scored_weight_ = scored[1];
    pass_ = scored[2];
    archive.get("theta", theta_);
    archive.get("statistic", statistic_);
    archive.get("waiting", cutter_.waiting());
    check(*model_, Schema::numbered(cutter_.waiting().columns()), cutter_.waiting().block());
    if (cutter_.waiting().rows() >= options_.batch_size)
      throw Error("saved online run is damaged, or had larger mini-batches");
    carry_.state = archive.numbers("carry");
    events_ = Events::from_counts(archive.counts("events"));
    average_ = Statistic(plan_.statistic);
    average_theta_ = Parameters(plan_.parameters);
    if (averaged_ > 0 && options_.average.of == Averaging::Of::parameters)
      archive.get("average", average_theta_);
    else if (averaged_ > 0)
      archive.get("average", average_);
  }

 private:
  void step(const Block& batch) {
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
    const double log_likelihood =
        options_.update == Update::gradient
            ? ascend(*model_, theta_, batch, rate, statistic_, context_, carry_)
            : absorb(*model_, theta_, batch, rate, statistic_, context_, carry_);
    if (statistic_.weight > before) {  // a batch that was left out has no score either
      scored_ += log_likelihood;
      scored_weight_ += weight;
    }
    if (options_.average.kind != Averaging::Kind::off) take_average();
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

  void take_average() {
    const Averaging& average = options_.average;
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

  /// How many rows a prior is weighed against: those behind S. Under repeated passes not more than one pass; under a constant
  /// step G what weights G (1-G)^j on mini-batches are worth, (2-G)/G of them.
  double counted(double weight) const {
    double rows = std::min(weight, pass_);
    if (options_.step.kind() == Schedule::Kind::constant && rows_ > 0) {
      const double usual = real(options_.batch_size) * (weight / real(rows_));
      rows = std::min(rows, usual * (2 / options_.step.constant_rate() - 1));
    }
    return rows;
  }

  /// A run may have moved since it last learned.
  void point_context() {
    context_.events = &events_;
    context_.crew = &options_.terms.crew;
  }

  /// m k^alpha: how many rows stand behind S when rates fall like k^-alpha.
  double gathered() const {
    const bool power = options_.step.kind() == Schedule::Kind::power;
    return real(options_.batch_size) * std::pow(real(k_), power ? options_.step.exponent() : 1.0);
  }
  double free_parameters() const { return real(plan_.free_parameters); }

  std::shared_ptr<const M> model_;
  RecursionOptions options_;
  Plan plan_;
  Cutter cutter_;
  Parameters theta_;
  Statistic statistic_;
  Statistic average_;         // of the statistics, or
  Parameters average_theta_;  // of the parameters
  Carry carry_;
  Context context_;  // what never changes is filled in once: textbook mode asks for it every row
  std::uint64_t rows_ = 0;
  std::uint64_t k_ = 0;         // M-steps, those before a continued statistic included
  double pass_ = HUGE_VAL;      // weight of one pass, once it is known
  std::uint64_t averaged_ = 0;  // iterates in the average
  double scored_ = 0;
  double scored_weight_ = 0;
  Events events_;
  std::vector<Observer*> observers_;
};

template <Model Concrete>
Recursion(const Concrete&, const Schema&, RecursionOptions) -> Recursion<Concrete>;

extern template class THALWEG_API Recursion<AnyModel>;

}  // namespace thalweg
