// A pass over an .npy file of 8-byte floats beside a plain sum over the same numbers in memory: npy_pass FILE; a line of input asks for a
// round, which is answered by seconds of both.
#include <thalweg/sources/table_source.hpp>

#include <chrono>
#include <cstdio>
#include <vector>

namespace {

/// Eight sums at a time: as fast as memory.
double sum(const double* values, std::size_t count) {
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (std::size_t j = 0; j < 8; ++j) sums[j] += values[i + j];
  for (; i < count; ++i) sums[0] += values[i];
  double total = 0;
  for (const double part : sums) total += part;
  return total;
}

template <class Work>
double seconds(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: npy_pass FILE\n", stderr), 2;
  const auto source = thalweg::open_table({argv[1]});
  std::vector<double> kept;
  for (const thalweg::Block& block : *source)
    kept.insert(kept.end(), block.values, block.values + block.rows * block.columns);
  double by_blocks = 0;
  double plain = 0;
  for (char line[8]; std::fgets(line, sizeof line, stdin);) {
    source->rewind();
    const double read = seconds([&] {
      by_blocks = 0;
      for (const thalweg::Block& block : *source)
        by_blocks += sum(block.values, block.rows * block.columns);
    });
    const double memory = seconds([&] { plain = sum(kept.data(), kept.size()); });
    std::printf("{\"seconds\": %.9f, \"memory\": %.9f, \"bytes\": %zu, \"same\": %s}\n", read,
                memory, kept.size() * sizeof(double),
                plain - by_blocks < 1e-6 * plain ? "true" : "false");
    std::fflush(stdout);
  }
}
