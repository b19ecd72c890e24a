// The contract of a model: what to expect and how to maximise. Estimators know nothing else.
#pragma once

#include <thalweg/core/context.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/core/slices.hpp>
#include <thalweg/core/statistic.hpp>
#include <thalweg/data/block.hpp>
#include <thalweg/data/schema.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace thalweg {

/// What a model looks like on data with given columns.
struct Plan {
  std::shared_ptr<const Layout> statistic;
  std::shared_ptr<const Layout> parameters;
  std::size_t free_parameters = 0;
  std::size_t rows_needed = 1;  // rows before an M-step exists
  std::size_t start_rows = 0;   // rows on which starts are found; 0: some for each free parameter

  Plan() = default;
  Plan(std::vector<Piece> statistic_pieces, std::vector<Piece> parameter_pieces,
       std::size_t free_count, std::size_t needed, std::size_t rows_of_starts = 0)
      : statistic(std::make_shared<const Layout>(std::move(statistic_pieces))),
        parameters(std::make_shared<const Layout>(std::move(parameter_pieces))),
        free_parameters(free_count),
        rows_needed(needed),
        start_rows(rows_of_starts) {}
};

/// What `predict` shows of every row.
struct Explanation {
  std::size_t classes = 0;          // K, 0 for models without components
  std::vector<double> log_density;  // one a row: log f_theta(Y_t)
  std::vector<double> posterior;    // rows × K: P_theta(X_t = k | Y_t)
  std::size_t factors = 0;          // r, 0 for models without factors
  std::vector<double> scores = {};  // rows × r: E_theta[Z_t | Y_t]
};

/// A model is a small value without state of its own. These are required:
///
///   plan(schema)                      names and shapes of statistic and parameters
///   start(buffer, random) -> theta    a first guess from the first rows
///   expect(theta, block, sums)        sums gain sum_t w_t E_theta[s(X_t,Y_t) | Y_t] and sum_t w_t;
///                                     returns sum_t w_t log f_theta(Y_t)
///   maximise(S, context, theta)       theta = theta-bar(S); theta comes in as warm start
///   explain(theta, block, out)        posterior and log density of every row
///   draw(theta, given, random, row)   one row of simulated data
///
/// These are optional; the functions below say what happens without them:
///
///   absorb(theta, block, rate, S, context, carry)   one online step
///   calibrate(buffer, theta)                        set the constant pieces of theta
///   check(schema, block)                            refuse rows outside the model's domain
///   change(before, after)                           scaled size of a parameter change
///   score(theta, S)                                 <S, psi(theta)> - A(theta): of a prior S_0 the log density
///   prior(buffer, theta)                            S_0 of the usual prior, with the constants of theta
///   regauge(from, to, S)                            S as if it had been taken with the constants of `to`
///   revive(buffer, context, theta)                  dead components begin again where rows are explained worst
///   rearrange(buffer, context, attempt, random, theta)   a jump that EM cannot make, to be tried from there
///   relabel(order, theta, S)                        new component i is the old one order[i]
///   valid(theta, S)                                 can theta-bar take S? What extrapolates may leave its domain
///   gather(theta, block, posterior, sums)           the statistic of rows whose posteriors are known: explain and gather
///                                                   together are expect
///   moments(theta, S)                               S = E_theta[s(X, Y)], so that theta-bar(S) = theta
///   tangent(theta, dS, context, dtheta)             the derivative of theta-bar at moments(theta), applied to dS
///   align(theta, S)                                 the same model with its factors in the one form that people rely on
///   distinct_starts()                               how many different starts there are, where not as many as asked for
///
/// And three together, of a model whose maximum has a closed form in some moments of the rows:
///
///   observed(schema) -> Layout                      names and shapes of these moments
///   tally(theta, block, sums)                       sums gain them and sum_t w_t, with the constants of theta
///   solve(moments, context, theta, S)               theta and the E-step's S at the maximum; returns its mean log-likelihood
template <class M>
concept Model = requires(const M& model, const Schema& schema, const Block& block, Random& random,
                         Parameters& theta, const Parameters& fixed, const Statistic& statistic,
                         Sums& sums, const Context& context, Explanation& out, double* row) {
  { model.plan(schema) } -> std::same_as<Plan>;
  { model.start(block, random) } -> std::same_as<Parameters>;
  { model.expect(fixed, block, sums) } -> std::same_as<double>;
  model.maximise(statistic, context, theta);
  model.explain(fixed, block, out);
  model.draw(fixed, block, random, row);
};

