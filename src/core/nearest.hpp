// "Did you mean …": the known name that is closest to a mistyped one.
#pragma once

#include <thalweg/export.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// The known name with the fewest insertions, deletions, replacements and swaps of neighbours (Damerau 1964), the case
/// of letters ignored; the beginning of a name counts as one edit. Nothing when more than a third would have to change.
THALWEG_API std::optional<std::string> nearest_name(std::string_view wanted,
                                                    const std::vector<std::string>& known);

}  // namespace thalweg
