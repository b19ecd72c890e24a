// Batch EM (Dempster, Laird & Rubin 1977): an E-step over all rows, then one M-step, until the stop rule is content.
#pragma once

#include <thalweg/core/any_model.hpp>
#include <thalweg/core/archive.hpp>
#include <thalweg/core/step.hpp>
#include <thalweg/core/terms.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/squarem.hpp>
#include <thalweg/estimators/stop_rule.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace thalweg {

enum class Acceleration { none, squarem };

struct BatchOptions {
  double tolerance = 1e-8;  // nat a row that may be left to gain
  std::uint64_t max_iterations = 10000;
  Acceleration accelerate = Acceleration::none;
  Terms terms = {};
};

template <Model M = AnyModel>
class Batch final : public Reporter {
 public:
  Batch(std::shared_ptr<const M> model, const Schema& schema, BatchOptions options = {})
      : model_(std::move(model)),
        options_(std::move(options)),
        plan_(model_->plan(schema)),
        theta_(plan_.parameters),
        statistic_(plan_.statistic),
        rule_(options_.tolerance),
        squarem_(plan_) {}
  template <std::same_as<M> Concrete>  // in this form Clang 14 too deduces M by the guide below
    requires(!std::is_abstract_v<Concrete>)
  Batch(const Concrete& model, const Schema& schema, BatchOptions options = {})
      : Batch(std::make_shared<const Concrete>(model), schema, std::move(options)) {}

  void begin(Parameters theta) {
    theta_ = std::move(theta);
    squarem_.restart();
  }

  /// One E-step and, unless that was enough, one M-step. True when it is done: then log_likelihood() belongs to
  /// parameters() exactly. `Rows` is a Block or a Source that was rewound. Accelerated, the E-step after a leap may show that it
  /// led down; then nothing but the leap is undone.
  template <class Rows>
  bool iterate(Rows& rows) {
    const Expectation<M> e = expect_all(*model_, theta_, plan_, rows, options_.terms.crew);
    const bool kept = !squarem_.leapt() || squarem_.keep(objective_of(e), theta_);
    bool done = false;
    if (kept) {
      take(e);
      if (plain()) converged_ = rule_.tell(objective_ / e.weight(), change_);
      done = converged_ || iterations_ >= options_.max_iterations;
    }
    if (!done) ++iterations_;
    if (kept && !done) {
      const Parameters before = theta_;
      maximise(*model_, statistic_, options_.terms.context(e.weight(), &events_), theta_);
      change_ = change(*model_, before, theta_);
      if (options_.accelerate == Acceleration::squarem) accelerate(before, e.weight());
    }
    rows_ += e.rows();
    for (Observer* observer : observers_)
      observer->on({.phase = Phase::batch,
                    .number = iterations_,
                    .rows = rows_,
                    .batch_rows = e.rows(),
                    .batch_weight = e.weight(),
                    .rate = 1,
                    .log_likelihood = log_likelihood_,
                    .events = events_,
                    .current = &theta_,
                    .reporter = this});
    return done;
  }

  /// An E-step alone: for a run that is ended early, so that log_likelihood() belongs to parameters().
  template <class Rows>
  void evaluate(Rows& rows) {
    squarem_.undo(theta_);
    const Expectation<M> e = expect_all(*model_, theta_, plan_, rows, options_.terms.crew);
    take(e);
  }

  /// Iterates on a block until done.
  void run(const Block& rows) {
    while (!iterate(rows)) {
    }
  }

  void observe(Observer& observer) { observers_.push_back(&observer); }

  const Parameters& parameters() const { return theta_; }
  Parameters reported() const override { return theta_; }
  const Statistic& statistic() const {
    return statistic_;
  }  // the E-step at parameters(), once done
  double log_likelihood() const { return log_likelihood_; }

  /// What EM raises: the log-likelihood, with a prior its log density added (up to a constant). Both belong to the parameters of
  /// the last E-step, which an M-step may have left since.
  double objective() const { return objective_; }
  std::uint64_t iterations() const { return iterations_; }
  bool converged() const { return converged_; }
  double rate() const { return rule_.rate(); }
  const Events& events() const { return events_; }
  const Plan& plan() const { return plan_; }

  Archive save() const {
    Archive archive;
    archive.put("theta", theta_);
    archive.put("statistic", statistic_);
    archive.put("numbers", std::vector<double>{log_likelihood_, objective_, change_});
    archive.put("counts", std::vector<std::uint64_t>{iterations_, rows_, converged_ ? 1U : 0U});
    if (options_.accelerate == Acceleration::squarem) {
      squarem_.save(archive, "squarem");
      archive.put("probing", std::uint64_t{probing_});
    }
    archive.put("events", events_.counts());
    rule_.save(archive, "rule");
    return archive;
  }

  void load(const Archive& archive) {
    const auto& numbers = archive.numbers("numbers");
    const auto& counts = archive.counts("counts");
    if (numbers.size() != 3 || counts.size() != 3) throw Error("saved batch EM is damaged");
    archive.get("theta", theta_);
    archive.get("statistic", statistic_);
    log_likelihood_ = numbers[0];
    objective_ = numbers[1];
    change_ = numbers[2];
    iterations_ = counts[0];
    rows_ = counts[1];
    converged_ = counts[2] == 1;
    if (options_.accelerate == Acceleration::squarem) {
      squarem_.load(archive, "squarem");
      probing_ = archive.count("probing") == 1;
    }
    events_ = Events::from_counts(archive.counts("events"));
    rule_.load(archive, "rule");
  }

 private:
  void take(const Expectation<M>& e) {
    log_likelihood_ = e.log_likelihood();
    statistic_ = mean(e.sums());
    objective_ = objective_of(e);
  }

  double objective_of(const Expectation<M>& e) const {
    const Statistic* S_0 = options_.terms.prior.get();
    return e.log_likelihood() + (S_0 ? S_0->weight * score(*model_, theta_, *S_0) : 0.0);
  }

  bool plain() const { return options_.accelerate == Acceleration::none || probing_; }

  /// Aitken's estimate is made for EM itself, so the stop rule is told of nothing else: near the end leaps cease, and begin again
  /// if it finds that this was too early.
  void accelerate(const Parameters& before, double weight) {
    if (probing_ && rule_.hopeful()) return;
    if (probing_) squarem_.too_early();
    probing_ =
        squarem_.extrapolate(*model_, before, theta_, objective_, options_.tolerance * weight,
                             iterations_ < options_.max_iterations);
    if (probing_) rule_ = StopRule(options_.tolerance);
  }

  std::shared_ptr<const M> model_;
  BatchOptions options_;
  Plan plan_;
  Parameters theta_;
  Statistic statistic_;
  StopRule rule_;
  Squarem squarem_;
  bool probing_ = false;  // accelerated, and for the stop rule's sake plain for a while
  double log_likelihood_ = 0;
  double objective_ = 0;
  double change_ = 0;
  std::uint64_t iterations_ = 0;
  std::uint64_t rows_ = 0;
  bool converged_ = false;
  Events events_;
  std::vector<Observer*> observers_;
};

template <Model Concrete>
Batch(const Concrete&, const Schema&, BatchOptions = {}) -> Batch<Concrete>;

extern template class THALWEG_API Batch<AnyModel>;

}  // namespace thalweg
