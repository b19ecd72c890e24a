// The two products of an E-step alone, as they run inside a pass: tile after tile of the same shape, from cache.
//
//   products D K     makes scores and statistics of some thousand tiles for every line on stdin and answers {"seconds", "flops"}
#include <thalweg/kernels/tile.hpp>
#include <thalweg/kernels/workspace.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  using namespace thalweg::kernels;
  if (argc != 3) return std::fputs("usage: products D K\n", stderr), 2;
  const std::size_t D = std::strtoul(argv[1], nullptr, 10);
  const std::size_t K = std::strtoul(argv[2], nullptr, 10);
  constexpr std::size_t tiles = 4000;

  std::vector<double> psi(D * K, 0.01);
  std::vector<double> sums(D * K);
  const Workspace workspace((D + K) * tile_stride);
  double* features = workspace.data();  // aligned as a mixture's are
  double* scores = features + D * tile_stride;
  for (std::size_t i = 0; i < D * tile_stride; ++i)
    features[i] = 0.1 * static_cast<double>(i % 7) - 0.3;

  for (std::string line; std::getline(std::cin, line);) {
    const std::clock_t begin = std::clock();
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      tile_scores(psi.data(), D, K, features, tile_rows, scores);
      tile_accumulate(features, scores, D, K, tile_rows, sums.data());
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const double flops = 2.0 * 2.0 * static_cast<double>(tiles * tile_rows * D * K);
    std::printf("{\"seconds\": %.6f, \"flops\": %.0f, \"sum\": %g}\n", seconds, flops, sums[0]);
    std::fflush(stdout);
  }
}
