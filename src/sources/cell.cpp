// Tells numbers, missing cells and words apart, and makes any text fit for a message.
#include "cell.hpp"

#include "core/text.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>

namespace thalweg {
namespace {

bool is_word(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != lower[i] && text[i] != lower[i] - 'a' + 'A') return false;
  return true;
}

/// to_number says nothing of why it refused.
bool overflows(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return error == std::errc::result_out_of_range && end == text.data() + text.size();
}

}  // namespace

Cell read_cell(std::string_view text) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  text = without_spaces_around(text);
  const auto number = to_number(text);
  if (number && std::isfinite(*number)) return {Cell::Kind::number, *number};
  if (is_missing(text)) return {Cell::Kind::missing, nan};
  if (number ? std::isinf(*number) : overflows(text)) return {Cell::Kind::out_of_range, nan};
  return {Cell::Kind::text, nan};
}

bool is_missing(std::string_view text) {
  return text.empty() || is_word(text, "na") || is_word(text, "nan");
}

bool has_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return false;
  std::string with_point(text);
  with_point[comma] = '.';
  return read_cell(with_point).kind == Cell::Kind::number;
}

std::string_view without_spaces_around(std::string_view text) {
  constexpr std::string_view spaces = " \t";
  const std::size_t begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else {
      result += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  if (text.size() <= longest) return '"' + printable(text) + '"';
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;  // UTF-8 tail
  return '"' + printable(text.substr(0, end)) + "…\"";
}

}  // namespace thalweg
