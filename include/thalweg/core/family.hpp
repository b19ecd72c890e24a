// What a latent structure asks of a component's family, all of it: what a family must bring, what it may, and what happens where it
// does not.
#pragma once

#include <thalweg/core/context.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/data/block.hpp>
#include <thalweg/data/schema.hpp>
#include <thalweg/export.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thalweg {

/// K components, d columns: the shape of whatever a family is handed.
struct Extent {
  std::size_t K = 0;
  std::size_t d = 0;
};

/// The coordinates in which starts measure distances: numbers whose spread does not depend on where they lie, or levels (how many
/// each coordinate has; NaN is a missing one), which are as far apart as they are different.
struct Embedding {
  std::size_t coordinates = 0;
  std::vector<std::size_t> levels = {};
};

/// An exponential family of densities g(y) = h(y) exp(<s(y), psi> - A) is a small class of plain functions. It must bring
///
///   name, domain                        "poisson"; "whole numbers from 0 on"
///   contains(y, j)                      is y in the domain of column j?
///   statistics(e)                       names of the pieces of s(y) and how many numbers each has
///   width(e)                            D = 1 + their total
///   parameters(e)                       pieces of theta, constants flagged
///   features(theta, e, y, out, stride)  s(y) at out[0], out[stride], …
///   natural(theta, e, k, psi, stride)   component k: -A_k at psi[0], the others at psi[stride], psi[2 stride], …
///   maximise(S, e, k, context, theta)   component k; S points to its column: S[0] weight, S[j K] entry j
///   draw(theta, e, k, random, y)        a row of component k
///
/// and derives from FamilyDefaults<itself>, which has all that it may bring. theta is the family's part of the parameters, S a
/// D × K matrix, row 0 the weights. A function of a family hides the default of its name: one of another signature does not compile.
template <class F>
struct FamilyDefaults {
  /// How tiles of rows are scored and summed; void: by two matrix products (LinearForm, whose functions another form offers too).
  using Form = void;

  /// log h(y) of a row of d cells.
  double log_base(const double* /*y*/, std::size_t /*d*/) const { return 0; }

  /// What all components share, after each had its turn.
  void maximise_shared(const double* /*S*/, Extent, const Context&, double* /*theta*/) const {}

  /// Can S be a mean of statistics? A component with a weight up to `empty` has no data. Of theta the constants count.
  bool valid(const double* /*theta*/, const double* /*S*/, Extent, double /*empty*/) const {
    return true;
  }

  /// (1, E[s(Y)]) at the centre of the usual prior, D numbers that come in as zeros: what the first rows say.
  void prior_features(const Block& buffer, const double* theta, Extent e, double* s) const {
    std::vector<double> row(self().width(e), 1.0);
    const double total = buffer.total_weight();
    for (std::size_t t = 0; t < buffer.rows; ++t) {
      self().features(theta, e, buffer.row(t), row.data() + 1, 1);
      for (std::size_t j = 0; j < row.size(); ++j) s[j] += buffer.weight(t) / total * row[j];
    }
  }

  // --- starts: rows as points, between which distances mean something ----------------------------

  Embedding embedding(Extent e) const { return {.coordinates = e.d}; }
  void embed(Extent e, const double* y, double* x) const { std::copy_n(y, e.d, x); }

  // --- constants of the data (a gauge), in which statistics are taken: both or neither ------------

  /// Sets the constants of theta from the first rows; from weights (null: not known) and theta where there are none.
  void calibrate(const Block& /*buffer*/, Extent, const double* /*weights*/,
                 double* /*theta*/) const {}
  /// S taken with the constants of `from`, as if taken with those of `to`.
  void regauge(const double* /*from*/, const double* /*to*/, Extent, double* /*S*/) const {}

  // --- the gradient method: moments, and derivatives where differences are not good enough --------

  /// E[s(Y)] of component k at s[0], s[stride], …
  void moments(const double* /*theta*/, Extent, std::size_t /*k*/, double* /*s*/,
               std::size_t /*stride*/) const {}
  /// The derivative of component k's M-step at weight × (1, moments); dS points to its column.
  void tangent(const double* /*theta*/, Extent, std::size_t /*k*/, double /*weight*/,
               const double* /*dS*/, const Context&, double* /*dtheta*/) const {}
  /// … of what all components share.
  void tangent_shared(const double* /*theta*/, Extent, const double* /*dS*/, const Context&,
                      double* /*dtheta*/) const {}

  // --- an online step of one row that is cheaper than E-step and M-step: both or neither ----------

  bool has_row_step(Extent, const Context&) const { return false; }
  /// Scores the row, S += rate (E[s | y] - S), weights and theta = theta-bar(S). Gives the weighted log density before.
  double absorb_row(const double* /*y*/, double /*weight*/, double /*rate*/, Extent, const Context&,
                    double* /*S*/, double* /*weights*/, double* /*theta*/,
                    std::vector<double>& /*state*/) const {
    return 0;
  }

