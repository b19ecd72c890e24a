// Independent Poisson counts in d columns: log g(y) = sum_j y_j log rate_j - rate_j - log y_j!.
#pragma once

#include <thalweg/core/family.hpp>
#include <thalweg/kernels/special.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace thalweg {

struct Poisson : FamilyDefaults<Poisson> {
  static constexpr std::string_view name = "poisson";
  static constexpr std::string_view domain = "whole numbers from 0 to 2^53";
  static constexpr double smallest_rate =
      1e-12;  // keeps log(rate) finite where only zeros were seen

  bool contains(double y, std::size_t /*j*/) const {
    const bool in_range = y >= 0 && y <= 0x1.0p53;
    return in_range && y == static_cast<double>(static_cast<std::int64_t>(y));
  }
  std::vector<std::pair<std::string, std::size_t>> statistics(Extent e) const {
    return {{"sums", e.d}};  // E[1{X=k} y_j]
  }
  std::size_t width(Extent e) const { return 1 + e.d; }
  std::vector<Piece> parameters(Extent e) const {
    return {{.name = "rates",
             .shape = {e.K, e.d},
             .axes = {Axis::component, Axis::column},
             .meaning = Meaning::rate,
             .domain = Domain::positive}};
  }

  void features(const double*, Extent e, const double* y, double* out, std::size_t stride) const {
    for (std::size_t j = 0; j < e.d; ++j) out[j * stride] = y[j];
  }

  void natural(const double* rates, Extent e, std::size_t k, double* psi,
               std::size_t stride) const {
    psi[0] = 0;
    for (std::size_t j = 0; j < e.d; ++j) {
      const double rate = rates[k * e.d + j];
      psi[0] -= rate;
      psi[(1 + j) * stride] = std::log(rate);
    }
  }

  double log_base(const double* y, std::size_t d) const {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum -= kernels::log_factorial(y[j]);
    return sum;
  }

  /// Inlined: the textbook recursion is here for every row.
  [[gnu::always_inline]] void maximise(const double* S, Extent e, std::size_t k,
                                       const Context& context, double* rates) const {
    if (context.holds("rates", k)) return;
    const double inverse = 1.0 / S[0];
    for (std::size_t j = 0; j < e.d; ++j) {
      double rate = S[(1 + j) * e.K] * inverse;
      if (!(rate >= smallest_rate)) {
        rate = smallest_rate;
        context.count(Event::floor_reached, {.component = k, .column = j});
      }
      rates[k * e.d + j] = rate;
    }
  }

  bool valid(const double*, const double* S, Extent e, double) const {
    return std::all_of(S + e.K, S + (1 + e.d) * e.K, [](double sum) { return sum >= 0; });
  }

  void moments(const double* rates, Extent e, std::size_t k, double* s, std::size_t stride) const {
    for (std::size_t j = 0; j < e.d; ++j) s[j * stride] = rates[k * e.d + j];
  }

  /// d rate = (dS_j - rate dS_0) / w: of one row with posterior r it is r (y - rate) / w.
  void tangent(const double* rates, Extent e, std::size_t k, double weight, const double* dS,
               const Context& context, double* d_rates) const {
    if (context.holds("rates", k)) return;
    for (std::size_t j = 0; j < e.d; ++j)
      d_rates[k * e.d + j] = (dS[(1 + j) * e.K] - rates[k * e.d + j] * dS[0]) / weight;
  }

  void draw(const double* rates, Extent e, std::size_t k, Random& random, double* y) const {
    for (std::size_t j = 0; j < e.d; ++j)
      y[j] = static_cast<double>(std::poisson_distribution<long>(rates[k * e.d + j])(random));
  }

  /// Square roots of counts have nearly the same variance everywhere.
  void embed(Extent e, const double* y, double* x) const {
    for (std::size_t j = 0; j < e.d; ++j) x[j] = std::sqrt(y[j]);
  }
};

}  // namespace thalweg
