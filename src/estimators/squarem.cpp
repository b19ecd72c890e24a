// Extrapolation of EM by two steps and their difference (Varadhan & Roland 2008).
#include "core/change.hpp"
#include "core/domain.hpp"
#include <thalweg/estimators/squarem.hpp>

#include <algorithm>
#include <cmath>

namespace thalweg {

bool Squarem::extrapolate(const Parameters& before, Parameters& after, double objective,
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
  const double r = change(first_, before);
  const double v = change(first_, ahead);
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

void Squarem::undo(Parameters& theta) {
  if (leapt()) theta = second_;
  turn_ = 0;
}

bool Squarem::keep(double objective, Parameters& theta) {
  if (objective >= objective_) {
    if (length_ == longest_) longest_ *= 4;
    return true;
  }
  undo(theta);
  shorten();
  return false;
}

void Squarem::too_early() {
  caution_ *= 10;
  turn_ = 0;
}

void Squarem::save(Archive& archive, const std::string& name) const {
  archive.put(name + "/first", first_);
  archive.put(name + "/second", second_);
  archive.put(name + "/turn", turn_);
  archive.put(name + "/numbers",
              std::vector<double>{objective_, gain_, length_, longest_, slowest_, caution_});
}

void Squarem::load(const Archive& archive, const std::string& name) {
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

double Squarem::gap() const {
  const double rho = 1 - 1 / slowest_;
  return gain_ / (1 - rho * rho);
}

}  // namespace thalweg
