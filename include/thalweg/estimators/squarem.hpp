// SQUAREM (Varadhan & Roland 2008): two EM steps show where EM is going, a squared extrapolation goes there at once.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/domain.hpp>
#include <thalweg/core/model.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace thalweg {

/// With r = theta_1 - theta_0, v = theta_2 - 2 theta_1 + theta_0 and a = |r| / |v|, the leap ends at theta_0 + 2 a r + a² v. Near
/// the maximum an error that EM shrinks by rho has |v| = (1 - rho) |r|: the leap squares the step that would remove it. Sizes are
/// those of `change`, free of units. A leap is taken only into the domain, and undone where the objective is lower there.
class Squarem {
 public:
  explicit Squarem(const Plan& plan) : first_(plan.parameters), second_(plan.parameters) {}

  /// After the E-step at `before`, whose objective is given, and the M-step that led to `after`: every third time `after` is
  /// moved ahead. True where EM itself seems to be near its end, by less than `enough`; then it is left alone.
  template <Model M>
  bool extrapolate(const M& model, const Parameters& before, Parameters& after, double objective,
                   double enough, bool may_leap) {
    if (turn_ == 0) first_ = before;
    if (turn_ < 2) {
      gain_ = objective - objective_;
      objective_ = objective;
    }
    if (turn_ != 1) {  // the step after a leap only steadies it
      turn_ = turn_ == 0 ? 1 : 0;
      return false;
    }
    turn_ = 0;
    Parameters ahead = first_;  // theta_0 + v, to be measured
    for (std::size_t i = 0; i < ahead.size(); ++i)
      ahead.data()[i] += after.data()[i] - 2 * before.data()[i] + first_.data()[i];
    const double r = change(model, first_, before);
    const double v = change(model, first_, ahead);
    const double wanted = v > 0 && std::isfinite(r / v) ? std::max(r / v, 1.0) : 1.0;
    slowest_ = std::max(wanted, 0.8 * slowest_);
    if (caution_ * gap() < enough) return true;
    if (!may_leap) return false;
    length_ = std::min(wanted, longest_);
    for (std::size_t i = 0; i < ahead.size(); ++i) {
      const double r_i = before.data()[i] - first_.data()[i];
      const double v_i = after.data()[i] - before.data()[i] - r_i;
      ahead.data()[i] = first_.data()[i] + 2 * length_ * r_i + length_ * length_ * v_i;
    }
    if (!in_domain(ahead)) {
      shorten();
      return false;
    }
    second_ = after;
    after = std::move(ahead);
    turn_ = 2;
    return false;
  }

  bool leapt() const { return turn_ == 2; }

  /// Back to what EM had reached, if nobody has looked where the last leap ended.
  void undo(Parameters& theta) {
    if (leapt()) theta = second_;
    turn_ = 0;
  }

  /// The objective where the last leap ended. False: it was lower, and theta is again what EM had reached.
  bool keep(double objective, Parameters& theta) {
    if (objective >= objective_) {
      if (length_ == longest_) longest_ *= 4;
      return true;
    }
    undo(theta);
    shorten();
    return false;
  }

  /// From other parameters.
  void restart() { turn_ = 0; }

  /// The end that was announced was not one: the next announcement has to be ten times as sure.
  void too_early() {
    caution_ *= 10;
    turn_ = 0;
  }

  void save(Archive& archive, const std::string& name) const {
    archive.put(name + "/first", first_);
    archive.put(name + "/second", second_);
    archive.put(name + "/turn", turn_);
    archive.put(name + "/numbers",
                std::vector<double>{objective_, gain_, length_, longest_, slowest_, caution_});
  }
  void load(const Archive& archive, const std::string& name) {
    const auto& numbers = archive.numbers(name + "/numbers");
    if (numbers.size() != 6) throw Error("saved acceleration is damaged");
    archive.get(name + "/first", first_);
    archive.get(name + "/second", second_);
    turn_ = archive.count(name + "/turn");
    objective_ = numbers[0];
    gain_ = numbers[1];
    length_ = numbers[2];
    longest_ = numbers[3];
    slowest_ = numbers[4];
    caution_ = numbers[5];
  }

 private:
  /// An error that EM shrinks by rho = 1 - 1/a gives a gain of (1 - rho²) times what is left. a is the largest of late: a leap
  /// removes slow errors, and the next ones to be seen are fast.
  double gap() const {
    const double rho = 1 - 1 / slowest_;
    return gain_ / (1 - rho * rho);
  }
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
