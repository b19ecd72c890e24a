// What the laws know of each model beside its contract: textbook formulas, and how units act.
#pragma once

#include "outcome.hpp"

#include <cmath>
#include <vector>

namespace laws {

struct Known {
  std::string_view entry;

  /// log g_k(y), mean of column j and covariance of columns i and j in component k, from the formula.
  double (*log_density)(const Parameters& theta, std::size_t k, std::span<const double> y);
  double (*mean)(const Parameters& theta, std::size_t k, std::size_t j);
  double (*covariance)(const Parameters& theta, std::size_t k, std::size_t i, std::size_t j);

  /// The M-step from posteriors (rows × K, or those of the factors at theta) and weights, by the definition.
  void (*maximise)(const Subject& subject, const Block& rows, std::span<const double> posterior,
                   Parameters& theta);

  /// E[Z | Y = y] of a model with factors.
  std::vector<double> (*scores)(const Parameters& theta, std::span<const double> y) = nullptr;

  /// theta of a + b y where theta is that of y; null where the family does not allow it (counts have no unit).
  void (*rescale)(Parameters& theta, std::span<const double> a,
                  std::span<const double> b) = nullptr;
  bool (*one_unit)(const Parameters& theta) = nullptr;  // all columns must be rescaled alike
  bool has_origin = false;  // numbers above 0 have a unit, but cannot be shifted

  bool (*counts)(const Parameters& theta) = nullptr;  // has no units for these parameters

  /// Where rows are not independent: log density of each given those before it, and posteriors. Null: a mixture, or factors.
  Explanation (*explain)(const Parameters& theta, const Block& rows) = nullptr;
  /// … and the share of component k in row t of a unit, before anything is seen.
  double (*share)(const Parameters& theta, std::size_t k, std::size_t t) = nullptr;

  double far = 1e12;          // a cell that no component explains
  double outside = HUGE_VAL;  // a cell that is not in the domain
};

/// Shares, and the weighted mean of every column in every component (K × d).
std::vector<double> weighted_means(const Block& rows, std::span<const double> posterior,
                                   Parameters& theta);

/// Log density and posteriors of every row, by the definition.
Explanation slow_explanation(const Subject& subject, const Parameters& theta, const Block& rows);

/// A file known_NAME.cpp defines one of these; known_of finds it.
struct MakeKnown {
  explicit MakeKnown(const Known& one);
};
const std::vector<Known>& known();
const Known& known_of(const Subject& subject);
const Known& known_of(std::string_view entry);
bool has_units(const Subject& subject);
bool has_components(const Subject& subject);
bool draws_starts(const Subject& subject);  // different ones from different seeds

/// How likely component k is in row t of a unit, before anything is seen.
double share(const Subject& subject, const Parameters& theta, std::size_t k, std::size_t t = 0);

}  // namespace laws
