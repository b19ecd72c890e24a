// Rows that repeat become one row with their weight, unless their labels differ or nothing would be gained.
#include <thalweg/data/distinct.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace thalweg;

Block two_columns(const std::vector<double>& values) {
  return dense_block(values.data(), values.size() / 2, 2);
}

TEST(Distinct, rows_are_counted_in_the_order_of_their_first_appearance) {
  const std::vector<double> values{1, 2, 3, 4, 1, 2, 1, 2, 3, 4};
  std::optional<Table> table = distinct_rows(two_columns(values));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->values(), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(table->weights(), (std::vector<double>{3, 2}));
  EXPECT_FALSE(table->labelled());
  Block weighted = two_columns(values);
  const std::vector<double> weights{0.5, 1, 2, 4, 8};
  weighted.side.weight = weights.data();
  table = distinct_rows(weighted);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->weights(), (std::vector<double>{6.5, 9}));
}

TEST(Distinct, rows_that_hardly_repeat_stay_as_they_are) {
  const std::vector<double> values{1, 2, 3, 4, 1, 2};
  EXPECT_FALSE(distinct_rows(two_columns(values)));
}

TEST(Distinct, rows_with_different_labels_are_different) {
  const std::vector<double> values(2 * 6, 7.0);
  const double unknown = std::nan("");
  const std::vector<double> labels{0, unknown, 1, 0, unknown, unknown};
  Block block = two_columns(values);
  block.side.label = labels.data();
  const std::optional<Table> table = distinct_rows(block);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows(), 3U);
  EXPECT_EQ(table->weights(), (std::vector<double>{2, 3, 1}));
  EXPECT_EQ(table->labels()[0], 0);
  EXPECT_TRUE(std::isnan(table->labels()[1]));
  EXPECT_EQ(table->labels()[2], 1);
}

}  // namespace
