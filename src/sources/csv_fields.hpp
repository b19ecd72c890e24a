// The fields of a row as they stand in the text, without a copy: numbers read, the others passed over.
#pragma once

#include "cell.hpp"
#include "decimal.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

namespace thalweg {

/// Works on a text with line ends behind its end, as CsvChunk has them. Every function takes where a field begins and
/// returns where it ends, at a delimiter or a line end; null when the field asks for more care.
class CsvFields {
 public:
  CsvFields(char delimiter, const char* end)
      : delimiter_(delimiter), pattern_(repeated(delimiter)), end_(end) {}

  const char* number(const char* at, double& value) const {
    const char* digits = at;
    if (*digits == ' ' && delimiter_ != ' ')
      while (*digits == ' ') ++digits;
    const char* const end = read_decimal(digits, value);
    if (end && ends_field(*end)) return end;
    return word(at, value);
  }

  const char* skip(const char* at, std::uint64_t& lines) const {
    return *at == '"' ? skip_quoted(at, lines) : field_end(at);
  }

 private:
  static constexpr std::uint64_t repeated(char c) {
    return 0x0101010101010101U * static_cast<unsigned char>(c);
  }

  bool ends_field(char c) const { return c == delimiter_ || c == '\n' || c == '\r'; }

  /// Marks the lowest byte that is zero (and perhaps some above it).
  static std::uint64_t zeros(std::uint64_t word) {
    return (word - 0x0101010101010101U) & ~word & 0x8080808080808080U;
  }

  const char* field_end(const char* at) const {
    for (;; at += 8) {
      const std::uint64_t text = decimal::load(at);
      const std::uint64_t found =
          zeros(text ^ pattern_) | zeros(text ^ repeated('\n')) | zeros(text ^ repeated('\r'));
      if (found != 0) return at + std::countr_zero(found) / 8;
    }
  }

  const char* skip_quoted(const char* at, std::uint64_t& lines) const {
    for (++at;; at += 2) {
      const auto left = static_cast<std::size_t>(end_ - at);
      const auto* const quote =
          at < end_ ? static_cast<const char*>(std::memchr(at, '"', left)) : nullptr;
      if (!quote) return nullptr;
      lines += static_cast<std::uint64_t>(std::count(at, quote, '\n'));
      at = quote;
      if (quote[1] != '"') break;
    }
    return ends_field(at[1]) ? at + 1 : nullptr;
  }

  /// What read_decimal left over: missing, long or quoted numbers.
  const char* word(const char* at, double& value) const {
    if (ends_field(*at)) {
      value = std::numeric_limits<double>::quiet_NaN();
      return at;
    }
    const char* end = nullptr;
    std::string_view text;
    if (*at == '"') {
      std::uint64_t lines = 0;
      end = skip_quoted(at, lines);
      if (!end || lines > 0) return nullptr;
      text = {at + 1, static_cast<std::size_t>(end - at - 2)};
    } else {
      end = field_end(at);
      text = {at, static_cast<std::size_t>(end - at)};
    }
    const Cell cell = read_cell(text);
    value = cell.value;
    return cell.kind == Cell::Kind::number || cell.kind == Cell::Kind::missing ? end : nullptr;
  }

  char delimiter_;
  std::uint64_t pattern_;
  const char* end_;
};

}  // namespace thalweg
