// The online EM recursion (Cappé & Moulines 2009): S += gamma_k (E[s | Y] - S), theta = theta-bar(S), one mini-batch a step; and
// beside it the gradient recursion of Titterington (1984).
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/border.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/cutter.hpp>
#include <thalweg/core/regularisation.hpp>
#include <thalweg/core/schedule.hpp>
#include <thalweg/core/step.hpp>
#include <thalweg/estimators/averaging.hpp>
#include <thalweg/estimators/path_mean.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace thalweg {

/// How a mini-batch moves theta: through the statistic, or along the gradient (see gradient_step).
enum class Update { em, gradient };

struct RecursionOptions {
  Update update = Update::em;
  Schedule step = Schedule::power();
  std::size_t batch_size = 1;  // m: rows for each M-step
  std::uint64_t warmup = 0;    // rows before the first M-step
  bool cautious = false;       // plain averaging, without M-steps, until 2 m k^alpha >= 5 p
  Averaging average = {};      // resolved
  Regularisation regularisation = {};
  ThreadPool pool = {};
  std::uint64_t seed = 0;  // of what an E-step draws
};

/// One run from one start. Options are not part of the saved state: load() into a run that was made with the same ones.
class THALWEG_API Recursion final : public Reporter {
 public:
  Recursion(const ModelHandle& model, const Schema& schema, RecursionOptions options);

  /// Textbook: the first rate is 1 under the usual schedules, so there is no S_0.
  void begin(Parameters theta);

  /// Continues from the statistic of `rows` rows that were used to find theta; they are not learned twice.
  void begin(Parameters theta, Statistic statistic, std::uint64_t rows);

  /// … which have nothing more to ask at that statistic: the scoring step at the end counts them in.
  void trust_start();

  /// Rows in any portion. A row outside the model's domain is a RowError and nothing of the block is learned.
  void learn(const Block& rows);
  /// Rows that somebody has admitted already.
  void learn_admitted(const Block& block);

  /// theta = theta-bar(S) without a step: for an input that ends with the start buffer.
  void maximise_now();

  /// Repeated passes: a prior is weighed against the rows of one pass, or it would vanish.
  void repeat(double weight_of_a_pass);
  bool repeats() const { return pass_ < HUGE_VAL; }

  /// Learns the rows that still wait for a full mini-batch.
  void finish();

  void observe(Observer& observer) { observers_.push_back(&observer); }
  void forget_observers() { observers_.clear(); }

  /// The averaged parameters where averaging has begun, else the current ones.
  Parameters reported() const override;
  const Statistic& reported_statistic() const;

  /// For the scoring step; null where averaging is not automatic.
  const PathMean* path() const { return path_ ? &*path_ : nullptr; }
  /// How many rows a prior is weighed against by now.
  double counted() const { return counted(statistic_.weight); }

  const Parameters& parameters() const { return theta_; }
  const Statistic& statistic() const { return statistic_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t steps() const { return k_; }
  double weight() const { return statistic_.weight; }
  double scored_log_likelihood() const { return scored_; }  // each batch before it was learned
  double scored_weight() const { return scored_weight_; }
  std::optional<double> progressive() const {  // their mean
    if (!(scored_weight_ > 0)) return std::nullopt;
    return scored_ / scored_weight_;
  }
  const Events& events() const { return events_; }
  const Plan& plan() const { return plan_; }
  /// Rows whose mini-batch is not full yet, the unit that may go on among them.
  Block waiting() const { return cutter_.waiting().block(); }

  Archive save() const;

  void load(const Archive& archive);

 private:
  void step(const Block& batch);
  void learn_units(const Block& batch);

  /// A prior is taken in the constants of theta.
  void settle_prior();

  void take_average(double rate_of_step, double weight, bool learned);

  /// How many rows a prior is weighed against: those behind S. Under repeated passes not more than one pass; under a constant
  /// step G what weights G (1-G)^j on mini-batches are worth, (2-G)/G of them.
  double counted(double weight) const;

  /// The prior's share of what theta-bar is taken of.
  double pull() const;

  /// A run may have moved since it last learned.
  void point_context();

  /// m k^alpha: how many rows stand behind S when rates fall like k^-alpha.
  double gathered() const;
  double free_parameters() const { return real(plan_.free_parameters); }

  std::shared_ptr<const Model> model_;
  const Absorb* absorb_;    // the model's own step; null: by expectation
  const Tangent* tangent_;  // for the gradient recursion
  Schema schema_;
  std::uint64_t offered_ = 0;  // rows that came to `learn`
  RecursionOptions options_;
  Plan plan_;
  Cutter cutter_;
  Admission border_;
  Parameters theta_;
  Statistic statistic_;
  Statistic average_;         // of the statistics, or
  Parameters average_theta_;  // of the parameters
  std::optional<PathMean> path_;
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

}  // namespace thalweg
