// What the estimators share that go over the same rows again and again: where they stand, whom they tell, and how that is saved.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/model.hpp>
#include <thalweg/core/step.hpp>
#include <thalweg/estimators/moving.hpp>
#include <thalweg/estimators/stop_rule.hpp>
#include <thalweg/export.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace thalweg {

class THALWEG_API Iterative : public Reporter {
 public:
  void observe(Observer& observer) { observers_.push_back(&observer); }

  const Parameters& parameters() const { return theta_; }
  Parameters reported() const override { return theta_; }
  /// An E-step over all rows: where a run is done, or was evaluated, at parameters().
  const Statistic& statistic() const { return statistic_; }
  double log_likelihood() const { return log_likelihood_; }  // there, too
  /// What EM raises: the log-likelihood, with a prior its log density added (up to a constant).
  double objective() const { return objective_; }
  bool converged() const { return converged_; }
  /// No iteration is allowed any more: of batch EM that may be so from the beginning.
  virtual bool exhausted() const { return false; }
  const Events& events() const { return events_; }
  const Plan& plan() const { return plan_; }
  /// What the last iteration moved, and what is left to gain.
  Moving moving() const;

 protected:
  Iterative(Plan plan, StopRule rule);

  /// How far theta moved from there, in the last iteration.
  double moved_from(const Parameters& before);
  /// Nat a row that are left to gain: where the stop rule has not been told enough to say, an estimate of one's own.
  virtual double left_to_gain() const { return rule_.remaining_gap(); }

  /// Completes a step of the whole data by what is known here.
  void tell(Step step) const;

  /// Numbers and counts are the estimator's own; whether it has converged follows them.
  Archive saved(std::vector<double> numbers, std::vector<std::uint64_t> counts) const;
  /// `who` is named where the archive does not fit.
  void restore(const Archive& archive, const std::string& who,
               std::initializer_list<double*> numbers,
               std::initializer_list<std::uint64_t*> counts);

  Plan plan_;
  Parameters theta_;
  Statistic statistic_;
  StopRule rule_;
  double log_likelihood_ = 0;
  double objective_ = 0;
  bool converged_ = false;
  Events events_;

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  std::vector<Observer*> observers_;
  std::size_t moved_entry_ = nowhere;  // of theta, in the last iteration
  double moved_by_ = 0;
  double moved_scaled_ = 0;
};

}  // namespace thalweg
