// Tables of different widths as one array.
#pragma once

#include <thalweg/catalogue/named_array.hpp>

#include <vector>

namespace thalweg {

/// Tables with as many rows each, of one name.
NamedArray side_by_side(const std::vector<NamedArray>& pieces);

}  // namespace thalweg
