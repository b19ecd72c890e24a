// SQUAREM (Varadhan & Roland 2008): two EM steps show where EM is going, a squared extrapolation goes there at once.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/model.hpp>

#include <cstdint>
#include <string>

namespace thalweg {

/// With r = theta_1 - theta_0, v = theta_2 - 2 theta_1 + theta_0 and a = |r| / |v|, the leap ends at theta_0 + 2 a r + a² v. Near
/// the maximum an error that EM shrinks by rho has |v| = (1 - rho) |r|: the leap squares the step that would remove it. Sizes are
/// those of `change`, free of units. A leap is taken only into the domain, and undone where the objective is lower there.
class THALWEG_API Squarem {
 public:
  explicit Squarem(const Plan& plan) : first_(plan.parameters), second_(plan.parameters) {}

  /// After the E-step at `before`, whose objective is given, and the M-step that led to `after`: every third time `after` is
  /// moved ahead. True where EM itself seems to be near its end, by less than `enough`; then it is left alone.
  bool extrapolate(const Parameters& before, Parameters& after, double objective, double enough,
                   bool may_leap);

  bool leapt() const { return turn_ == 2; }

  /// Back to what EM had reached, if nobody has looked where the last leap ended.
  void undo(Parameters& theta);

  /// The objective where the last leap ended. False: it was lower, and theta is again what EM had reached.
  bool keep(double objective, Parameters& theta);

  /// What is left to gain. An error that EM shrinks by rho = 1 - 1/a gives a gain of (1 - rho²) times that. a is the largest of late:
  /// a leap removes slow errors, and the next ones to be seen are fast.
  double gap() const;

  /// From other parameters.
  void restart() { turn_ = 0; }

  /// The end that was announced was not one: the next announcement has to be ten times as sure.
  void too_early();

  void save(Archive& archive, const std::string& name) const;
  void load(const Archive& archive, const std::string& name);

 private:
  void shorten() { longest_ = std::max(1.0, length_ / 2); }

  Parameters first_;        // theta_0
  Parameters second_;       // theta_2, should the leap be undone
  std::uint64_t turn_ = 0;  // of M-steps: from theta_0, from theta_1, from the end of a leap
  double objective_ = 0;    // at the last parameters that EM reached
  double gain_ = 0;         // of the last EM step
  double length_ = 1;       // a of the last leap
  double longest_ = 16;     // allowed; four times that after a success, less after a failure
  double slowest_ = 1;      // largest a that was wanted of late
  double caution_ = 1;
};

}  // namespace thalweg
