// Which character separates the fields of a text table, as its first lines tell.
#pragma once

#include <optional>
#include <string_view>

namespace thalweg {

/// Comma, tab, semicolon or bar: the one that stands equally often in the first two lines that are not blank; a comma when in
/// doubt. Nothing where more of the text is needed; `whole` says that there is no more.
std::optional<char> detect_delimiter(std::string_view text, bool whole);

}  // namespace thalweg
