// Whatever way a stream of units comes in, the pieces are the same, none begins inside a unit, and nothing that a row carries is lost.
#include "spy.hpp"
#include <thalweg/core/cutter.hpp>
#include <thalweg/data/slices.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace test_cutter_units {

using namespace thalweg;

/// Feeds the rows in blocks whose sizes `next` gives.
template <class Next>
spy::Notes cut(const Table& table, Cutter cutter, Next next) {
  spy::Notes notes;
  const auto use = [&notes](const Block& piece) { notes.take(piece); };
  const Block all = table.block();
  for (std::size_t done = 0; done < all.rows;) {
    const std::size_t count = std::min<std::size_t>(next(), all.rows - done);
    cutter.feed(all.slice(done, count), use);
    done += count;
  }
  cutter.flush(use);
  EXPECT_TRUE(cutter.waiting().empty());
  return notes;
}

/// By the definition: a unit joins the piece while they fit together.
std::vector<std::size_t> pieces_of(const std::vector<std::size_t>& units, std::size_t most) {
  std::vector<std::size_t> pieces;
  for (const std::size_t unit : units) {
    if (pieces.empty() || pieces.back() + unit > most) pieces.push_back(0);
    pieces.back() += unit;
  }
  return pieces;
}

std::vector<std::size_t> some_units(std::size_t rows, std::size_t longest, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> units;
  for (std::size_t left = rows; left > 0; left -= units.back())
    units.push_back(std::min<std::size_t>(left, 1 + random() % longest));
  return units;
}

TEST(CutterUnits, any_cut_gives_the_same_whole_units) {
  std::mt19937_64 random(1);
  for (const spy::Form form : {spy::Form::dense, spy::Form::sparse})
    for (const std::size_t longest : {1U, 2U, 5U, 30U}) {
      const std::vector<std::size_t> units = some_units(100, longest, 7);
      const Table table = spy::rows(units, form);
      for (const std::size_t size : {1U, 2U, 3U, 7U, 10U, 99U, 100U, 101U}) {
        const spy::Notes whole =
            cut(table, Cutter(size, Unit::sequence), [] { return std::size_t{1000}; });
        EXPECT_EQ(whole.pieces, pieces_of(units, size)) << size << ", " << longest;
        EXPECT_EQ(whole.cuts, 0U);
        EXPECT_EQ(whole.rows, spy::rows_of(table.block()));
        for (const std::size_t block : {1U, 2U, 5U, 7U, 33U, 100U})
          EXPECT_EQ(whole, cut(table, Cutter(size, Unit::sequence), [block] { return block; }))
              << size << ", " << block;
        for (int i = 0; i < 20; ++i)  // blocks of any size, empty ones among them
          EXPECT_EQ(whole,
                    cut(table, Cutter(size, Unit::sequence), [&random] { return random() % 23; }))
              << size;
      }
    }
}

TEST(CutterUnits, rows_lose_nothing_either) {
  const Table table = spy::rows(some_units(100, 5, 3));
  for (const std::size_t size : {1U, 3U, 7U, 101U})
    for (const std::size_t block : {1U, 2U, 5U, 100U}) {
      const spy::Notes notes = cut(table, Cutter(size, Unit::row), [block] { return block; });
      EXPECT_EQ(notes.rows, spy::rows_of(table.block()));
      for (std::size_t i = 0; i + 1 < notes.pieces.size(); ++i) EXPECT_EQ(notes.pieces[i], size);
    }
}

TEST(CutterUnits, pieces_that_go_together_end_where_single_ones_do) {
  std::mt19937_64 random(2);
  for (const std::size_t longest : {1U, 4U, 30U}) {
    const std::vector<std::size_t> units = some_units(200, longest, 5);
    const Table table = spy::rows(units);
    const std::vector<std::size_t> single = pieces_of(units, 8);
    std::vector<std::size_t> three;
    for (std::size_t i = 0; i < single.size(); ++i)
      i % 3 == 0 ? three.push_back(single[i]) : void(three.back() += single[i]);
    for (int i = 0; i < 30; ++i) {
      const spy::Notes notes =
          cut(table, Cutter(8, Unit::group, 3), [&random] { return random() % 40; });
      EXPECT_EQ(notes.pieces, three) << longest;
      EXPECT_EQ(notes.rows, spy::rows_of(table.block()));
    }
  }
}

TEST(CutterUnits, a_piece_inside_a_block_is_not_copied) {
  const Table table = spy::rows({2, 2, 3, 1, 4});
  const Block all = table.block();
  std::vector<const double*> seen;
  Cutter cutter(4, Unit::sequence);
  const auto use = [&seen](const Block& piece) { seen.push_back(piece.values); };
  cutter.feed(all.slice(0, 1), use);
  cutter.feed(all.slice(1, all.rows - 1), use);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_NE(seen[0], all.row(0));
  EXPECT_EQ(seen[1], all.row(4));
  EXPECT_EQ(cutter.waiting().rows(), 4U);
}

TEST(CutterUnits, rows_without_marks_are_one_sequence) {
  const std::vector<double> values(50, 1.0);
  const Block all = dense_block(values.data(), 50, 1);
  Cutter cutter(4, Unit::sequence);
  const auto none = [](const Block&) { FAIL() << "the sequence has not ended"; };
  for (std::size_t t = 0; t < 50; t += 5) cutter.feed(all.slice(t, 5), none);
  std::size_t rows = 0;
  cutter.flush([&rows](const Block& piece) { rows += piece.rows; });
  EXPECT_EQ(rows, 50U);
}

}  // namespace test_cutter_units