/// theta = theta-bar(S), or with a prior theta-bar((n S + n_0 S_0) / (n + n_0)): the maximum a posteriori.
template <class M>
void maximise(const M& model, const Statistic& S, const Context& context, Parameters& theta) {
  if (!context.prior) return model.maximise(S, context, theta);
  Statistic with_prior = S;
  const double n_0 = context.prior->weight;
  blend(with_prior, *context.prior, n_0 / (context.rows + n_0));
  model.maximise(with_prior, context, theta);
}

/// The E-step of one block into carry.sums, shaped like S. False: it is not finite, is left out and counted.
template <class M>
bool expect_block(const M& model, const Parameters& theta, const Block& block, const Statistic& S,
                  const Context& context, Carry& carry, double& log_likelihood) {
  Sums& sums = carry.sums;
  if (sums.size() != S.size()) sums = Sums(S.shared_layout());
  sums.clear();
  log_likelihood = 0;
  expect_in_slices(model, theta, block, context.crew, sums, carry.parts, log_likelihood);
  if (std::isfinite(log_likelihood) && sums.finite()) return true;
  context.count(Event::batch_left_out);
  log_likelihood = 0;
  return false;
}

/// expect → blend → maximise: the online step of a model that brings none of its own.
template <class M>
[[gnu::noinline]] double absorb_by_expectation(const M& model, Parameters& theta,
                                               const Block& block, double rate, Statistic& S,
                                               const Context& context, Carry& carry) {
  double log_likelihood = 0;
  if (!expect_block(model, theta, block, S, context, carry, log_likelihood)) return 0;
  blend(S, carry.sums, rate);
  if (!context.freeze) maximise(model, S, context, theta);
  return log_likelihood;
}

/// One online step: score the block, learn it, return its log-likelihood before learning.
template <Model M>
double absorb(const M& model, Parameters& theta, const Block& block, double rate, Statistic& S,
              const Context& context, Carry& carry) {
  if constexpr (requires { model.absorb(theta, block, rate, S, context, carry); }) {
    return model.absorb(theta, block, rate, S, context, carry);
  } else {
    return absorb_by_expectation(model, theta, block, rate, S, context, carry);
  }
}

/// Sets the constant pieces of theta from the first rows (from theta itself where there are none).
template <Model M>
void calibrate(const M& model, const Block& buffer, Parameters& theta) {
  if constexpr (requires { model.calibrate(buffer, theta); }) model.calibrate(buffer, theta);
}

inline void check_finite(const Schema& schema, const Block& block) {
  for (std::size_t t = 0; t < block.rows; ++t)
    for (std::size_t j = 0; j < block.columns; ++j)
      if (const double y = block.row(t)[j]; !std::isfinite(y))
        throw RowError(block.first + t, "column \"" + schema.columns[j] + "\": " +
                                            (std::isnan(y) ? "missing value" : "infinite value") +
                                            ", this model needs a number in every cell");
}

inline void check_weights(const Block& block) {
  if (!block.side.weight) return;
  for (std::size_t t = 0; t < block.rows; ++t)
    if (const double w = block.side.weight[t]; !(w >= 0) || !std::isfinite(w))
      throw RowError(block.first + t, "the row's weight is not a number from 0 on");
}

/// Refuses, by RowError, a row that the model cannot take. By default every cell must be a finite number.
template <Model M>
void check(const M& model, const Schema& schema, const Block& block) {
  check_weights(block);
  if constexpr (requires { model.check(schema, block); }) {
    model.check(schema, block);
  } else {
    check_finite(schema, block);
  }
}

/// How far theta moved, in units in which 1 is large. By default each piece is measured by its root mean square.
template <Model M>
double change(const M& model, const Parameters& before, const Parameters& after) {
  if constexpr (requires { model.change(before, after); }) {
    return model.change(before, after);
  } else {
    double largest = 0;
    for (const Piece& piece : before.layout().pieces()) {
      double squares = 0;
      double difference = 0;
      for (std::size_t i = piece.offset; i < piece.offset + piece.size(); ++i) {
        squares += before.data()[i] * before.data()[i];
        difference = std::max(difference, std::abs(after.data()[i] - before.data()[i]));
      }
      const double size =
          std::sqrt(squares / static_cast<double>(std::max<std::size_t>(piece.size(), 1)));
      if (difference > 0) largest = std::max(largest, difference / (size > 0 ? size : difference));
    }
    return largest;
  }
}

/// <S, psi(theta)> - A(theta); 0 for a model that does not tell.
template <Model M>
double score(const M& model, const Parameters& theta, const Statistic& S) {
  if constexpr (requires { model.score(theta, S); }) {
    return model.score(theta, S);
  } else {
    return 0;
  }
}

