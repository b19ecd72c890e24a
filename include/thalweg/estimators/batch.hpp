// Batch EM (Dempster, Laird & Rubin 1977): an E-step over all rows, then one M-step, until the stop rule is content.
#pragma once

#include <thalweg/core/any_model.hpp>
#include <thalweg/core/archive.hpp>
#include <thalweg/core/terms.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/iterative.hpp>
#include <thalweg/estimators/squarem.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace thalweg {

enum class Acceleration { none, squarem };

struct BatchOptions {
  double tolerance = 1e-8;  // nat a row that may be left to gain
  std::uint64_t max_iterations = 10000;
  Acceleration accelerate = Acceleration::none;
  Terms terms = {};
};

template <Model M = AnyModel>
class Batch final : public Iterative {
 public:
  Batch(std::shared_ptr<const M> model, const Schema& schema, BatchOptions options = {})
      : Iterative(model->plan(schema), StopRule(options.tolerance)),
        model_(std::move(model)),
        options_(std::move(options)),
        squarem_(plan_) {}
  template <std::same_as<M> Concrete>  // in this form Clang 14 too deduces M by the guide below
    requires(!std::is_abstract_v<Concrete>)
  Batch(const Concrete& model, const Schema& schema, BatchOptions options = {})
      : Batch(std::make_shared<const Concrete>(model), schema, std::move(options)) {}

  void begin(const Parameters& theta) {
    theta_ = theta;
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
    tell({.number = iterations_,
          .rows = rows_,
          .batch_rows = e.rows(),
          .batch_weight = e.weight(),
          .rate = 1,
          .log_likelihood = log_likelihood_});
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

  std::uint64_t iterations() const { return iterations_; }
  double rate() const { return rule_.rate(); }

  Archive save() const {
    Archive archive = saved({log_likelihood_, objective_, change_}, {iterations_, rows_});
    if (options_.accelerate == Acceleration::squarem) {
      squarem_.save(archive, "squarem");
      archive.put("probing", std::uint64_t{probing_});
    }
    return archive;
  }

  void load(const Archive& archive) {
    restore(archive, "batch EM", {&log_likelihood_, &objective_, &change_}, {&iterations_, &rows_});
    if (options_.accelerate == Acceleration::squarem) {
      squarem_.load(archive, "squarem");
      probing_ = archive.count("probing") == 1;
    }
  }

 private:
  void take(const Expectation<M>& e) {
    log_likelihood_ = e.log_likelihood();
    statistic_ = mean(e.sums());
    objective_ = objective_of(e);
  }

  double objective_of(const Expectation<M>& e) const {
    return e.log_likelihood() + log_prior(*model_, options_.terms, theta_);
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
  Squarem squarem_;
  bool probing_ = false;  // accelerated, and for the stop rule's sake plain for a while
  double change_ = 0;
  std::uint64_t iterations_ = 0;
  std::uint64_t rows_ = 0;
};

template <Model Concrete>
Batch(const Concrete&, const Schema&, BatchOptions = {}) -> Batch<Concrete>;

extern template class THALWEG_API Batch<AnyModel>;

}  // namespace thalweg
