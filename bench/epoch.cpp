// What an epoch of variance-reduced EM costs in E-steps, for cheap rows and dear ones.
//
//   epoch poisson|gaussian     for every line on stdin one E-step and one epoch over the same rows: {"step", "epoch"} in processor time
#include "mixture_case.hpp"
#include <thalweg/estimators/variance_reduced.hpp>
#include <thalweg/sources/simulated.hpp>

#include <cstdio>
#include <iostream>

namespace {

using namespace thalweg;

struct Case {
  std::shared_ptr<const Model> model;
  Schema schema;
  Parameters theta;
};

Case poisson() {
  Case made{poisson_mixture({.components = 2}), Schema::numbered(1), {}};
  made.theta = Parameters(made.model->plan(made.schema).parameters);
  const std::vector<double> values = {0.8, 0.2, 1, 3};
  std::ranges::copy(values, made.theta.data());
  return made;
}

Case gaussian() {
  constexpr std::size_t K = 8;
  constexpr std::size_t d = 8;
  Case made{gaussian_mixture({.components = K}), Schema::numbered(d), {}};
  made.theta = Parameters(made.model->plan(made.schema).parameters);
  for (std::size_t k = 0; k < K; ++k) {
    made.theta["weights"][k] = 1.0 / K;
    made.theta["means"][k * d + k] = 3;
    for (std::size_t j = 0; j < d; ++j) made.theta["covariances"][(k * d + j) * d + j] = 1;
  }
  calibrate(*made.model, dense_block(nullptr, 0, d), made.theta);
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: epoch poisson|gaussian\n", stderr), 2;
  const Case made = std::string_view(argv[1]) == "poisson" ? poisson() : gaussian();
  const std::size_t n = 400'000;
  SimulatedSource source(made.model, made.schema, made.theta,
                         {.rows = n, .seed = 1, .block_rows = n});
  Block rows;
  source.next(rows);
  const Plan plan = made.model->plan(made.schema);
  VarianceReduced reduced(made.model, made.schema, {.tolerance = 0});
  reduced.begin(made.theta);
  for (std::string line; std::getline(std::cin, line);) {
    const bench::Stopwatch step;
    const double log_likelihood = expect_all(*made.model, made.theta, plan, rows).log_likelihood();
    const double step_time = step.processor();
    const bench::Stopwatch epoch;
    reduced.iterate(rows);
    std::printf("{\"seconds\": %.6f, \"step\": %.6f, \"log_likelihood\": %.17g}\n",
                epoch.processor(), step_time, log_likelihood);
    std::fflush(stdout);
  }
}
