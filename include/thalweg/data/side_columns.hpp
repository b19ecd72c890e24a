// What may stand beside the data of a row. This is the only list of it: whatever copies, moves, saves or compares rows goes through
// `for_side_columns`, so that a column added here is kept everywhere.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace thalweg {

template <template <class> class Column>
struct Beside {
  Column<double> weight{};  // how many times the row counts
  Column<double> label{};   // known component, NaN where unknown
  Column<std::uint8_t>
      unit_start{};  // 1 where a unit (a sequence, a group) begins, 0 where it goes on
};

/// use(weight...), use(label...), …: the columns of the same kind of one or several rows, blocks or tables.
template <class Use, class... Sides>
constexpr void for_side_columns(const Use& use, Sides&&... sides) {
  use(sides.weight...);
  use(sides.label...);
  use(sides.unit_start...);
}

template <class Value>
using PointerTo = const Value*;
template <class Value>
using OneOf = Value;
template <class Value>
using VectorOf = std::vector<Value>;

/// One entry a row; a null pointer means "not there".
using SideColumns = Beside<PointerTo>;
using OwnedSideColumns = Beside<VectorOf>;

/// What it means for a row that a column is not there: it counts once, is of unknown component, and goes on with what was before.
inline constexpr Beside<OneOf> absent_side = {
    .weight = 1, .label = std::numeric_limits<double>::quiet_NaN(), .unit_start = 0};

}  // namespace thalweg
