// A block in pieces, for loops and pools: pieces[i] for i < pieces.size(). They begin with the block's first row, so that neither
// threads nor waves move them, and no unit lies in two of them.
#pragma once

#include <thalweg/data/units.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace thalweg {

class Pieces {
 public:
  Pieces(const Block& block, std::size_t most, Unit unit) : block_(block), most_(most) {
    if (unit == Unit::row) return;
    for (std::size_t begin = 0; begin < block.rows;) {
      begins_.push_back(begin);
      begin = next_cut(block, begin, most, unit).value_or(block.rows);
    }
    begins_.push_back(block.rows);
  }

  std::size_t size() const {
    return begins_.empty() ? (block_.rows + most_ - 1) / most_ : begins_.size() - 1;
  }
  /// The first row of piece i; the last row's successor for i = size().
  std::size_t begin(std::size_t i) const {
    return begins_.empty() ? std::min(i * most_, block_.rows) : begins_[i];
  }
  Block operator[](std::size_t i) const { return block_.slice(begin(i), begin(i + 1) - begin(i)); }

 private:
  Block block_;
  std::size_t most_;
  std::vector<std::size_t> begins_;  // and the end; none where every row is a unit
};

inline constexpr std::size_t slice_rows = 4096;

/// What one thread computes at a time.
class Slices : public Pieces {
 public:
  explicit Slices(const Block& block, Unit unit) : Pieces(block, slice_rows, unit) {}
};

/// The units themselves, one after the other: what is shuffled, sampled or held out as a whole.
class Units : public Pieces {
 public:
  Units(const Block& block, Unit unit) : Pieces(block, 1, unit) {}
};

}  // namespace thalweg
