// A block in compute slices of fixed size, for loops and crews: slices[i] for i < slices.size(). They begin with the block's first
// row, so that neither threads nor waves move them, and no unit lies in two of them.
#pragma once

#include <thalweg/data/units.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace thalweg {

inline constexpr std::size_t slice_rows = 4096;

class Slices {
 public:
  explicit Slices(const Block& block, Unit unit = Unit::row) : block_(block) {
    if (unit == Unit::row) return;
    for (std::size_t begin = 0; begin < block.rows;) {
      begins_.push_back(begin);
      begin = next_cut(block, begin, slice_rows, unit).value_or(block.rows);
    }
    begins_.push_back(block.rows);
  }

  std::size_t size() const {
    return begins_.empty() ? (block_.rows + slice_rows - 1) / slice_rows : begins_.size() - 1;
  }
  std::size_t begin(std::size_t i) const {
    return begins_.empty() ? std::min(i * slice_rows, block_.rows) : begins_[i];
  }
  Block operator[](std::size_t i) const { return block_.slice(begin(i), begin(i + 1) - begin(i)); }

 private:
  Block block_;
  std::vector<std::size_t> begins_;  // and the end; none where every row is a unit
};

}  // namespace thalweg
