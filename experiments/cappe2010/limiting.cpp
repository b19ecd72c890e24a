// The Kullback–Leibler divergence along the limiting EM map: never rises, from any start.
#include "one_factor.hpp"
#include "two_poissons.hpp"

#include <fmt/format.h>

namespace cappe2010 {
namespace {

/// D(pi | f_theta) for theta, T(theta), T²(theta), … at about equal distances on a logarithmic axis.
void follow(LimitingMap& map, Parameters theta, double best, const std::string& panel,
            const std::string& series, Curves& curves) {
  std::size_t shown = 0;
  for (std::size_t k = 0; k <= 1000; ++k) {
    theta = map(theta);  // measures theta on the way
    if (k < shown) continue;
    curves.add(panel, series, static_cast<double>(k + 1), best - map.expected_log_density());
    shown = std::max(k + 1, k + k / 12);
  }
}

}  // namespace

void limiting(const Study& study) {
  Curves curves;
  const TwoPoissons two;
  MemorySource counts(two.schema, two.law());
  LimitingMap poisson(two.model, counts);
  const double entropy = poisson.expected_log_density(two.truth);
  for (const auto& [a, b] : {std::pair{0.7, 4.5}, {0.5, 1.0}, {1.2, 1.6}, {4.5, 5.0}})
    follow(poisson, two.at(0.5, a, b), entropy, "two Poissons",
           fmt::format("rates from {:g} and {:g}", a, b), curves);

  const OneFactor factor;
  MemorySource rows(factor.schema, factor.law());
  LimitingMap ppca(factor.model, rows, factor.regularisation);
  const double at_truth = ppca.expected_log_density(factor.truth);
  for (const double noise : {1.0, 5.0, 20.0}) {
    Parameters start = factor.start;
    start["noise_variance"][0] = noise;
    follow(ppca, start, at_truth, "one factor", fmt::format("noise from {:g}", noise), curves);
  }
  curves.write(study.path("limiting"));
}

}  // namespace cappe2010
