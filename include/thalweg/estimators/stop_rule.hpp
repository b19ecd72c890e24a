// When batch EM may stop: Aitken's estimate of what is left to gain is small and the parameters stand still, for a while.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/export.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace thalweg {

/// EM converges linearly: increments of the log-likelihood shrink by a rate a < 1, so the remaining gap is about
/// increment · a / (1 - a). Near a saddle they grow instead (a >= 1), and so do the parameter changes: no stop there.
class THALWEG_API StopRule {
 public:
  /// `needed` times in a row it must be content. Of what never falls but by rounding, falls show how large rounding is: a gain that is
  /// not much larger is none.
  explicit StopRule(double tolerance = 1e-8, std::uint64_t needed = 5, bool never_falls = false)
      : tolerance_(tolerance), needed_(needed), never_falls_(never_falls) {}

  /// A gap of another size from now on.
  void allow(double tolerance) { tolerance_ = tolerance; }

  /// From other parameters on; rounding stays what it is.
  void begin_anew();

  /// Told after each E-step: mean log-likelihood a row, and the scaled parameter change that led there. True: stop.
  bool tell(double mean_log_likelihood, double change);

  /// Not yet known to be too early.
  bool hopeful() const { return told_ < 3 || quiet_ > 0; }

  double rate() const { return rate_; }          // Aitken's a, 0 before it is known
  double remaining_gap() const { return gap_; }  // a row
  double gain() const { return told_ < 2 ? 0 : values_[2] - values_[1]; }  // of the last, a row
  double tolerance() const { return tolerance_; }
  bool knows() const { return told_ >= 3; }  // what rate and gap are

  void save(Archive& archive, const std::string& name) const;
  void load(const Archive& archive, const std::string& name);

 private:
  static constexpr double noise = 1e-11;  // a smaller parameter change is rounding

  double tolerance_;
  std::uint64_t needed_;
  bool never_falls_;
  double change_tolerance() const { return 100 * tolerance_; }

  std::uint64_t told_ = 0;
  std::uint64_t quiet_ = 0;         // consecutive iterations that would do
  std::array<double, 3> values_{};  // the last three log-likelihoods, newest last
  double change_ = 0;
  double rate_ = 0;
  double gap_ = 0;
  double fall_ = 0;  // the largest
};

}  // namespace thalweg
