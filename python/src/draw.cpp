#include "draw.hpp"

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
  const auto weights = fitted.parameters["weights"];
  for (std::size_t k = 0; k < counts->size(); ++k) {
    std::fill(weights.begin(), weights.end(), 0.0);
    weights[k] = 1;
    draw(t + (*counts)[k]);
  }
  return values;
}

}  // namespace thalweg::python
