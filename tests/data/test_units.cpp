// Units are not cut: pieces end where one begins, whatever block shows the rows.
#include "spy.hpp"
#include <thalweg/data/slices.hpp>
#include <thalweg/data/units.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace test_units {

using namespace thalweg;

using Cut = std::optional<std::size_t>;

TEST(Units, a_piece_takes_whole_units_as_long_as_they_fit) {
  const Table table = spy::rows({3, 1, 4, 2});
  const Block rows = table.block();
  for (const Unit unit : {Unit::sequence, Unit::group}) {
    EXPECT_EQ(next_cut(rows, 0, 3, unit), Cut(3));
    EXPECT_EQ(next_cut(rows, 0, 4, unit), Cut(4));
    EXPECT_EQ(next_cut(rows, 0, 5, unit), Cut(4));
    EXPECT_EQ(next_cut(rows, 0, 8, unit), Cut(8));
    EXPECT_EQ(next_cut(rows, 3, 2, unit), Cut(4));
    EXPECT_EQ(next_cut(rows, 0, 9, unit), Cut(8));
  }
}

TEST(Units, one_that_is_longer_than_a_piece_stays_whole) {
  const Table table = spy::rows({3, 1, 4, 2});
  EXPECT_EQ(next_cut(table.block(), 0, 1, Unit::sequence), Cut(3));
  EXPECT_EQ(next_cut(table.block(), 0, 2, Unit::sequence), Cut(3));
  EXPECT_EQ(next_cut(table.block(), 4, 3, Unit::sequence), Cut(8));
}

TEST(Units, an_end_that_was_not_seen_is_not_known) {
  const Table table = spy::rows({3, 1, 4, 2});
  const Block rows = table.block();
  EXPECT_EQ(next_cut(rows, 8, 2, Unit::sequence), std::nullopt) << "more of it may come";
  EXPECT_EQ(next_cut(rows, 8, 1, Unit::sequence), std::nullopt);
  EXPECT_EQ(next_cut(rows, 0, 10, Unit::sequence), std::nullopt);
  EXPECT_EQ(next_cut(rows.slice(0, 3), 0, 3, Unit::sequence), std::nullopt);
  EXPECT_EQ(next_cut(rows, 10, 1, Unit::sequence), std::nullopt);
  Block unmarked = rows;
  unmarked.side.unit_start = nullptr;
  EXPECT_EQ(next_cut(unmarked, 0, 2, Unit::sequence), std::nullopt) << "all is one sequence";
}

TEST(Units, rows_are_cut_anywhere) {
  const Table table = spy::rows({3, 1, 4, 2});
  EXPECT_EQ(next_cut(table.block(), 0, 2, Unit::row), Cut(2));
  EXPECT_EQ(next_cut(table.block(), 0, 10, Unit::row), Cut(10));
  EXPECT_EQ(next_cut(table.block(), 7, 3, Unit::row), Cut(10));
  EXPECT_EQ(next_cut(table.block(), 8, 3, Unit::row), std::nullopt);
}

TEST(Units, several_pieces_end_where_the_last_of_them_does) {
  const Table table = spy::rows({3, 1, 4, 2});
  EXPECT_EQ(next_cut(table.block(), 0, 2, Unit::row, 4), Cut(8));
  EXPECT_EQ(next_cut(table.block(), 0, 2, Unit::row, 6), std::nullopt);
  EXPECT_EQ(next_cut(table.block(), 0, 2, Unit::sequence, 2), Cut(4));
  EXPECT_EQ(next_cut(table.block(), 0, 2, Unit::sequence, 3), Cut(8));
  EXPECT_EQ(next_cut(table.block(), 0, 2, Unit::sequence, 4), std::nullopt);
  EXPECT_EQ(rows_in_pieces(table.block(), 2, Unit::sequence), 8U);
  EXPECT_EQ(rows_in_pieces(table.block(), 4, Unit::row), 8U);
  EXPECT_EQ(rows_in_pieces(table.block(), 12, Unit::row), 0U);
}

TEST(Units, the_next_one_after_a_number_of_rows) {
  const Table table = spy::rows({3, 1, 4, 2});
  EXPECT_EQ(unit_after(table.block(), 0, Unit::sequence), Cut(0));
  EXPECT_EQ(unit_after(table.block(), 1, Unit::sequence), Cut(3));
  EXPECT_EQ(unit_after(table.block(), 5, Unit::sequence), Cut(8));
  EXPECT_EQ(unit_after(table.block(), 9, Unit::sequence), std::nullopt);
  EXPECT_EQ(unit_after(table.block(), 10, Unit::sequence), std::nullopt) << "it may go on";
  EXPECT_EQ(unit_after(table.block(), 10, Unit::row), Cut(10));
  EXPECT_EQ(unit_after(table.block(), 11, Unit::row), std::nullopt);
}

TEST(Units, a_row_of_weight_0_is_dropped_only_where_it_stands_for_itself) {
  const Table table = spy::rows({3, 1, 4, 2});  // of weights 0, 1, 2, 0
  spy::Notes rows;
  for_rows_that_count(table.block(), Unit::row, [&rows](const Block& part) { rows.take(part); });
  EXPECT_EQ(rows.pieces, (std::vector<std::size_t>{5}));
  EXPECT_EQ(rows.rows.front().weight, 1.0);
  spy::Notes steps;
  for_rows_that_count(table.block(), Unit::sequence,
                      [&steps](const Block& part) { steps.take(part); });
  EXPECT_EQ(steps.rows, spy::rows_of(table.block()));
}

TEST(Slices, of_rows_have_a_fixed_size) {
  const std::vector<double> values(2 * slice_rows + 5, 1.0);
  const Block block = dense_block(values.data(), values.size(), 1);
  const Slices slices(block, Unit::row);
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[0].rows, slice_rows);
  EXPECT_EQ(slices[1].values, block.row(slice_rows));
  EXPECT_EQ(slices[2].first, 2 * slice_rows);
  EXPECT_EQ(slices[2].rows, 5U);
  EXPECT_EQ(Slices(block.slice(0, slice_rows), Unit::row).size(), 1U);
  EXPECT_EQ(Slices(block.slice(0, 0), Unit::row).size(), 0U);
}

TEST(Slices, never_begin_inside_a_unit) {
  const Table table = spy::rows({4000, 96, 1, 5000, 100, 200, 3996, 3});
  spy::Notes notes;
  const Slices slices(table.block(), Unit::sequence);
  for (std::size_t i = 0; i < slices.size(); ++i) notes.take(slices[i]);
  EXPECT_EQ(notes.pieces, (std::vector<std::size_t>{4096, 1, 5000, 300, 3999}));
  EXPECT_EQ(notes.cuts, 0U);
  EXPECT_EQ(notes.rows, spy::rows_of(table.block()));
  EXPECT_EQ(Slices(table.block().slice(0, 0), Unit::sequence).size(), 0U);
}

TEST(Units, one_after_the_other) {
  const Table table = spy::rows({3, 1, 4, 2});
  const Units sequences(table.block(), Unit::sequence);
  ASSERT_EQ(sequences.size(), 4U);
  EXPECT_EQ(sequences.begin(2), 4U);
  EXPECT_EQ(sequences[3].number(0), 123U);
  EXPECT_EQ(Units(table.block(), Unit::row).size(), 10U);
  const Pieces threes(table.block(), 3, Unit::row);
  ASSERT_EQ(threes.size(), 4U);
  EXPECT_EQ(threes[3].rows, 1U);
}

}  // namespace test_units
