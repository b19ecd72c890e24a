// When an iteration has come to rest.
#include <thalweg/core/error.hpp>
#include <thalweg/estimators/stop_rule.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace thalweg {

bool StopRule::tell(double mean_log_likelihood, double change) {
  values_ = {values_[1], values_[2], mean_log_likelihood};
  const bool moving_apart = told_ >= 2 && change > change_ && change > noise;
  change_ = change;
  if (++told_ < 3) return false;

  const double before = values_[1] - values_[0];
  const double now = values_[2] - values_[1];
  // Below this an increment is rounding, or of no account: its quotients are noise that would never let the rule be content.
  if (never_falls_ && now < 0 && -now < tolerance_ / 10) fall_ = std::max(fall_, -now);
  const double rounding =
      std::max({32 * std::numeric_limits<double>::epsilon() * std::abs(values_[2]),
                1e-5 * tolerance_, 4 * fall_});
  if (std::abs(now) <= rounding) {
    rate_ = 0;
    gap_ = 0;
  } else {
    rate_ = std::abs(before) > rounding ? now / before : 1;
    gap_ = std::abs(rate_) < 1 ? std::abs(now * rate_ / (1 - rate_))
                               : std::numeric_limits<double>::infinity();
  }
  // A rate close to 1 that is measured through rounding noise says little; the increment itself must be small too.
  const bool would_do = gap_ < tolerance_ && std::abs(now) < tolerance_ &&
                        change < change_tolerance() && !moving_apart;
  quiet_ = would_do ? quiet_ + 1 : 0;
  return quiet_ >= needed_;
}

void StopRule::begin_anew() {
  const double fall = fall_;
  *this = StopRule(tolerance_, needed_, never_falls_);
  fall_ = fall;
}

void StopRule::save(Archive& archive, const std::string& name) const {
  archive.put(name + "/counts", std::vector<std::uint64_t>{told_, quiet_});
  archive.put(name + "/numbers",
              std::vector<double>{values_[0], values_[1], values_[2], change_, rate_, gap_, fall_});
}

void StopRule::load(const Archive& archive, const std::string& name) {
  const auto& counts = archive.counts(name + "/counts");
  const auto& numbers = archive.numbers(name + "/numbers");
  if (counts.size() != 2 || (numbers.size() != 6 && numbers.size() != 7))
    throw Error("saved stop rule is damaged");
  told_ = counts[0];
  quiet_ = counts[1];
  values_ = {numbers[0], numbers[1], numbers[2]};
  change_ = numbers[3];
  rate_ = numbers[4];
  gap_ = numbers[5];
  fall_ = numbers.size() == 7 ? numbers[6] : 0;  // earlier versions did not look at falls
}

}  // namespace thalweg
