// Where a run of online EM has been, and what the rows asked for there: enough for the scoring step at its end (see Averaging).
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/statistic.hpp>
#include <thalweg/export.hpp>

#include <memory>

namespace thalweg {

/// Where the scoring step ends.
struct Scored {
  Parameters theta;
  Statistic statistic;
};

/// Step k goes from S to S + gamma_k asked, with asked = (mean of E_theta[s | Y]) - S at theta = theta-bar(S). Both are averaged over
/// the steps, each as much as its rows weigh. Near the maximum S* the mean of `asked` is A (S* - mean of S) plus the mean of the rows' own
/// noise, wherever the steps led and however slowly: A = 1 - DT is J^-1 I. So mean S + A^-1 mean asked is efficient, whatever the step
/// sizes were and however much of the start is left.
class THALWEG_API PathMean {
 public:
  explicit PathMean(const std::shared_ptr<const Layout>& layout)
      : before_(layout), where_(layout), asked_(layout) {}

  /// S is where the rows behind it ask for nothing: a start that EM found on them, or the end of an earlier fit.
  void trust(const Statistic& S);

  /// After a step to S; `moved`: theta is theta-bar(S) now, so that the next step asks there.
  void follow(const Statistic& S, double rate, double weight, bool moved);

  /// Another pass over the same rows: it says all that the one before has said, from nearer by.
  void begin_pass() { weight_ = 0; }

  double weight() const { return weight_; }  // of the rows behind the means
  const Statistic& where() const { return where_; }
  const Statistic& asked() const { return asked_; }

  void save(Archive& archive) const;
  void load(const Archive& archive);
  static bool saved_in(const Archive& archive);

 private:
  Statistic before_;  // S before the next step
  Statistic where_;
  Statistic asked_;
  double weight_ = 0;
  bool placed_ = false;  // theta is theta-bar(before_)
};

}  // namespace thalweg
