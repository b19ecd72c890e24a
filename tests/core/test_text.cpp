// Numbers and text: all of the text or nothing, bit for bit, in any locale.
#include "core/text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <cmath>
#include <limits>
#include <random>

namespace test_text {

using thalweg::to_count;
using thalweg::to_number;
using thalweg::to_text;

TEST(Text, reads_numbers) {
  EXPECT_EQ(to_number("0"), 0.0);
  EXPECT_EQ(to_number("+1.5"), 1.5);
  EXPECT_EQ(to_number("-1.5e3"), -1500.0);
  EXPECT_EQ(to_number("1E5"), 1e5);
  EXPECT_EQ(to_number(".5"), 0.5);
  EXPECT_EQ(to_number("5."), 5.0);
  EXPECT_EQ(to_number("00012"), 12.0);
  EXPECT_EQ(to_number("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(to_number("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::signbit(*to_number("-0")));
}

TEST(Text, refuses_everything_else) {
  for (const char* text : {"",   " ",   "+",     "-",  "+-1", "-+1",   "++1",    "--1",  " 1",
                           "1 ", "1,5", "1_000", "1e", "1e+", "e5",    ".",      "0x10", "1.2.3",
                           "1;", "one", "1\n",   "1f", "$1",  "1e400", "-1e400", "inf.", "NA"})
    EXPECT_EQ(to_number(text), std::nullopt) << '"' << text << '"';
  EXPECT_EQ(to_number(std::string_view("1\0", 2)), std::nullopt);
}

TEST(Text, reads_counts) {
  EXPECT_EQ(to_count("0"), 0U);
  EXPECT_EQ(to_count("+7"), 7U);
  EXPECT_EQ(to_count("18446744073709551615"), ~std::uint64_t{0});
  for (const char* text :
       {"", "-1", "-0", "+-1", "1.0", "1e3", "18446744073709551616", "0x1", " 1", "1 ", "+"})
    EXPECT_EQ(to_count(text), std::nullopt) << '"' << text << '"';
}

TEST(Text, what_is_written_reads_back_bit_for_bit) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const auto x = std::bit_cast<double>(random());
    if (!std::isfinite(x)) continue;
    const auto back = to_number(to_text(x));
    ASSERT_TRUE(back) << to_text(x);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*back), std::bit_cast<std::uint64_t>(x)) << to_text(x);
  }
  for (const double x : {0.0, -0.0, 0.1, 1.0 / 3, 5e-324, 2.2250738585072014e-308, 1e22, 1e23})
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*to_number(to_text(x))), std::bit_cast<std::uint64_t>(x))
        << x;
}

TEST(Text, is_as_short_as_it_can_be) {
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(100), "100");
  EXPECT_EQ(to_text(-1e-7), "-1e-07");
}

TEST(Text, is_deaf_to_the_locale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"}) std::setlocale(LC_ALL, name);
  EXPECT_EQ(to_number("1.5"), 1.5);
  EXPECT_EQ(to_text(1.5), "1.5");
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace test_text
