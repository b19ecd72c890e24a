// Online EM in portions of 10,000 rows from memory, beside which the Python call is measured.
//
//   online_portion DIR COVARIANCE D K     for every line on stdin a call for each portion of 200,000 rows: {"seconds" on the clock}
#include "mixture_case.hpp"
#include <thalweg/estimators/online.hpp>

#include <cstdio>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 5) return std::fputs("usage: online_portion DIR COVARIANCE D K\n", stderr), 2;
  constexpr std::size_t portion = 10'000;
  const bench::MixtureCase mixture(argv + 1);
  const std::vector<double> values = mixture.rows("rows", 20 * portion);
  const thalweg::Block rows = mixture.block(values);
  thalweg::Regularisation regularisation;
  regularisation.floor = 0;
  thalweg::Online online(mixture.model(), mixture.schema(), {.regularisation = regularisation});
  online.begin(mixture.parameters("truth"));
  for (std::string line; std::getline(std::cin, line);) {
    const bench::Stopwatch watch;
    for (std::size_t begin = 0; begin < rows.rows; begin += portion)
      online.learn(rows.slice(begin, std::min(portion, rows.rows - begin)));
    std::printf("{\"seconds\": %.6f}\n", watch.wall());
    std::fflush(stdout);
  }
}
