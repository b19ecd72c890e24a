// Where units begin and where rows may be cut.
#include <thalweg/data/units.hpp>

#include <algorithm>

namespace thalweg {
namespace {

constexpr std::size_t unknown = SIZE_MAX;

/// A unit ends where the next one begins: the row after the piece has to be there.
std::size_t cut_before_a_mark(const Block& block, std::size_t begin, std::size_t most) {
  const std::size_t left = block.rows - begin;
  if (left <= most || !block.side.unit_start) return unknown;
  const std::uint8_t* marks = block.side.unit_start + begin;
  std::size_t end = most;
  while (end > 0 && marks[end] == 0) --end;
  if (end == 0) {
    end = most + 1;
    while (end < left && marks[end] == 0) ++end;
  }
  return end == left ? unknown : begin + end;
}

}  // namespace

std::optional<std::size_t> next_cut(const Block& block, std::size_t begin, std::size_t most,
                                    Unit unit, std::size_t pieces) {
  if (unit == Unit::row) {
    if (block.rows - begin < most * pieces) return std::nullopt;
    return begin + most * pieces;
  }
  for (std::size_t i = 0; i < pieces && begin != unknown; ++i)
    begin = cut_before_a_mark(block, begin, most);
  return begin == unknown ? std::nullopt : std::optional(begin);
}

std::optional<std::size_t> unit_after(const Block& block, std::size_t from, Unit unit) {
  if (from > block.rows) return std::nullopt;
  if (unit == Unit::row) return from;
  while (from < block.rows && !begins_unit(block, from, unit)) ++from;
  return from == block.rows ? std::nullopt : std::optional(from);
}

std::size_t rows_in_pieces(const Block& block, std::size_t most, Unit unit) {
  if (unit == Unit::row) return block.rows / most * most;
  std::size_t end = 0;
  while (const auto cut = next_cut(block, end, most, unit)) end = *cut;
  return end;
}

}  // namespace thalweg
