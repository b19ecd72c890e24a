// Step sizes gamma_k of stochastic approximation; k = 1, 2, … counts M-steps.
#pragma once

#include <thalweg/export.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace thalweg {

/// A count as a double. (Counts stay below 2^63; without that knowledge the conversion takes a dozen instructions.)
inline double real(std::uint64_t count) {
  return static_cast<double>(static_cast<std::int64_t>(count));
}

class THALWEG_API Schedule {
 public:
  enum class Kind { power, reciprocal, constant, custom };

  /// (k + offset)^-exponent with the exponent in (0.5, 1]: the sums of gamma diverge, those of gamma² do not.
  static Schedule power(double exponent = 0.6, double offset = 0.0);

  /// "1/n": every row so far has the same weight, so that S is the plain average at fixed theta.
  static Schedule reciprocal();

  /// Always the same rate in (0, 1]: forgets like a window of about 1/rate steps, for drifting data.
  static Schedule constant(double rate);

  /// Any function of k with values in [0, 1]. It cannot be saved: give it again when a fit is resumed.
  static Schedule custom(std::function<double(std::uint64_t)> rate);

  /// "0.6", "0.6,offset=100", "1/n", "constant:0.01": the syntax of --step.
  static Schedule parse(std::string_view text);
  std::string text() const;

  Kind kind() const { return kind_; }
  double constant_rate() const { return rate_; }  // G of constant:G
  double exponent() const { return exponent_; }
  double offset() const { return offset_; }

  /// The rate of step k, of a batch of weight `batch` that brings the total to `total`, when the average batch weighs
  /// `usual`. A batch that weighs e times the usual one moves S as far as e usual steps at the same rate would:
  /// 1 - (1 - gamma)^e. So weights act, and a short last batch does not shout.
  double rate(std::uint64_t k, double batch, double usual, double total) const {
    if (kind_ == Kind::reciprocal) return batch / total;
    const double gamma = at(k);
    return batch == usual ? gamma : 1.0 - std::pow(1.0 - gamma, batch / usual);
  }

 private:
  Schedule() = default;

  double at(std::uint64_t k) const {
    // x^-a as exp(-a log x): half the instructions of pow, and exactly 1 at 1.
    if (kind_ == Kind::power) return std::exp(-exponent_ * std::log(real(k) + offset_));
    return kind_ == Kind::constant ? rate_ : custom_(k);
  }

  Kind kind_ = Kind::power;
  double exponent_ = 0.6;
  double offset_ = 0.0;
  double rate_ = 0.0;
  std::function<double(std::uint64_t)> custom_;
};

}  // namespace thalweg
