// What follows from the axes and meanings of a layout's pieces: how far parameters moved, and components in another order.
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

}  // namespace thalweg
