// One cell of a text table: what it holds, and how a message shows it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace thalweg {

/// How far to look for a column's first cell. One row is enough for a table without holes; the bytes bound memory.
inline constexpr std::size_t sample_rows = 1024;
inline constexpr std::size_t sample_bytes = 1U << 23U;

struct Cell {
  enum class Kind {
    number,
    missing,
    out_of_range,  // a number, but not one that a double can hold: inf, 1e400
    text,
  };
  Kind kind;
  double value;  // NaN unless a number
};

Cell read_cell(std::string_view text);

/// Nothing, NA or NaN, without spaces around.
bool is_missing(std::string_view text);

/// A point in place of its comma would make the text a number.
bool has_decimal_comma(std::string_view text);

std::string_view without_spaces_around(std::string_view text);

/// On one line and not too long, whatever is in it.
std::string printable(std::string_view text);
std::string in_quotes(std::string_view text);

}  // namespace thalweg
