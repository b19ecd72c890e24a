// Cuts a stream of blocks into pieces of exactly `size` rows, so that results do not depend on how the source cuts.
#pragma once

#include <thalweg/data/block.hpp>
#include <thalweg/data/table.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace thalweg {

class Cutter {
 public:
  explicit Cutter(std::size_t size) : size_(size) {}

  /// Calls use(piece) for every full piece; rows that are left wait for the next block. A piece that lies inside the
  /// block is passed on without a copy.
  template <class Use>
  void feed(const Block& block, Use&& use) {
    std::size_t taken = 0;
    if (!waiting_.empty()) {
      taken = std::min(block.rows, size_ - waiting_.rows());
      waiting_.append(block.slice(0, taken));
      if (waiting_.rows() < size_) return;
      use(waiting_.block());
      waiting_.clear();
    }
    const bool plain = !block.has_more_than_weights();
    for (Block piece = block.slice(taken, size_); block.rows - taken >= size_; taken += size_) {
      use(std::as_const(piece));
      plain ? piece.advance_plain(size_) : piece.advance(size_);
    }
    if (taken < block.rows) waiting_.append(block.slice(taken, block.rows - taken));
  }

  /// The rest, shorter than a piece, if there is any.
  template <class Use>
  void flush(Use&& use) {
    if (waiting_.empty()) return;
    use(waiting_.block());
    waiting_.clear();
  }

  std::size_t size() const { return size_; }
  const Table& waiting() const { return waiting_; }
  Table& waiting() { return waiting_; }

 private:
  std::size_t size_;
  Table waiting_;
};

}  // namespace thalweg
