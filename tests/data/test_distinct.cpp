// Rows that repeat are counted; a row with another label is another row.

#include "data/distinct.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace test_distinct {

using namespace thalweg;

TEST(Distinct, adds_the_weights_of_copies) {
  const std::vector<double> values{1, 2, 1, 1, 2, 1};
  const auto table = distinct_rows(dense_block(values.data(), 6, 1));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->values(), (std::vector<double>{1, 2}));
  EXPECT_EQ(table->weights(), (std::vector<double>{4, 2}));
  EXPECT_FALSE(table->labelled());
}

TEST(Distinct, labels_keep_rows_apart) {
  const std::vector<double> values(8, 1.0);
  const std::vector<double> labels{0, 1, NAN, 0, -NAN, 1, 0, NAN};
  Block rows = dense_block(values.data(), 8, 1);
  rows.side.label = labels.data();
  const auto table = distinct_rows(rows);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->weights(), (std::vector<double>{3, 2, 3}));
  EXPECT_EQ(table->labels()[0], 0.0);
  EXPECT_EQ(table->labels()[1], 1.0);
  EXPECT_TRUE(std::isnan(table->labels()[2]));
}

TEST(Distinct, gives_up_where_few_repeat) {
  const std::vector<double> values{1, 2, 3, 1};
  EXPECT_FALSE(distinct_rows(dense_block(values.data(), 4, 1)));
}

/// The row over and over, with marks where units begin.
struct Marked {
  std::vector<double> values;
  std::vector<std::uint8_t> marks;
  Block block() const {
    Block rows = dense_block(values.data(), values.size(), 1);
    rows.side.unit_start = marks.data();
    return rows;
  }
};

TEST(Distinct, rows_of_a_longer_unit_are_never_merged) {
  const Marked rows{.values = std::vector<double>(10, 4.0),
                    .marks = {1, 1, 1, 1, 0, 1, 1, 1, 1, 1}};
  const auto table = distinct_rows(rows.block(), Unit::sequence);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->weights(), (std::vector<double>{8, 1, 1}));
  EXPECT_EQ(table->side().unit_start, (std::vector<std::uint8_t>{1, 1, 0}));
  EXPECT_EQ(table->block().number(2), 4U);
  const auto as_rows = distinct_rows(rows.block());
  ASSERT_TRUE(as_rows);
  EXPECT_EQ(as_rows->weights(), (std::vector<double>{10}));
  EXPECT_EQ(as_rows->block().side.unit_start, nullptr);
}

TEST(Distinct, one_long_sequence_stays_as_it_is) {
  const Marked rows{.values = std::vector<double>(6, 4.0), .marks = {1, 0, 0, 0, 0, 0}};
  EXPECT_FALSE(distinct_rows(rows.block(), Unit::sequence));
  const Block unmarked = dense_block(rows.values.data(), 6, 1);
  EXPECT_FALSE(distinct_rows(unmarked, Unit::group)) << "all rows are one unit";
}

TEST(Distinct, entries_of_sparse_rows_keep_rows_apart) {
  // Rows {0: 1}, {1: 1}, {}, {0: 1}, {}, {}, {0: 1}, {1: 1}.
  const std::vector<std::size_t> starts{0, 1, 2, 2, 3, 3, 3, 4, 5};
  const std::vector<std::uint32_t> columns{0, 1, 0, 0, 1};
  const std::vector<double> ones(5, 1.0);
  Block rows{.rows = 8, .columns = 2};
  rows.sparse = {.starts = starts.data(), .columns = columns.data(), .values = ones.data()};
  const auto table = distinct_rows(rows);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->weights(), (std::vector<double>{3, 2, 3}));
  EXPECT_TRUE(table->sparse());
}

TEST(Distinct, a_row_keeps_the_number_of_its_first_copy) {
  const std::vector<double> values{1, 1, 2, 1, 2, 2};
  Block rows = dense_block(values.data(), 6, 1);
  rows.number_from(50);
  const auto table = distinct_rows(rows);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->block().number(0), 50U);
  EXPECT_EQ(table->block().number(1), 52U);
}

}  // namespace test_distinct
