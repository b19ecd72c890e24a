// Counter-based streams: the published words of Philox, and streams that do not know each other.
#include <thalweg/core/random.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace test_random {

using thalweg::Random;

std::uint64_t join(std::uint64_t high, std::uint64_t low) { return high << 32U | low; }

// Known-answer test of Random123 for philox4x32-10 with key and counter zero.
TEST(Random, gives_the_published_words) {
  Random random(0, 0, 0);
  EXPECT_EQ(random(), join(0x6627e8d5U, 0xe169c58dU));
  EXPECT_EQ(random(), join(0xbc57ac4cU, 0x9b00dbd8U));
}

// The second answer of the list has all bits set; counters of the stream begin at draw 0, so only the first three words can be.
TEST(Random, key_and_counter_use_all_their_bits) {
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  std::set<std::uint64_t> first;
  for (const std::uint64_t seed :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32U, ones})
    for (const std::uint64_t row :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32U, ones})
      for (const std::uint32_t visit : {0U, 1U, 0xffffffffU})
        first.insert(Random(seed, row, visit)());
  EXPECT_EQ(first.size(), 4U * 4U * 3U);
}

TEST(Random, streams_do_not_overlap) {
  std::set<std::uint64_t> words;
  std::size_t drawn = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    for (std::uint64_t row = 0; row < 5; ++row)
      for (std::uint32_t visit = 0; visit < 5; ++visit) {
        Random random(seed, row, visit);
        for (int i = 0; i < 100; ++i, ++drawn) words.insert(random());
      }
  EXPECT_EQ(words.size(), drawn);  // 12,500 words of 64 bits: one repetition has probability 4e-12
}

TEST(Random, a_stream_repeats_itself_and_a_copy_goes_on) {
  Random one(5, 6, 7);
  Random other(5, 6, 7);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(one(), other());
  Random copy = one;
  for (int i = 0; i < 7; ++i) EXPECT_EQ(one(), copy());
}

// Bounds of five standard deviations.
TEST(Random, uniforms_are_uniform) {
  constexpr int n = 200000;
  std::array<int, 20> cells{};
  double sum = 0;
  double lagged = 0;
  double last = 0.5;
  Random random(11);
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    lagged += (u - 0.5) * (last - 0.5);
    last = u;
    ++cells[static_cast<std::size_t>(u * 20)];
  }
  EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(lagged / n, 0.0, 5 / (12 * std::sqrt(n)));
  double chi_square = 0;
  for (const int count : cells) chi_square += (count - n / 20.0) * (count - n / 20.0) / (n / 20.0);
  EXPECT_LT(chi_square, 19 + 5 * std::sqrt(2.0 * 19));
}

// The same across streams: what rows 0, 1, 2, … draw first.
TEST(Random, first_draws_of_neighbouring_rows_are_uniform) {
  constexpr std::uint64_t n = 100000;
  double sum = 0;
  double lagged = 0;
  double last = 0.5;
  for (std::uint64_t row = 0; row < n; ++row) {
    const double u = Random(3, row).uniform();
    sum += u;
    lagged += (u - 0.5) * (last - 0.5);
    last = u;
  }
  EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(lagged / n, 0.0, 5 / (12 * std::sqrt(n)));
}

TEST(Random, index_covers_its_range_evenly) {
  std::vector<int> counts(7);
  Random random(4);
  for (int i = 0; i < 70000; ++i) ++counts.at(random.index(7));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 5 * std::sqrt(10000.0 * 6 / 7));
  EXPECT_EQ(random.index(1), 0U);
}

TEST(Random, goes_to_any_place_of_its_stream) {
  std::vector<std::uint64_t> values;
  Random whole(3, 4, 5);
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(whole.drawn(), values.size());
    values.push_back(whole());
  }
  Random other(3, 4, 5);
  for (const std::size_t place : {8U, 0U, 3U, 4U, 7U}) {
    other.go_to(place);
    EXPECT_EQ(other.drawn(), place);
    EXPECT_EQ(other(), values[place]);
  }
}

}  // namespace test_random
