// A program of somebody else: fits a mixture with the installed library and checks what comes out.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  std::vector<double> counts;
  for (int i = 0; i < 300; ++i) counts.push_back(i % 3 == 0 ? 9 + i % 5 : i % 4);
  const thalweg::Schema schema{{"count"}};
  thalweg::Fit fit(thalweg::poisson_mixture({.components = 2}), {});
  thalweg::MemorySource rows(schema, thalweg::dense_block(counts.data(), counts.size(), 1));
  const thalweg::FitResult result = fit.run(rows);
  const double share = result.parameters["weights"][0];
  std::printf("share %.3f, log-likelihood %.3f\n", share, *result.log_likelihood);
  const bool right = std::abs(std::min(share, 1 - share) - 1.0 / 3) < 0.02 && result.converged;
  return right ? 0 : 1;
}