 private:
  const F& self() const { return static_cast<const F&>(*this); }
};

// A function that a family wrote itself is another one than the default's.
template <class F>
concept WritesCalibrate =
    !std::same_as<decltype(&F::calibrate), decltype(&FamilyDefaults<F>::calibrate)>;
template <class F>
concept WritesRegauge = !std::same_as<decltype(&F::regauge), decltype(&FamilyDefaults<F>::regauge)>;
template <class F>
concept WritesMoments = !std::same_as<decltype(&F::moments), decltype(&FamilyDefaults<F>::moments)>;
template <class F>
concept WritesTangent = !std::same_as<decltype(&F::tangent), decltype(&FamilyDefaults<F>::tangent)>;
template <class F>
concept WritesHasRowStep =
    !std::same_as<decltype(&F::has_row_step), decltype(&FamilyDefaults<F>::has_row_step)>;
template <class F>
concept WritesAbsorbRow =
    !std::same_as<decltype(&F::absorb_row), decltype(&FamilyDefaults<F>::absorb_row)>;

// What comes whole or not at all.
template <class F>
concept CalibrateWithRegauge = WritesCalibrate<F>
== WritesRegauge<F>;
template <class F>
concept TangentWithMoments = WritesMoments<F> || !WritesTangent<F>;
template <class F>
concept HasRowStepWithAbsorbRow = WritesHasRowStep<F>
== WritesAbsorbRow<F>;

/// The signatures of all the functions above.
template <class F>
concept Family = std::derived_from<F, FamilyDefaults<F>> && CalibrateWithRegauge<F> &&
    TangentWithMoments<F> && HasRowStepWithAbsorbRow<F> &&
    requires(const F& family, Extent e, const Block& block, const Context& context, Random& random,
             const double* in, double* out, std::size_t n, double y, std::vector<double>& state) {
  { F::name } -> std::convertible_to<std::string_view>;
  { F::domain } -> std::convertible_to<std::string_view>;
  { family.contains(y, n) } -> std::same_as<bool>;
  { family.statistics(e) } -> std::same_as<std::vector<std::pair<std::string, std::size_t>>>;
  { family.width(e) } -> std::same_as<std::size_t>;
  { family.parameters(e) } -> std::same_as<std::vector<Piece>>;
  { family.features(in, e, in, out, n) } -> std::same_as<void>;
  { family.natural(in, e, n, out, n) } -> std::same_as<void>;
  { family.maximise(in, e, n, context, out) } -> std::same_as<void>;
  { family.draw(in, e, n, random, out) } -> std::same_as<void>;
  { family.log_base(in, n) } -> std::same_as<double>;
  { family.maximise_shared(in, e, context, out) } -> std::same_as<void>;
  { family.valid(in, in, e, y) } -> std::same_as<bool>;
  { family.prior_features(block, in, e, out) } -> std::same_as<void>;
  { family.embedding(e) } -> std::same_as<Embedding>;
  { family.embed(e, in, out) } -> std::same_as<void>;
  { family.calibrate(block, e, in, out) } -> std::same_as<void>;
  { family.regauge(in, in, e, out) } -> std::same_as<void>;
  { family.moments(in, e, n, out, n) } -> std::same_as<void>;
  { family.tangent(in, e, n, y, in, context, out) } -> std::same_as<void>;
  { family.tangent_shared(in, e, in, context, out) } -> std::same_as<void>;
  { family.has_row_step(e, context) } -> std::same_as<bool>;
  { family.absorb_row(in, y, y, e, context, out, out, out, state) } -> std::same_as<double>;
};

/// "missing value; poisson needs whole numbers from 0 on in every cell".
THALWEG_API std::string refusal(double y, std::string_view family, std::string_view domain);

/// A cell outside the family's domain is a RowError.
template <Family F>
void check_cells(const F& family, const Schema& schema, const Block& block) {
  const auto look = [&](std::size_t begin, std::size_t cells) {  // of the rows from there on
    const double* y = block.row(begin);
    for (std::size_t i = 0; i < cells; ++i) {
      if (family.contains(y[i], i % block.columns)) [[likely]]
        continue;
      throw RowError(block.number(begin + i / block.columns),
                     "column \"" + schema.columns[i % block.columns] +
                         "\": " + refusal(y[i], F::name, F::domain));
    }
  };
  if (block.stride == block.columns)  // one long row: a plain loop where columns do not matter
    return look(0, block.rows * block.columns);
  for (std::size_t t = 0; t < block.rows; ++t) look(t, block.columns);
}

}  // namespace thalweg
