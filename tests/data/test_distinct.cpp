// Rows that repeat are counted; a row with another label is another row.
#include <thalweg/data/distinct.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

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

}  // namespace
