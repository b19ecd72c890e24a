// Cuts a stream of blocks into pieces of `size` rows, so that results do not depend on how the source cuts. Where units are longer
// than a row, a piece takes as many whole units as fit, or one that is longer.
#pragma once

#include <thalweg/data/block.hpp>
#include <thalweg/data/table.hpp>
#include <thalweg/data/units.hpp>
#include <thalweg/export.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

namespace thalweg {

class THALWEG_API Cutter {
 public:
  /// use() is given `together` pieces at a time, in one block.
  Cutter(std::size_t size, Unit unit, std::size_t together = 1)
      : size_(size * together), unit_(unit), most_(size), together_(together) {}

  /// Calls use(piece) for every full piece; rows that are left wait for the next block. A piece that lies inside the
  /// block is passed on without a copy.
  template <class Use>
  void feed(const Block& block, Use&& use) {
    if (unit_ != Unit::row) [[unlikely]]
      return feed_units(block, std::ref(use));
    std::size_t taken = 0;
    if (!waiting_.empty()) {
      taken = std::min(block.rows, size_ - waiting_.rows());
      waiting_.append(block.slice(0, taken));
      if (waiting_.rows() < size_) return;
      use(waiting_.block());
      waiting_.clear();
    }
    // Sizes of its own, which no piece that is used can be taken to change: textbook mode comes here with every row.
    const std::size_t size = size_;
    const std::size_t rows = block.rows;
    Block piece = block.slice(taken, size);
    if (block.has_more_than_weights()) {
      for (; rows - taken >= size; taken += size, piece.advance(size)) use(std::as_const(piece));
    } else {
      for (; rows - taken >= size; taken += size, piece.advance_plain(size))
        use(std::as_const(piece));
    }
    if (taken < block.rows) waiting_.append(block.slice(taken, block.rows - taken));
  }

  /// The rest, shorter than a piece, if there is any.
  template <class Use>
  void flush(Use&& use) {
    if (unit_ != Unit::row) [[unlikely]]
      flush_units(std::ref(use));
    if (waiting_.empty()) return;
    use(waiting_.block());
    waiting_.clear();
  }

  std::size_t size() const { return size_; }
  Unit unit() const { return unit_; }
  const Table& waiting() const { return waiting_; }
  Table& waiting() { return waiting_; }

 private:
  // Out of line and by one indirect call: the loop over single rows stays small.
  using UsePiece = std::function<void(const Block&)>;
  void feed_units(const Block& block, const UsePiece& use);
  void flush_units(const UsePiece& use);

  std::optional<std::size_t> next_end(const Block& rows) const {
    return next_cut(rows, 0, most_, unit_, together_);
  }
  std::size_t rows_to_join(const Block& block, std::size_t taken) const;
  bool join(const Block& rows);
  std::size_t give_back(std::size_t end, std::size_t joined);

  std::size_t size_;
  Unit unit_;
  std::size_t most_;
  std::size_t together_;
  Table waiting_;
};

}  // namespace thalweg
