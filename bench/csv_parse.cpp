// Reads a text table, and nothing else.
//
//   csv_parse FILE THREADS     for every line on stdin one pass over the file: {"seconds" on the clock, "processor", "rows", "sum"}
#include "mixture_case.hpp"
#include <thalweg/sources/csv.hpp>

#include <cstdio>
#include <cstdlib>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("usage: csv_parse FILE THREADS\n", stderr), 2;
  for (std::string line; std::getline(std::cin, line);) {
    const bench::Stopwatch watch;
    std::uint64_t rows = 0;
    double sum = 0;
    for (const thalweg::Block& block :
         thalweg::csv(argv[1], {.threads = static_cast<std::size_t>(std::atoi(argv[2]))})) {
      rows += block.rows;
      sum += block.row(block.rows - 1)[0];
    }
    std::printf("{\"seconds\": %.6f, \"processor\": %.6f, \"rows\": %llu, \"sum\": %.17g}\n",
                watch.wall(), watch.processor(), static_cast<unsigned long long>(rows), sum);
    std::fflush(stdout);
  }
}
