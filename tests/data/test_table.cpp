// A table owns what is appended to it, whatever shape the blocks had.
#include <thalweg/data/table.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace {

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
  const Block plain = thalweg::dense_block(six.data(), 1, 2);
  Table table(2);
  table.append(plain);
  table.append(weighted);
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
  const Block plain = thalweg::dense_block(six.data(), 1, 2);
  Table table(2);
  table.append(plain);
  EXPECT_FALSE(table.labelled());
  EXPECT_EQ(table.block().side.label, nullptr);
  table.append(labelled);
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

}  // namespace
