// The first rows of an input, kept as long as they fit.
#pragma once

#include <thalweg/data/table.hpp>

#include <cstdint>

namespace thalweg {

struct KeptRows {
  Table rows;
  bool whole = true;  // nothing had to be given up

  bool fits(const Block& block, std::uint64_t limit) const {
    return bytes_of(rows.block()) + bytes_of(block) <= limit;
  }

  void add(const Block& block, std::uint64_t limit) {
    if (!whole) return;
    if (!fits(block, limit)) {
      whole = false;
      rows = Table();
    } else {
      rows.append(block);
    }
  }
};

}  // namespace thalweg
