// A table owns what is appended to it, whatever shape the blocks had.
#include "spy.hpp"
#include <thalweg/data/table.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

namespace test_table {

using thalweg::Block;
using thalweg::Table;

const std::array<double, 6> six{1, 2, 3, 4, 5, 6};
const std::array<double, 3> halves{0.5, 1.5, 2.5};

TEST(Table, starts_empty_and_learns_its_width) {
  Table table;
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.rows(), 0U);
  table.append(thalweg::dense_block(six.data(), 3, 2));
  EXPECT_EQ(table.columns(), 2U);
  EXPECT_EQ(table.rows(), 3U);
  EXPECT_FALSE(table.weighted());
  EXPECT_EQ(table.bytes_a_row(), 16U);
}

TEST(Table, keeps_a_copy) {
  std::array<double, 2> row{7, 8};
  Table table(2);
  table.append_row(row.data());
  row = {0, 0};
  EXPECT_EQ(table.block().row(0)[0], 7.0);
  EXPECT_EQ(table.block().row(0)[1], 8.0);
}

TEST(Table, packs_rows_that_lie_apart) {
  Block apart = thalweg::dense_block(six.data(), 2, 2);
  apart.stride = 3;
  Table table(2);
  table.append(apart);
  EXPECT_EQ(table.values(), (std::vector<double>{1, 2, 4, 5}));
}

TEST(Table, rows_without_weight_count_once) {
  Block weighted = thalweg::dense_block(six.data(), 3, 2);
  weighted.side.weight = halves.data();
  weighted.first = 1;
  Block plain = thalweg::dense_block(six.data(), 1, 2);
  Table table(2);
  table.append(plain);
  table.append(weighted);
  plain.first = 4;
  table.append(plain);
  EXPECT_EQ(table.weights(), (std::vector<double>{1, 0.5, 1.5, 2.5, 1}));
  EXPECT_EQ(table.block().total_weight(), 6.5);
  EXPECT_EQ(table.bytes_a_row(), 24U);
}

TEST(Table, a_weight_of_one_needs_no_column) {
  Table table(2);
  table.append_row(six.data(), 1.0);
  EXPECT_FALSE(table.weighted());
  table.append_row(six.data(), 2.0);
  EXPECT_TRUE(table.weighted());
  table.append_row(six.data(), 1.0);
  EXPECT_EQ(table.weights(), (std::vector<double>{1, 2, 1}));
}

TEST(Table, forgets_rows_and_weights_but_not_its_width) {
  Block weighted = thalweg::dense_block(six.data(), 3, 2);
  weighted.side.weight = halves.data();
  Table table(2);
  table.append(weighted);
  table.clear();
  EXPECT_TRUE(table.empty());
  EXPECT_FALSE(table.weighted());
  EXPECT_EQ(table.columns(), 2U);
  EXPECT_EQ(table.block().rows, 0U);
}

TEST(Table, takes_an_empty_block) {
  Table table(2);
  table.append(thalweg::dense_block(six.data(), 0, 2));
  EXPECT_EQ(table.rows(), 0U);
}

TEST(Table, rows_without_label_are_unknown) {
  Block labelled = thalweg::dense_block(six.data(), 3, 2);
  const std::array<double, 3> labels{2, 0, 1};
  labelled.side.label = labels.data();
  labelled.first = 1;
  Block plain = thalweg::dense_block(six.data(), 1, 2);
  Table table(2);
  table.append(plain);
  EXPECT_FALSE(table.labelled());
  EXPECT_EQ(table.block().side.label, nullptr);
  table.append(labelled);
  plain.first = 4;
  table.append(plain);
  ASSERT_TRUE(table.labelled());
  EXPECT_FALSE(table.weighted());
  EXPECT_EQ(table.bytes_a_row(), 24U);
  ASSERT_EQ(table.labels().size(), 5U);
  EXPECT_TRUE(std::isnan(table.labels()[0]) && std::isnan(table.labels()[4]));
  EXPECT_EQ(table.block().side.label[1], 2);
  EXPECT_EQ(table.block().slice(2, 2).side.label[1], 1);
  table.clear();
  EXPECT_FALSE(table.labelled());
}

