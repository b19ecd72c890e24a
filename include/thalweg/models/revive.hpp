// Components that died begin again where rows are explained worst.
#pragma once

#include <thalweg/core/model.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace thalweg {

/// A component with less than one row's weight of the buffer begins again around a row that is explained badly, as wide as the
/// others are on average. How many did.
template <class M>
std::size_t revive_components(const M& mixture, const Block& buffer, const Context& context,
                              Parameters& theta) {
  const std::size_t K = mixture.components();
  const double total = buffer.total_weight();
  std::vector<std::size_t> dead;
  for (std::size_t k = 0; k < K; ++k)
    if (theta.data()[k] * total < 1 && !context.holds("weights", k)) dead.push_back(k);
  if (dead.empty() || dead.size() == K) return 0;
  Explanation seen;
  explain(mixture, theta, buffer, seen);
  Sums sums(mixture.plan(Schema::numbered(buffer.columns)).statistic);
  expect(mixture, theta, buffer, sums);
  std::vector<double> s(mixture.width(theta));
  std::vector<double> whole(s.size());
  for (std::size_t j = 0; j < s.size(); ++j)
    for (std::size_t k = 0; k < K; ++k) whole[j] += sums.data()[j * K + k] / total;
  for (const std::size_t k : dead) {
    const auto worst = std::min_element(seen.log_density.begin(), seen.log_density.end());
    const auto row = static_cast<std::size_t>(worst - seen.log_density.begin());
    *worst = HUGE_VAL;  // the next one looks elsewhere
    // Around that row the neighbours that lie nearest in likelihood's ranking are not known: a tenth of a share of the
    // whole, pulled half way to the row, is wide enough to catch them.
    mixture.features(theta, buffer.row(row), s.data());
    const double share = 0.1 * total / static_cast<double>(K);
    for (std::size_t j = 0; j < s.size(); ++j)
      sums.data()[j * K + k] = share * (0.5 * whole[j] + 0.5 * s[j]);
    context.count(Event::component_reborn, {.component = k});
  }
  maximise(mixture, mean(sums), context, theta);
  return dead.size();
}

}  // namespace thalweg
