// Cuts a stream of blocks into pieces of `size` rows, so that results do not depend on how the source cuts. Where units are longer
// than a row, a piece takes as many whole units as fit, or one that is longer.
#pragma once

#include <thalweg/data/block.hpp>
#include <thalweg/data/table.hpp>
#include <thalweg/data/units.hpp>
#include <thalweg/export.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace thalweg {

class THALWEG_API Cutter {
 public:
  /// use() is given `together` pieces at a time, in one block.
  explicit Cutter(std::size_t size, Unit unit = Unit::row, std::size_t together = 1)
      : size_(size * together), unit_(unit), most_(size), together_(together) {}

  /// Calls use(piece) for every full piece; rows that are left wait for the next block. A piece that lies inside the
  /// block is passed on without a copy.
  template <class Use>
  void feed(const Block& block, Use&& use) {
    if (unit_ != Unit::row) return feed_units(block, use);
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
    if (unit_ != Unit::row) flush_whole(use);
    if (waiting_.empty()) return;
    use(waiting_.block());
    waiting_.clear();
  }

  std::size_t size() const { return size_; }
  Unit unit() const { return unit_; }
  const Table& waiting() const { return waiting_; }
  Table& waiting() { return waiting_; }

 private:
  template <class Use>
  void feed_units(const Block& block, const Use& use) {
    std::size_t taken = 0;
    while (!waiting_.empty() && taken < block.rows) {
      const std::size_t count = rows_to_join(block, taken);
      const bool may_end = join(block.slice(taken, count));
      taken += count;
      const auto end = may_end ? next_end(waiting_.block()) : std::nullopt;
      if (!end) continue;
      use(waiting_.block().slice(0, *end));
      taken -= give_back(*end, count);
    }
    while (taken < block.rows) {
      const Block left = block.slice(taken, block.rows - taken);
      const auto end = next_end(left);
      if (!end) return waiting_.append(left);
      use(left.slice(0, *end));
      taken += *end;
    }
  }

  /// Pieces that could have gone on before, but that only a search of all waiting rows would have found.
  template <class Use>
  void flush_whole(const Use& use) {
    while (const auto end = next_end(waiting_.block())) {
      use(waiting_.block().slice(0, *end));
      give_back(*end, 0);
    }
  }

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
