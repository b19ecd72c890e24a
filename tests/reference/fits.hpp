// One reference fit: the first iterations and the maximum from a recorded start.
#pragma once

#include "reference.hpp"
#include "samples.hpp"
#include <thalweg/estimators/batch.hpp>

namespace fits {

using namespace thalweg;

/// Batch EM with floor 0 from `start`; compares log-likelihoods 0 … 5 with `path` (relative 1e-9), then the end with
/// `maximum` (1e-6 a row). The estimated gap must fall below 1e-11 a row: references stop at 1e-12 relative.
template <class M>
void expect_fit(const M& model, const textbook::Data& data, const textbook::Theta& start,
                const std::vector<double>& path, double maximum) {
  const Table table = samples::table(data);
  const Block rows = table.block();
  Batch batch(model, Schema::numbered(start.d()),
              {.tolerance = 1e-11, .max_iterations = 50000, .regularisation = {.floor = 0}});
  batch.begin(samples::parameters(model, start, rows));
  double last = -HUGE_VAL;
  for (std::size_t i = 0; i < path.size(); ++i) {
    ASSERT_FALSE(batch.iterate(rows));
    EXPECT_NEAR(batch.log_likelihood(), path[i], 1e-9 * std::abs(path[i])) << "iteration " << i;
    EXPECT_GT(batch.log_likelihood(), last - 1e-9);
    last = batch.log_likelihood();
  }
  batch.run(rows);
  EXPECT_TRUE(batch.converged());
  EXPECT_NEAR(batch.log_likelihood() / rows.total_weight(), maximum / rows.total_weight(), 1e-6);
}

/// The log-likelihood at the start and after five textbook iterations.
inline std::vector<double> textbook_path(textbook::Theta theta, const textbook::Data& data) {
  std::vector<double> path;
  for (int i = 0; i <= 5; ++i) {
    path.push_back(static_cast<double>(textbook::log_likelihood(theta, data)));
    if (i < 5) theta = textbook::batch_iteration(theta, data);
  }
  return path;
}

}  // namespace fits
