// Rows that are picked from a block one by one, with all that they carry.
#pragma once

#include <thalweg/data/block.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thalweg {

class THALWEG_API PickedRows {
 public:
  /// Dense rows, in the order of their places; the block shows them until the next call. The first row of `from` begins a unit, marked or
  /// not: behind another one it has to be.
  Block pick(const Block& from, std::span<const std::size_t> places);

 private:
  std::vector<double> values_;  // places × columns
  OwnedSideColumns side_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace thalweg