TEST(Table, keeps_all_that_rows_carry_however_they_come) {
  for (const spy::Form form : {spy::Form::dense, spy::Form::sparse}) {
    const Table all = spy::rows({3, 1, 4, 2}, form);
    ASSERT_EQ(all.rows(), 10U);
    const std::vector<spy::Row> expected = spy::rows_of(all.block());
    ASSERT_EQ(expected[8].number, 123U);
    ASSERT_EQ(expected[2].values.size(), form == spy::Form::dense ? 3U : 2U);
    for (std::size_t cut = 1; cut < 10; ++cut) {
      Table again;
      for (std::size_t t = 0; t < 10; t += cut)
        again.append(all.block().slice(t, std::min(cut, 10 - t)));
      EXPECT_EQ(spy::rows_of(again.block()), expected) << cut;
    }
  }
}

TEST(Table, rows_without_marks_go_on_with_the_unit) {
  Block marked = thalweg::dense_block(six.data(), 2, 2);
  const std::array<std::uint8_t, 2> marks{1, 0};
  marked.side.unit_start = marks.data();
  Table table(2);
  table.append(thalweg::dense_block(six.data(), 1, 2));
  EXPECT_EQ(table.block().side.unit_start, nullptr);
  table.append(marked);
  table.append(thalweg::dense_block(six.data(), 1, 2));
  EXPECT_EQ(table.side().unit_start, (std::vector<std::uint8_t>{0, 1, 0, 0}));
  EXPECT_EQ(table.bytes_a_row(), 17U) << "values and mark: rows without numbers follow each other";
}

TEST(Table, rows_that_nobody_has_numbered_follow_those_before) {
  Table table(2);
  for (int portion = 0; portion < 3; ++portion)
    table.append(thalweg::dense_block(six.data(), 3, 2));
  EXPECT_EQ(table.block().numbers, nullptr);
  EXPECT_EQ(table.block().number(8), 8U);
  Block other = thalweg::dense_block(six.data(), 1, 2);
  other.number_from(0);
  table.append(other);
  table.append(thalweg::dense_block(six.data(), 2, 2));
  EXPECT_EQ(table.block().number(8), 8U);
  EXPECT_EQ(table.block().number(9), 0U) << "a number that was given is kept";
  EXPECT_EQ(table.block().number(11), 2U);
}

TEST(Table, stores_numbers_only_where_they_do_not_follow_each_other) {
  Block block = thalweg::dense_block(six.data(), 3, 2);
  block.number_from(7);
  Table table(2);
  table.append(block.slice(0, 1));
  table.append(block.slice(1, 2));
  table.append_row(six.data());
  EXPECT_EQ(table.block().numbers, nullptr);
  EXPECT_EQ(table.block().number(3), 10U);
  table.append(block.slice(2, 1));
  ASSERT_NE(table.block().numbers, nullptr);
  EXPECT_EQ(table.block().number(3), 10U);
  EXPECT_EQ(table.block().number(4), 9U);
  table.append_row(six.data());
  EXPECT_EQ(table.block().number(5), 10U);
  table.clear();
  table.append(block);
  EXPECT_EQ(table.block().number(0), 7U);
}

TEST(Table, refuses_what_it_cannot_keep) {
  Table table(2);
  table.append(thalweg::dense_block(six.data(), 3, 2));
  EXPECT_THROW(table.append(thalweg::dense_block(six.data(), 2, 3)), std::invalid_argument);
  EXPECT_THROW(table.append(thalweg::dense_block(six.data(), 6, 1)), std::invalid_argument);
  Table sparse = spy::rows({2}, spy::Form::sparse);
  EXPECT_THROW(sparse.append(thalweg::dense_block(six.data(), 2, 3)), std::invalid_argument);
  Table dense = spy::rows({2});
  EXPECT_THROW(dense.append(sparse.block()), std::invalid_argument);
  sparse.clear();
  EXPECT_FALSE(sparse.sparse());
  sparse.append(dense.block());
  EXPECT_EQ(spy::rows_of(sparse.block()), spy::rows_of(dense.block()));
}

}  // namespace test_table
