// Short decimals: the same double as std::from_chars gives, bit for bit, or a refusal.
#include "sources/decimal.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <charconv>
#include <random>
#include <string>

namespace thalweg {
namespace decimal {

struct Reading {
  std::size_t length = 0;  // 0: refused
  double value = 0;
};

Reading read(const std::string& text) {
  const std::string padded = text + "," + std::string(decimal_padding, '7');
  Reading reading;
  const char* const end = read_decimal(padded.data(), reading.value);
  if (end) reading.length = static_cast<std::size_t>(end - padded.data());
  return reading;
}

/// False where read_decimal refused what std::from_chars reads.
bool agrees(const std::string& text) {
  const Reading found = read(text);
  const std::string plain = text.starts_with('+') ? text.substr(1) : text;
  double expected = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), expected);
  if (found.length == 0) return false;
  EXPECT_EQ(error, std::errc{}) << text;
  EXPECT_EQ(found.length - (text.size() - plain.size()),
            static_cast<std::size_t>(end - plain.data()))
      << text;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(found.value), std::bit_cast<std::uint64_t>(expected))
      << text;
  return true;
}

TEST(Decimal, ReadsWhatCellsHold) {
  for (const char* text : {"0",
                           "-0",
                           "7",
                           "+5",
                           ".5",
                           "-.5",
                           "2.",
                           "0.5e3",
                           "1e-5",
                           "1E+3",
                           "12345678",
                           "123456789",
                           "-12.345",
                           "0.873421",
                           "0.0123457",
                           "1234567.",
                           "9007199254740993.5",
                           "0.1",
                           "1e22",
                           "9007199254740992",
                           "0.12345678901234567",
                           "-123.45678901234567",
                           "1234567890.123456789",
                           "0000000.25",
                           "5.e1",
                           "1844674407370955.161"})
    EXPECT_TRUE(agrees(text)) << text;
}

TEST(Decimal, LeavesTheRestToOthers) {
  for (const char* text : {"",
                           "-",
                           "+",
                           ".",
                           "e5",
                           "+-1",
                           "--1",
                           "x",
                           "inf",
                           "nan",
                           "NA",
                           "1e",
                           "1e+",
                           "1e-320",
                           "1e400",
                           "12345678901234567890",
                           "0.00000000000000000001",
                           "1e23",
                           "9007199254740993",
                           " 1"})
    EXPECT_EQ(read(text).length, 0U) << text;
}

TEST(Decimal, StopsWhereTheNumberEnds) {
  EXPECT_EQ(read("1.5.5").length, 3U);
  EXPECT_EQ(read("1-2").length, 1U);
  EXPECT_EQ(read("12a").length, 2U);
  EXPECT_EQ(read("1.2\xff").length, 3U);
  EXPECT_EQ(read("1\xff.2").length, 1U);
}

TEST(Decimal, AgreesWithFromCharsOnAMillionTexts) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  std::size_t read_count = 0;
  constexpr std::size_t rounds = 1'000'000;
  for (std::size_t i = 0; i < rounds; ++i) {
    std::string text = std::array{"", "", "-", "+"}[below(4)];
    if (i % 4 == 0) {  // the shortest text of any double of middling size
      std::array<char, 40> buffer{};
      const double number =
          std::bit_cast<double>(random() >> 12U | (1023 - 60 + below(120)) << 52U);
      const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
      text.append(buffer.data(), end);
    } else {
      for (std::uint64_t n = below(i % 4 == 1 ? 12 : 5); n > 0; --n)
        text += static_cast<char>('0' + below(10));
      if (below(4) > 0) {
        text += '.';
        for (std::uint64_t n = below(i % 4 == 2 ? 18 : 8); n > 0; --n)
          text += static_cast<char>('0' + below(10));
      }
      if (below(8) == 0) text += "e" + std::to_string(static_cast<int>(below(60)) - 30);
    }
    read_count += agrees(text) ? 1 : 0;
  }
  EXPECT_GT(read_count, rounds * 8 / 10) << "most short decimals are read without help";
}

TEST(Decimal, RoundsHalfwayCasesToEven) {
  // Behind 2^53 the doubles are 2 apart, so that halves of many digits lie between two of them.
  for (std::uint64_t odd = (std::uint64_t{1} << 53U) + 1; odd < (std::uint64_t{1} << 53U) + 41;
       odd += 2)
    for (const char* tail : {".0", ".5", ".49", ".51", ".001"})
      EXPECT_TRUE(agrees(std::to_string(odd) + tail)) << odd << tail;
}

}  // namespace decimal
}  // namespace thalweg
