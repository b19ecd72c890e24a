// The first rows of an input, kept as long as they fit.
#pragma once

#include <thalweg/data/table.hpp>

#include <cstdint>

namespace thalweg {

struct KeptRows {
  Table rows;
  bool whole = true;  // nothing had to be given up

  void add(const Block& block, std::uint64_t limit) {
    if (!whole) return;
    const std::size_t beside = (block.side.weight ? 1 : 0) + (block.side.label ? 1 : 0);
    const std::uint64_t a_row = (block.columns + beside) * sizeof(double);
    if ((rows.rows() + block.rows) * a_row > limit) {
      whole = false;
      rows = Table();
    } else {
      rows.append(block);
    }
  }
};

}  // namespace thalweg
