// The textbook recursion on a Gaussian mixture: one row a step, and an M-step after each.
//
//   textbook_gaussian DIR COVARIANCE D K ROWS
//     starts from the truth and its statistic over the first half of what draw_mixture.py wrote, then learns the next ROWS
//     rows for every line on stdin, round and round in the second half, and answers {"seconds"} of processor time
#include "mixture_case.hpp"
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/recursion.hpp>

#include <cstdio>
#include <iostream>

namespace {

using namespace thalweg;

void serve(const bench::MixtureCase& mixture, std::size_t count) {
  const std::vector<double> rows = mixture.rows("rows");
  const Block block = mixture.block(rows);
  const Block first = block.slice(0, block.rows / 2);
  const Block second = block.slice(first.rows, block.rows - first.rows);
  if (second.rows < count) throw Error("there are too few rows");

  const auto model = mixture.model();
  Parameters theta = mixture.parameters("truth");
  calibrate(*model, first, theta);
  Recursion recursion(model, mixture.schema(), {.average = {.kind = Averaging::Kind::off}});
  const auto expectation = expect_all(*model, theta, recursion.plan(), first);
  recursion.begin(std::move(theta), mean(expectation.sums()), first.rows);

  std::size_t next = 0;
  for (std::string line; std::getline(std::cin, line);) {
    if (next + count > second.rows) next = 0;
    const bench::Stopwatch watch;
    recursion.learn(second.slice(next, count));
    std::printf("{\"seconds\": %.6f}\n", watch.processor());
    std::fflush(stdout);
    next += count;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return std::fputs("usage: textbook_gaussian DIR COVARIANCE D K ROWS\n", stderr), 2;
  serve(bench::MixtureCase(argv + 1), bench::number(argv[5]));
}