/// The usual prior of a model: what the first rows say when all components are alike.
template <Model M>
Statistic prior(const M& model, const Block& buffer, const Parameters& theta) {
  if constexpr (requires { model.prior(buffer, theta); }) {
    return model.prior(buffer, theta);
  } else {
    throw UsageError("this model has no usual prior (give --prior a model file)");
  }
}

template <Model M>
void regauge(const M& model, const Parameters& from, const Parameters& to, Statistic& S) {
  if constexpr (requires { model.regauge(from, to, S); }) model.regauge(from, to, S);
}

/// How many components were brought back to life.
template <Model M>
std::size_t revive(const M& model, const Block& buffer, const Context& context, Parameters& theta) {
  if constexpr (requires { model.revive(buffer, context, theta); }) {
    return model.revive(buffer, context, theta);
  } else {
    return 0;
  }
}

/// False where there is nothing (more) to try.
template <Model M>
bool rearrange(const M& model, const Block& buffer, const Context& context, std::size_t attempt,
               Random& random, Parameters& theta) {
  if constexpr (requires { model.rearrange(buffer, context, attempt, random, theta); }) {
    return model.rearrange(buffer, context, attempt, random, theta);
  } else {
    return false;
  }
}

/// Whether S lies in the domain of theta-bar; theta tells the shape. By default every S that is finite.
template <Model M>
bool valid(const M& model, const Parameters& theta, const Statistic& S) {
  if constexpr (requires { model.valid(theta, S); }) {
    return S.finite() && model.valid(theta, S);
  } else {
    return S.finite();
  }
}

/// Whether the model can make a statistic of posteriors.
template <Model M>
bool gathers(const M& model) {
  if constexpr (requires { model.gathers(); }) {  // a model whose type is forgotten must be asked
    return model.gathers();
  } else {
    return requires(const Parameters& theta, const Block& block, const double* posterior,
                    Sums& sums) {
      model.gather(theta, block, posterior, sums);
    };
  }
}

template <Model M>
void gather(const M& model, const Parameters& theta, const Block& block, const double* posterior,
            Sums& sums) {
  if constexpr (requires { model.gather(theta, block, posterior, sums); })
    model.gather(theta, block, posterior, sums);
}

/// Whether the model has moments and tangent: what the gradient recursion needs.
template <Model M>
bool has_tangent(const M& model) {
  if constexpr (requires { model.has_tangent(); }) {
    return model.has_tangent();
  } else {
    return requires(const Parameters& theta, const Statistic& dS, Statistic& S,
                    const Context& context, Parameters& dtheta) {
      model.moments(theta, S);
      model.tangent(theta, dS, context, dtheta);
    };
  }
}

template <Model M>
void moments(const M& model, const Parameters& theta, Statistic& S) {
  if constexpr (requires { model.moments(theta, S); }) model.moments(theta, S);
}

template <Model M>
void tangent(const M& model, const Parameters& theta, const Statistic& dS, const Context& context,
             Parameters& dtheta) {
  if constexpr (requires { model.tangent(theta, dS, context, dtheta); })
    model.tangent(theta, dS, context, dtheta);
}

template <Model M>
void align(const M& model, Parameters& theta, Statistic& S) {
  if constexpr (requires { model.align(theta, S); }) model.align(theta, S);
}

/// Starts that are worth trying when so many are asked for.
template <Model M>
std::size_t distinct_starts(const M& model, std::size_t wanted) {
  if constexpr (requires { model.distinct_starts(wanted); }) {
    return model.distinct_starts(wanted);
  } else if constexpr (requires { model.distinct_starts(); }) {
    return std::min(wanted, model.distinct_starts());
  } else {
    return wanted;
  }
}

template <class M>
concept ExactModel = Model<M> &&
    requires(const M& model, const Schema& schema, const Block& block, const Parameters& gauge,
             Sums& sums, const Statistic& moments, const Context& context, Parameters& theta,
             Statistic& S) {
  { model.observed(schema) } -> std::same_as<std::shared_ptr<const Layout>>;
  model.tally(gauge, block, sums);
  { model.solve(moments, context, theta, S) } -> std::same_as<double>;
};

[[noreturn]] inline void refuse_exact() {
  throw UsageError(
      "the maximum of this model has no closed form (--method exact needs one; auto finds it by "
      "EM)");
}

template <Model M>
void relabel(const M& model, const std::vector<std::size_t>& order, Parameters& theta,
             Statistic& S) {
  if constexpr (requires { model.relabel(order, theta, S); }) {
    model.relabel(order, theta, S);
  } else {
    throw UsageError("this model has no interchangeable components to order");
  }
}

}  // namespace thalweg
