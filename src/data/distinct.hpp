// Rows that repeat, counted: an E-step needs each distinct row only once.
#pragma once

#include <thalweg/data/table.hpp>
#include <thalweg/data/units.hpp>
#include <thalweg/export.hpp>

#include <optional>

namespace thalweg {

/// The distinct rows in the order of their first appearance, each with the total weight of its copies and the number of the first.
/// Rows are the same only where all that they carry is; those of a unit longer than one row are never merged. Nothing
/// where that would not at least halve the rows.
THALWEG_API std::optional<Table> distinct_rows(const Block& rows, Unit unit = Unit::row);

}  // namespace thalweg
