// Probabilistic PCA of rows in memory, by one online pass, several, or the closed form.
//
//   ppca_pass DIR D R online|exact PASSES
//     reads what draw_factors.py wrote, then fits once for every line on stdin and answers {"seconds", "held_out"}: processor
//     time of the fit alone, and the mean log-likelihood of the held-out rows
#include "mixture_case.hpp"
#include <thalweg/catalogue/factors.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/sources/memory.hpp>

#include <cstdio>
#include <iostream>

namespace {

using namespace thalweg;

void serve(const std::string& folder, std::size_t d, std::size_t r, const FitOptions& options) {
  const std::vector<double> rows = bench::doubles(folder + "/rows");
  const std::vector<double> held_out = bench::doubles(folder + "/held_out");
  const Block others = dense_block(held_out.data(), held_out.size() / d, d);
  const Schema schema = Schema::numbered(d);
  const auto model = ppca({.rank = r});
  const Plan plan = model->plan(schema);
  for (std::string line; std::getline(std::cin, line);) {
    MemorySource source(schema, dense_block(rows.data(), rows.size() / d, d), 4096);
    const bench::Stopwatch watch;
    const FitResult result = Fit(model, options).run(source);
    const double seconds = watch.processor();
    const auto e = expect_all(*model, result.parameters, plan, others);
    std::printf("{\"seconds\": %.6f, \"held_out\": %.17g}\n", seconds,
                e.log_likelihood() / e.weight());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return std::fputs("usage: ppca_pass DIR D R online|exact PASSES\n", stderr), 2;
  FitOptions options{.method = parse_method(argv[4]), .passes = bench::number(argv[5])};
  options.batch.tolerance = 1e-300;  // never content before the last pass
  serve(argv[1], bench::number(argv[2]), bench::number(argv[3]), options);
}
