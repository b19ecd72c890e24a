// What a model may bring beside its contract. A capability is a small interface: a model derives from it and so has all of it, or
// none. Whoever needs one asks by capability<Tangent>(model), which is null where the model has it not.
#pragma once

#include <thalweg/core/model.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <memory>

namespace thalweg {

/// One online step of its own, cheaper than an E-step over the block and a whole M-step, and with state carried from step to step.
class THALWEG_API Absorb {
 public:
  virtual ~Absorb();
  /// Scores the block, S += rate (E_theta[s | Y] - S), theta = theta-bar(S). Gives the log-likelihood before learning.
  virtual double absorb(Parameters& theta, const Block& block, double rate, Statistic& S,
                        const Context& context, Carry& carry) const = 0;
};

/// Constants of the data among the parameters (where they lie and how wide they are), in which statistics are taken.
class THALWEG_API Gauge {
 public:
  virtual ~Gauge();
  /// Sets the constant pieces of theta from the first rows, from theta itself where there are none.
  virtual void calibrate(const Block& buffer, Parameters& theta) const = 0;
  /// S as if it had been taken with the constants of `to`.
  virtual void regauge(const Parameters& from, const Parameters& to, Statistic& S) const = 0;
};

/// Conjugate priors exp(<S_0, psi> - n_0 A).
class THALWEG_API Conjugate {
 public:
  virtual ~Conjugate();
  /// S_0 of the usual prior, what the first rows say when all components are alike, with the constants of theta.
  virtual Statistic prior(const Block& buffer, const Parameters& theta) const = 0;
  /// <S, psi(theta)> - A(theta): of a prior's S_0 its log density, up to a constant.
  virtual double score(const Parameters& theta, const Statistic& S) const = 0;
};

/// Interchangeable components, into which rows are sorted.
class THALWEG_API Components {
 public:
  virtual ~Components();
  virtual std::size_t components() const = 0;
  /// The statistic of rows whose posteriors (rows × K) are known: explain and gather together are expect.
  virtual void gather(const Parameters& theta, const Block& block, const double* posterior,
                      Sums& sums) const = 0;
  /// Dead components begin again where rows are explained worst. How many did.
  virtual std::size_t revive(const Block& buffer, const Context& context,
                             Parameters& theta) const = 0;
  /// A jump that EM cannot make, to be tried from there; false where there is nothing (more) to try.
  virtual bool rearrange(const Block& buffer, const Context& context, std::size_t attempt,
                         Random& random, Parameters& theta) const = 0;
};

/// What the gradient recursion needs.
class THALWEG_API Tangent {
 public:
  virtual ~Tangent();
  /// S = E_theta[s(X, Y)], so that theta-bar(S) = theta.
  virtual void moments(const Parameters& theta, Statistic& S) const = 0;
  /// The derivative of theta-bar at moments(theta), applied to dS.
  virtual void tangent(const Parameters& theta, const Statistic& dS, const Context& context,
                       Parameters& dtheta) const = 0;
};

/// A maximum that has a closed form in some moments of the rows.
class THALWEG_API Exact {
 public:
  virtual ~Exact();
  virtual std::shared_ptr<const Layout> observed(const Schema& schema) const = 0;
  /// sums gain these moments and sum_t w_t, with the constants of theta.
  virtual void tally(const Parameters& theta, const Block& block, Sums& sums) const = 0;
  /// theta and the E-step's S at the maximum; gives its mean log-likelihood.
  virtual double solve(const Statistic& moments, const Context& context, Parameters& theta,
                       Statistic& S) const = 0;
};

/// Parameters that are known up to a rotation, and the one form of them that people rely on.
class THALWEG_API Canonical {
 public:
  virtual ~Canonical();
  virtual void align(Parameters& theta, Statistic& S) const = 0;
};

/// Limits of the statistic that are known beforehand: what extrapolates may leave them. Without it theta-bar is tried.
class THALWEG_API Bounded {
 public:
  virtual ~Bounded();
  virtual bool valid(const Parameters& theta, const Statistic& S) const = 0;
};

/// First guesses from the same rows.
class THALWEG_API Guesses {
 public:
  virtual ~Guesses();
  virtual Parameters draw(Random& random) const = 0;
};

/// Many starts on the same rows: what they have in common is worked out once. `start` is the first draw.
class THALWEG_API Guessing {
 public:
  virtual ~Guessing();
  /// The rows stay where they are.
  virtual std::unique_ptr<const Guesses> guesses(const Plan& plan, const Block& buffer) const = 0;
};

/// The model as one that has the capability; null where it has not.
template <class Capability>
const Capability* capability(const Model& model) {
  return dynamic_cast<const Capability*>(&model);
}

// What estimators ask for, with what happens where the model has no such capability.

/// Nothing without a gauge.
THALWEG_API void calibrate(const Model& model, const Block& buffer, Parameters& theta);
THALWEG_API void regauge(const Model& model, const Parameters& from, const Parameters& to,
                         Statistic& S);
/// 0 where the model does not tell.
THALWEG_API double score(const Model& model, const Parameters& theta, const Statistic& S);
/// A UsageError where there is none.
THALWEG_API Statistic prior(const Model& model, const Block& buffer, const Parameters& theta);
/// None without components.
THALWEG_API std::size_t revive(const Model& model, const Block& buffer, const Context& context,
                               Parameters& theta);
THALWEG_API bool rearrange(const Model& model, const Block& buffer, const Context& context,
                           std::size_t attempt, Random& random, Parameters& theta);
/// Nothing where parameters are what they are.
THALWEG_API void align(const Model& model, Parameters& theta, Statistic& S);
/// By `start` again and again where the model knows nothing better.
THALWEG_API std::unique_ptr<const Guesses> guesses(const Model& model, const Plan& plan,
                                                   const Block& buffer);
/// Whether S lies in the domain of theta-bar; theta tells the shape. It must be finite, and where the model knows no bounds an
/// M-step from theta must end in the domain.
THALWEG_API bool valid(const Model& model, const Parameters& theta, const Statistic& S);

}  // namespace thalweg
