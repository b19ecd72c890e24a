// Rows that repeat, counted: an E-step needs each distinct row only once.
#pragma once

#include <thalweg/data/table.hpp>
#include <thalweg/export.hpp>

#include <optional>

namespace thalweg {

/// The distinct rows (equal only where their labels are) in the order of their first appearance, each with the total weight of its copies. Nothing where
/// that would not at least halve the rows.
THALWEG_API std::optional<Table> distinct_rows(const Block& rows);

}  // namespace thalweg
