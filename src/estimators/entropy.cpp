// The entropy of the posterior, summed over rows.
#include <thalweg/data/slices.hpp>
#include <thalweg/estimators/entropy.hpp>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <vector>

namespace thalweg {

std::optional<double> entropy(const Model& model, const Parameters& theta, const Block& rows,
                              const ThreadPool& pool, Unit unit) {
  const std::unique_ptr<const Prepared> prepared = model.prepare(theta);
  const Slices slices(rows, unit);
  std::vector<double> parts(slices.size());
  std::atomic<bool> has_components = false;
  pool.run(parts.size(), [&](std::size_t i) {
    const Block slice = slices[i];
    Explanation seen;
    prepared->explain(slice, seen);
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
