// What a model says of every row, slice by slice.
#include "explain.hpp"

#include <thalweg/core/border.hpp>
#include <thalweg/core/model.hpp>
#include <thalweg/data/slices.hpp>

#include <algorithm>

namespace thalweg::python {
namespace {

void keep(const Explanation& found, std::size_t rows, Wanted wanted, Explained& out) {
  out.classes = found.classes;
  out.factors = found.factors;
  out.rows += rows;
  const auto add = [](std::vector<double>& to, const std::vector<double>& from, std::size_t count) {
    to.insert(to.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
  };
  if (wanted.log_density) add(out.log_density, found.log_density, rows);
  if (wanted.posterior) add(out.posterior, found.posterior, rows * found.classes);
  if (wanted.scores) add(out.scores, found.scores, rows * found.factors);
  if (!wanted.component) return;
  for (std::size_t t = 0; t < rows; ++t) {
    const double* p = found.posterior.data() + t * found.classes;
    out.component.push_back(std::max_element(p, p + found.classes) - p);
  }
}

}  // namespace

Explained explain(const Fitted& fitted, const Parameters& theta, Source& source, Wanted wanted,
                  const ThreadPool& pool, const std::function<bool()>& stop) {
  Explained out;
  std::vector<Explanation> found;
  if (const auto length = source.rows()) {
    if (wanted.log_density) out.log_density.reserve(*length);
    if (wanted.component) out.component.reserve(*length);
  }
  const std::unique_ptr<const Prepared> prepared = fitted.model->prepare(theta);
  for (const Block& block : source) {
    if (stop && stop()) return out;
    admit(*fitted.model, fitted.schema, block);
    const Slices slices(block, fitted.plan.unit);
    if (found.size() < slices.size()) found.resize(slices.size());
    pool.run(slices.size(), [&](std::size_t i) { prepared->explain(slices[i], found[i]); });
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const Block rows = slices[i];
      for (std::size_t t = 0; t < rows.rows; ++t) {
        const double w = rows.weight(t);
        out.weight += w;
        if (w != 0) out.log_likelihood += w * found[i].log_density[t];
      }
      keep(found[i], rows.rows, wanted, out);
    }
  }
  return out;
}

}  // namespace thalweg::python
