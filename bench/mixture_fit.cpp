// One online pass over rows in memory, from raced starts or from a start that a peer made, and what it is worth on other rows.
//
//   mixture_fit DIR COVARIANCE D K SEED [START]
//     prints {"seconds", "wall", "held_out"}: the fit alone, and the mean log-likelihood of the held-out rows. START names
//     parameters in DIR
#include "mixture_case.hpp"
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/sources/memory.hpp>

#include <cstdio>

namespace {

using namespace thalweg;

double mean_log_likelihood(const Model& model, const Schema& schema, const Parameters& theta,
                           const Block& rows) {
  const Plan plan = model.plan(schema);
  return expect_all(model, theta, plan, rows).log_likelihood() / real(rows.rows);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6 && argc != 7)
    return std::fputs("usage: mixture_fit DIR COVARIANCE D K SEED [START]\n", stderr), 2;
  const bench::MixtureCase mixture(argv + 1);
  const auto model = mixture.model();
  const std::vector<double> rows = mixture.rows("rows");
  const std::vector<double> held_out = mixture.rows("held_out");
  MemorySource source(mixture.schema(), mixture.block(rows), 4096);
  Fit fit(model, {.method = Method::online, .online = {.seed = bench::number(argv[5])}});
  if (argc == 7) fit.begin(mixture.parameters(argv[6]));

  const bench::Stopwatch watch;
  const FitResult result = fit.run(source);
  const double seconds = watch.processor();
  const double wall = watch.wall();
  std::printf(
      "{\"seconds\": %.6f, \"wall\": %.6f, \"held_out\": %.17g}\n", seconds, wall,
      mean_log_likelihood(*model, mixture.schema(), result.parameters, mixture.block(held_out)));
}
