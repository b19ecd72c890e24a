// A stack of memory for each thread, which grows and is used again.
#include <thalweg/kernels/workspace.hpp>

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
struct Memory {
  std::vector<Chunk> chunks;
  std::size_t chunk = 0;  // the one in use
  std::size_t used = 0;   // doubles of it
};

thread_local Memory memory;

}  // namespace

Workspace::Workspace(std::size_t count) : chunk_(memory.chunk), used_(memory.used) {
  count = (count + line - 1) / line * line;
  if (memory.chunk < memory.chunks.size() &&
      memory.used + count > memory.chunks[memory.chunk].capacity) {
    if (memory.used > 0) ++memory.chunk;
    memory.used = 0;
  }
  if (memory.chunk == memory.chunks.size()) memory.chunks.emplace_back();
  Chunk& chunk = memory.chunks[memory.chunk];
  if (chunk.capacity < count) {  // nobody uses it
    const std::size_t before = memory.chunk > 0 ? memory.chunks[memory.chunk - 1].capacity : 0;
    const std::size_t capacity = std::max(count, 2 * before);
    chunk.doubles.reset(
        static_cast<double*>(::operator new[](capacity * sizeof(double), std::align_val_t{64})));
    chunk.capacity = capacity;
  }
  doubles_ = chunk.doubles.get() + memory.used;
  memory.used += count;
}

Workspace::~Workspace() {
  memory.chunk = chunk_;
  memory.used = used_;
}

}  // namespace thalweg::kernels
