// Short decimals to doubles, digits eight at a time: exact, or a refusal that leaves the text to std::from_chars.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace thalweg {

/// Bytes behind a text that read_decimal may look at (and ignores).
inline constexpr std::size_t decimal_padding = 16;

namespace decimal {

// 10^22 is the last power of ten that is a double, 10^19 the last that fits 64 bits.
inline constexpr std::array<double, 23> powers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr int last_whole = 19;
inline constexpr std::array<std::uint64_t, last_whole + 1> whole_powers = [] {
  std::array<std::uint64_t, last_whole + 1> result{1};
  for (std::size_t i = 1; i < result.size(); ++i) result[i] = 10 * result[i - 1];
  return result;
}();

/// The first byte is the lowest, whatever the machine.
inline std::uint64_t load(const char* text) {
  std::uint64_t word = 0;
  std::memcpy(&word, text, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

/// Marks every byte that is no digit by some bits of it; exact up to the first byte from 0xfa on, and that is marked.
inline std::uint64_t no_digits(std::uint64_t word) {
  // A digit is 0x30 … 0x39: its high half is 3, and stays 3 when 6 is added.
  return ((word & 0xf0f0f0f0f0f0f0f0U) ^ 0x3030303030303030U) |
         (((word + 0x0606060606060606U) & 0xf0f0f0f0f0f0f0f0U) ^ 0x3030303030303030U);
}

inline unsigned first_marked(std::uint64_t marks) {
  return marks == 0 ? 8U : static_cast<unsigned>(std::countr_zero(marks)) / 8U;
}

/// The number that eight digits write: pairs, then fours, then all, each by one multiplication.
inline std::uint64_t eight_digits(std::uint64_t word) {
  word &= 0x0f0f0f0f0f0f0f0fU;
  word = (word * 10 + (word >> 8U)) & 0x00ff00ff00ff00ffU;
  word = (word * 100 + (word >> 16U)) & 0x0000ffff0000ffffU;
  return (word * 10000 + (word >> 32U)) & 0xffffffffU;
}

/// Takes the digits at `text` into `number`; more than 19 in all make it worthless, so the caller counts.
inline const char* take_digits(const char* text, std::uint64_t& number) {
  for (;;) {
    const std::uint64_t word = load(text);
    const unsigned count = first_marked(no_digits(word));
    if (count == 0) return text;
    // Moved up, the digits have zeros before them.
    number = number * whole_powers[count] + eight_digits(word << (64U - 8U * count));
    text += count;
    if (count < 8) return text;
  }
}

/// A number of at most eight bytes, with a point or without, as most cells are, by a single look: number / 10^places.
/// Null when it is another.
inline const char* take_short(const char* text, std::uint64_t& number, std::size_t& places) {
  const std::uint64_t word = load(text);
  const std::uint64_t marks = no_digits(word);
  if (marks == 0 || (word & 0x8080808080808080U) != 0) return nullptr;
  const unsigned first = first_marked(marks);
  if (text[first] != '.') {
    if (first == 0) return nullptr;
    number = eight_digits(word << (8U * (8U - first)));
    places = 0;
    return text + first;
  }
  // The mark of a point is a single bit, 0x10: without it the next one is the first, and what lies below it is whole.
  const unsigned end = first_marked(marks & (marks - 1));
  const std::uint64_t below = ((marks & (~marks + 1)) >> 4U) - 1;
  if (end == 1 || (end == 8 && text[8] >= '0' && text[8] <= '9')) return nullptr;
  // The point is taken out, and zeros come before the digits.
  const std::uint64_t digits = (word & below) | (word >> 8U & ~below);
  number = eight_digits(digits << (8U * (9U - end)));
  places = end - first - 1;
  return text + end;
}

inline double with_sign(double size, bool negative) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) |
                               static_cast<std::uint64_t>(negative) << 63U);
}

/// number / 10^places to nearest, where the number is no double: a quotient of 62 bits or more and a last one for the rest.
inline double quotient(std::uint64_t number, int places) {
  const std::uint64_t divisor = whole_powers[static_cast<std::size_t>(places)];
  const int number_shift = std::countl_zero(number);
  const int divisor_shift = std::countl_zero(divisor);
  const unsigned __int128 dividend = static_cast<unsigned __int128>(number << number_shift) << 62U;
  const std::uint64_t by = divisor << divisor_shift;
  const auto found = static_cast<std::uint64_t>(dividend / by);  // 2^61 < found < 2^63
  const bool inexact = found * by != static_cast<std::uint64_t>(dividend);
  const auto rounded = static_cast<double>(static_cast<std::int64_t>(found | (inexact ? 1U : 0U)));
  const int exponent = divisor_shift - number_shift - 62;
  return rounded * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

/// Behind the sign, any number of digits.
inline const char* read_long(const char* text, bool negative, double& value) {
  std::uint64_t number = 0;
  std::ptrdiff_t exponent = 0;
  const char* const begin = text;
  text = take_digits(text, number);
  auto digits = text - begin;
  if (*text == '.') {
    const char* const point = text;
    text = take_digits(text + 1, number);
    exponent = point + 1 - text;
    digits -= exponent;
  }
  if (digits == 0 || digits > 19) return nullptr;
  if (*text == 'e' || *text == 'E') {
    ++text;
    const bool down = *text == '-';
    text += static_cast<int>(down) | static_cast<int>(*text == '+');
    std::uint64_t power = 0;
    const char* const end = take_digits(text, power);
    if (end == text || end - text > 4) return nullptr;
    exponent += down ? -static_cast<std::ptrdiff_t>(power) : static_cast<std::ptrdiff_t>(power);
    text = end;
  }
  // Both factors are doubles without error, so that one operation rounds once (Clinger 1990).
  double size = 0;
  if (number <= std::uint64_t{1} << 53U) {
    size = static_cast<double>(static_cast<std::int64_t>(number));
    if (exponent < 0) {
      if (exponent < -22) return nullptr;
      size /= powers[static_cast<std::size_t>(-exponent)];
    } else if (exponent > 0) {
      if (exponent > 22) return nullptr;
      size *= powers[static_cast<std::size_t>(exponent)];
    }
  } else {
    if (exponent >= 0 || exponent < -last_whole) return nullptr;
    size = quotient(number, static_cast<int>(-exponent));
  }
  value = with_sign(size, negative);
  return text;
}

}  // namespace decimal

/// Reads sign, digits, point, digits, exponent. Returns where the number ends, or null when it is none or cannot be told
/// exactly in a few steps: more than 19 digits, a far exponent, words. The text must go on for `decimal_padding` bytes,
/// with one among them that no number holds.
inline const char* read_decimal(const char* text, double& value) {
  static_assert(std::numeric_limits<double>::is_iec559);
  const bool negative = *text == '-';
  text += static_cast<int>(negative) | static_cast<int>(*text == '+');
  std::uint64_t number = 0;
  std::size_t places = 0;
  const char* const end = decimal::take_short(text, number, places);
  if (end && *end != 'e' && *end != 'E') {
    value = decimal::with_sign(
        static_cast<double>(static_cast<std::int64_t>(number)) / decimal::powers[places], negative);
    return end;
  }
  return decimal::read_long(text, negative, value);
}

}  // namespace thalweg
