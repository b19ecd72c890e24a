// EM iterations of a Gaussian mixture from memory.
//
//   mixture_pass DIR COVARIANCE D K THREADS [ROWS]
//     reads what draw_mixture.py wrote, then makes one iteration (E-step, statistics, M-step) for every line on stdin and
//     answers {"seconds", "wall", "log_likelihood"}: whoever asks can interleave us with a peer
#include "mixture_case.hpp"
#include <thalweg/core/capabilities.hpp>
#include <thalweg/estimators/expectation.hpp>

#include <cstdio>
#include <iostream>

namespace {

using namespace thalweg;

void serve(const bench::MixtureCase& mixture, std::size_t threads, std::size_t at_most) {
  const std::vector<double> rows = mixture.rows("rows", at_most);
  const Block block = mixture.block(rows);
  const auto model = mixture.model();
  const Plan plan = model->plan(mixture.schema());
  Parameters theta = mixture.parameters("truth");
  calibrate(*model, block.slice(0, std::min<std::size_t>(block.rows, 1000)), theta);
  const ThreadPool pool = threads > 1 ? ThreadPool(threads) : ThreadPool();

  for (std::string line; std::getline(std::cin, line);) {
    const bench::Stopwatch watch;
    const auto expectation = expect_all(*model, theta, plan, block, pool);
    maximise(*model, mean(expectation.sums()), {.rows = expectation.weight(), .floor = 0}, theta);
    std::printf("{\"seconds\": %.6f, \"wall\": %.6f, \"log_likelihood\": %.17g}\n",
                watch.processor(), watch.wall(), expectation.log_likelihood());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6 && argc != 7)
    return std::fputs("usage: mixture_pass DIR COVARIANCE D K THREADS [ROWS]\n", stderr), 2;
  serve(bench::MixtureCase(argv + 1), bench::number(argv[5]),
        argc == 7 ? bench::number(argv[6]) : ~std::size_t{0});
}
