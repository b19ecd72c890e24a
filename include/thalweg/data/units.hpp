// The unit of independence: what may never be cut unless something is carried over the cut. Whoever takes rows apart (mini-batches,
// slices, kept rows, splits) asks `next_cut`.
#pragma once

#include <thalweg/data/block.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace thalweg {

/// The rows of a sequence follow each other in time, those of a group share a latent variable in any order.
enum class Unit : std::uint8_t { row, sequence, group };

/// Whether row t begins a unit. Rows without marks all belong to one unit: that of the rows before them.
inline bool begins_unit(const Block& block, std::size_t t, Unit unit) {
  return unit == Unit::row || (block.side.unit_start && block.side.unit_start[t] != 0);
}

/// Where the piece ends that begins at row `begin`: it takes whole units as long as there are at most `most` rows (≥ 1), and is the
/// first unit where that alone is longer. Nothing where the block ends before that can be known: then the rows wait
/// for the next block, or it was the last one and they are the last piece. With `pieces`: where so many of them end.
THALWEG_API std::optional<std::size_t> next_cut(const Block& block, std::size_t begin,
                                                std::size_t most, Unit unit,
                                                std::size_t pieces = 1);

/// The first place at or after row `from` where a unit ends or begins; nothing where the block ends before.
THALWEG_API std::optional<std::size_t> unit_after(const Block& block, std::size_t from, Unit unit);

/// Rows of all whole pieces at the front of the block.
THALWEG_API std::size_t rows_in_pieces(const Block& block, std::size_t most, Unit unit);

/// use(part) for every run of rows that count: a row of weight 0 is as if it were not there. Inside a longer unit it is: a time
/// step, or a member of its group.
template <class Use>
void for_rows_that_count(const Block& block, Unit unit, Use&& use) {
  if (!block.side.weight || unit != Unit::row) return use(block);
  for (std::size_t begin = 0; begin < block.rows;) {
    std::size_t end = begin;
    while (end < block.rows && block.side.weight[end] != 0) ++end;
    if (end > begin) use(block.slice(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace thalweg
