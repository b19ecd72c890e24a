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

/// Step k goes from S to S + gamma_k (s - S), s the mean of E_theta[s | Y] over its rows at theta = theta-bar(T): T is S, or what a prior
/// makes of it. s - T is what the rows ask for, their score in the place of T. Both T and s - T are averaged over the steps, each as
/// much as its rows weigh. Near the maximum T* of the likelihood the mean of s - T is A (T* - mean T) plus the mean of the rows' own noise,
/// wherever the steps led and however slowly: A = 1 - DT is J^-1 I. So mean T + A^-1 mean (s - T) is efficient, whatever the step
/// sizes were and however much of the start is left.
class THALWEG_API PathMean {
 public:
  explicit PathMean(const std::shared_ptr<const Layout>& layout)
      : before_(layout), where_(layout), asked_(layout) {}

  /// Rows behind S with nothing more to ask: those of a start that EM found on them, or of an earlier fit. Its pull is what share of T
  /// the prior has.
  void trust(const Statistic& S, const Statistic* prior, double pull);

  /// After a step to S; `moved`: theta is theta-bar(T) now, so that the next step asks there.
  void follow(const Statistic& S, double rate, double weight, bool moved, const Statistic* prior,
              double pull);

  /// Another pass over the same rows: it says all that the one before has said, from nearer by.
  void begin_pass() { weight_ = 0; }

  double weight() const { return weight_; }          // of the rows behind the means
  const Statistic& where() const { return where_; }  // mean T
  const Statistic& asked() const { return asked_; }  // mean s - T

  void save(Archive& archive) const;
  void load(const Archive& archive);
  static bool saved_in(const Archive& archive);

 private:
  Statistic before_;  // S before the next step
  Statistic where_;
  Statistic asked_;
  double weight_ = 0;
  double pull_ = 0;      // of the prior, before the next step
  bool placed_ = false;  // theta is theta-bar(T)
};

}  // namespace thalweg
