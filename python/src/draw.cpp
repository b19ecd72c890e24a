// Rows drawn from a model, as many as wanted or so many of each component.
#include "draw.hpp"

#include "core/change.hpp"
#include <thalweg/core/error.hpp>

#include <algorithm>

namespace thalweg::python {

std::vector<double> draw_rows(Fitted fitted, std::size_t rows, std::uint64_t seed,
                              const std::optional<std::vector<std::size_t>>& counts,
                              const std::function<bool()>& stop) {
  const std::size_t width = fitted.schema.width();
  const Block none = dense_block(nullptr, 0, width);
  std::vector<double> values(rows * width);
  std::size_t t = 0;
  Carry carry;
  const auto draw = [&](std::size_t until) {
    for (; t < until; ++t) {
      if (t % 1024 == 0 && stop()) return;
      Random random(seed, t);
      fitted.model->draw(fitted.parameters, none, carry, random, values.data() + t * width);
    }
  };
  if (!counts) {
    draw(rows);
    return values;
  }
  const Piece* const shares = row_shares(*fitted.plan.parameters);
  if (!shares) throw UsageError("rows of each component cannot be drawn: this is no mixture");
  const auto weights = fitted.parameters[shares->name];
  for (std::size_t k = 0; k < counts->size(); ++k) {
    std::fill(weights.begin(), weights.end(), 0.0);
    weights[k] = 1;
    draw(t + (*counts)[k]);
  }
  return values;
}

}  // namespace thalweg::python
