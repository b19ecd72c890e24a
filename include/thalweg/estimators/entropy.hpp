// Entropy of the posterior, - sum_t w_t sum_k p_tk log p_tk: how much the components overlap (Biernacki, Celeux & Govaert 2000).
#pragma once

#include <thalweg/core/crew.hpp>
#include <thalweg/core/model.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace thalweg {

/// In slices of fixed size, added in order: the same bits for any number of threads. Nothing for a model without components.
template <Model M>
std::optional<double> entropy(const M& model, const Parameters& theta, const Block& rows,
                              const Crew& crew = {}) {
  std::vector<double> parts((rows.rows + slice_rows - 1) / slice_rows);
  std::atomic<bool> has_components = false;
  crew.run(parts.size(), [&](std::size_t i) {
    const std::size_t begin = i * slice_rows;
    const Block slice = rows.slice(begin, std::min(slice_rows, rows.rows - begin));
    Explanation seen;
    model.explain(theta, slice, seen);
    if (seen.classes > 0) has_components = true;
    for (std::size_t t = 0; t < slice.rows; ++t)
      for (std::size_t k = 0; k < seen.classes; ++k)
        if (const double p = seen.posterior[t * seen.classes + k]; p > 0)
          parts[i] -= slice.weight(t) * p * std::log(p);
  });
  if (!has_components) return std::nullopt;
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

}  // namespace thalweg
