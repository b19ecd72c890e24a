#include <thalweg/kernels/scratch.hpp>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

namespace thalweg::kernels {
namespace {

constexpr std::size_t line = 8;  // doubles of 64 bytes

struct Release {
  void operator()(double* doubles) const { ::operator delete[](doubles, std::align_val_t{64}); }
};

struct Chunk {
  std::unique_ptr<double, Release> doubles;
  std::size_t capacity = 0;
};

/// Chunks are used one behind the other; each is at least twice as large as the one before, so that there are few.
struct Paper {
  std::vector<Chunk> chunks;
  std::size_t chunk = 0;  // the one in use
  std::size_t used = 0;   // doubles of it
};

thread_local Paper paper;

}  // namespace

Scratch::Scratch(std::size_t count) : chunk_(paper.chunk), used_(paper.used) {
  count = (count + line - 1) / line * line;
  if (paper.chunk < paper.chunks.size() &&
      paper.used + count > paper.chunks[paper.chunk].capacity) {
    if (paper.used > 0) ++paper.chunk;
    paper.used = 0;
  }
  if (paper.chunk == paper.chunks.size()) paper.chunks.emplace_back();
  Chunk& chunk = paper.chunks[paper.chunk];
  if (chunk.capacity < count) {  // nobody uses it
    const std::size_t before = paper.chunk > 0 ? paper.chunks[paper.chunk - 1].capacity : 0;
    const std::size_t capacity = std::max(count, 2 * before);
    chunk.doubles.reset(
        static_cast<double*>(::operator new[](capacity * sizeof(double), std::align_val_t{64})));
    chunk.capacity = capacity;
  }
  doubles_ = chunk.doubles.get() + paper.used;
  paper.used += count;
}

Scratch::~Scratch() {
  paper.chunk = chunk_;
  paper.used = used_;
}

}  // namespace thalweg::kernels
