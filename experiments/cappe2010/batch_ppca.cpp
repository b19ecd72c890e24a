// Figure 1: batch EM against iterations, for 2,000 and 20,000 rows, and the limiting recursion that both follow.
#include "one_factor.hpp"

namespace cappe2010 {

void batch_ppca(const Study& study) {
  constexpr std::size_t iterations = 30;
  const OneFactor factor;
  const std::size_t R = study.replications(1000);
  Boxes boxes;
  for (const std::size_t n : {2'000U, 20'000U}) {
    std::vector<std::vector<double>> norms(iterations, std::vector<double>(R));
    study.replicate(R, [&](std::size_t r) {
      const Table rows = factor.draw(n, 1'000'000 + n + r);
      const Block block = rows.block();
      Batch batch(
          factor.model, factor.schema,
          {.tolerance = 0, .max_iterations = iterations, .regularisation = factor.regularisation});
      batch.begin(factor.start);
      for (std::size_t k = 0; k < iterations; ++k) {
        batch.iterate(block);
        norms[k][r] = OneFactor::squared_norm(batch.parameters());
      }
    });
    for (std::size_t k = 0; k < iterations; ++k)
      boxes.add(std::to_string(n), static_cast<double>(k + 1), norms[k]);
  }
  boxes.write(study.path("batch_ppca"));

  Curves limit;
  MemorySource law(factor.schema, factor.law());
  LimitingMap map(factor.model, law, factor.regularisation);
  Parameters theta = factor.start;
  for (std::size_t k = 0; k <= iterations; ++k) {
    limit.add("limit", "squared norm", static_cast<double>(k), OneFactor::squared_norm(theta));
    theta = map(theta);
  }
  limit.write(study.path("batch_ppca_limit"));
}

}  // namespace cappe2010
