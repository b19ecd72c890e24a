// Independent categorical columns: log g(y) = sum_j log p_j(y_j). A mixture of them is latent class analysis (Lazarsfeld 1950).
#pragma once

#include <thalweg/core/error.hpp>
#include <thalweg/core/family.hpp>
#include <thalweg/export.hpp>
#include <thalweg/families/categorical_form.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace thalweg {

/// A cell is the number of its level. s(y) marks the level of each column; a missing cell marks none, so that it says nothing, and
/// the M-step divides by what was seen of each column: with missing cells this is still exact EM.
struct Categorical : FamilyDefaults<Categorical> {
  static constexpr std::string_view name = "categorical";
  static constexpr std::string_view domain = "the number of a level, or nothing";
  static constexpr double smallest_probability = 1e-12;  // of a level that was not seen
  static constexpr double smallest_read = 1e-300;  // a file may say 0: its logarithm is finite
  using Form = CategoricalForm;

  explicit Categorical(std::vector<std::size_t> of_columns) : levels(std::move(of_columns)) {}

  std::vector<std::size_t> levels;  // how many each column has

  std::size_t total() const {
    return std::accumulate(levels.begin(), levels.end(), std::size_t{0});
  }

  bool contains(double y, std::size_t j) const {
    return std::isnan(y) || (y >= 0 && y == std::floor(y) && y < static_cast<double>(levels[j]));
  }
  std::vector<std::pair<std::string, std::size_t>> statistics(Extent) const {
    return {{"counts", total()}};  // E[1{X=k} 1{y_j=l}], column by column
  }
  std::size_t width(Extent) const { return 1 + total(); }
  std::vector<Piece> parameters(Extent e) const {
    if (e.d != levels.size())
      throw UsageError("a model of " + std::to_string(levels.size()) +
                       " categorical columns cannot take " + std::to_string(e.d));
    return {{.name = "probabilities",
             .shape = {e.K, total()},
             .axes = {Axis::component, Axis::other},
             .meaning = Meaning::probability,
             .domain = Domain::distributions,
             .parts = levels}};
  }

  void features(const double*, Extent, const double* y, double* out, std::size_t stride) const {
    for (std::size_t j = 0; j < levels.size(); ++j)
      for (std::size_t l = 0; l < levels[j]; ++l, out += stride)
        *out = y[j] == static_cast<double>(l) ? 1.0 : 0.0;
  }

  void natural(const double* p, Extent, std::size_t k, double* psi, std::size_t stride) const {
    const std::size_t size = total();
    psi[0] = 0;
    for (std::size_t i = 0; i < size; ++i)
      psi[(1 + i) * stride] = std::log(std::max(p[k * size + i], smallest_read));
  }

  void maximise(const double* S, Extent e, std::size_t k, const Context& context, double* p) const {
    if (context.holds("probabilities", k)) return;
    p += k * total();
    const double* counts = S + e.K;
    for (std::size_t j = 0; j < levels.size(); ++j) {
      share_out(counts, e.K, {p, levels[j]}, {.component = k, .column = j}, context);
      counts += levels[j] * e.K;
      p += levels[j];
    }
  }

  bool valid(const double*, const double* S, Extent e, double) const {
    return std::all_of(S + e.K, S + width(e) * e.K, [](double count) { return count >= 0; });
  }

  /// All levels alike: a symmetric Dirichlet of n_0 / (K levels) pseudo-counts a level.
  void prior_features(const Block&, const double*, Extent, double* s) const {
    *s++ = 1;
    for (const std::size_t size : levels)
      for (std::size_t l = 0; l < size; ++l) *s++ = 1.0 / static_cast<double>(size);
  }

  void moments(const double* p, Extent, std::size_t k, double* s, std::size_t stride) const {
    const std::size_t size = total();
    for (std::size_t i = 0; i < size; ++i) s[i * stride] = p[k * size + i];
  }

  /// d p_l = (dS_l - p_l sum_m dS_m) / w, column by column: a missing cell changes nothing.
  void tangent(const double* p, Extent e, std::size_t k, double weight, const double* dS,
               const Context& context, double* dp) const {
    if (context.holds("probabilities", k)) return;
    std::size_t at = k * total();
    const double* counts = dS + e.K;
    for (const std::size_t size : levels) {
      double sum = 0;
      for (std::size_t l = 0; l < size; ++l) sum += counts[l * e.K];
      for (std::size_t l = 0; l < size; ++l, ++at)
        dp[at] = (counts[l * e.K] - p[at] * sum) / weight;
      counts += size * e.K;
    }
  }

  void draw(const double* p, Extent, std::size_t k, Random& random, double* y) const {
    p += k * total();
    for (std::size_t j = 0; j < levels.size(); p += levels[j++]) {
      double u = random.uniform();
      std::size_t l = 0;
      while (l + 1 < levels[j] && u >= p[l]) u -= p[l++];
      y[j] = static_cast<double>(l);
    }
  }

  /// Numbers of levels know no distance: starts are found by how many cells agree.
  Embedding embedding(Extent e) const { return {.coordinates = e.d, .levels = levels}; }

 private:
  /// Counts in proportion. A column of which the component has seen nothing keeps what it has, at the start all levels alike.
  static void share_out(const double* counts, std::size_t stride, std::span<double> p, Place place,
                        const Context& context) {
    double seen = 0;
    for (std::size_t l = 0; l < p.size(); ++l) seen += counts[l * stride];
    if (!(seen > 0)) {
      if (p[0] == 0 && std::all_of(p.begin(), p.end(), [](double x) { return x == 0; }))
        std::fill(p.begin(), p.end(), 1.0 / static_cast<double>(p.size()));
      return;
    }
    double sum = 0;
    for (std::size_t l = 0; l < p.size(); ++l) {
      p[l] = counts[l * stride] / seen;
      if (!(p[l] >= smallest_probability)) {
        p[l] = smallest_probability;
        context.count(Event::floor_reached, place);
      }
      sum += p[l];
    }
    for (double& x : p) x /= sum;
  }
};

}  // namespace thalweg
