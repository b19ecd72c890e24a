// What follows from the axes and meanings of a layout's pieces: how far parameters moved, components in another order, some of the
// columns.
#pragma once

#include <thalweg/core/statistic.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <vector>

namespace thalweg {

/// How far theta moved, in units in which 1 is large: see Meaning. The largest over all entries of pieces that are not constant.
THALWEG_API double change(const Parameters& before, const Parameters& after);

/// New component i is the old one order[i], along every axis of components of every piece.
THALWEG_API void relabel(const std::vector<std::size_t>& order, Named& vector);

/// Column j is the old one columns[j], along every axis of columns and among distributions that stand side by side for columns.
THALWEG_API void pick_columns(const Named& from, const std::vector<std::size_t>& columns,
                              Named& into);

/// How probable each component is where a unit begins: the weights of a mixture, the start of a chain. Null where there are none.
THALWEG_API const Piece* component_probabilities(const Layout& layout);

/// The same where they are shares of all rows, too: null where components follow each other.
THALWEG_API const Piece* row_shares(const Layout& layout);

/// The piece whose distributions stand side by side for columns; null where there is none.
THALWEG_API const Piece* level_tables(const Layout& layout);

}  // namespace thalweg
