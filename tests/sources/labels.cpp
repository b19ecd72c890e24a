// Labels as text become components.
#include <thalweg/core/error.hpp>
#include <thalweg/sources/csv.hpp>
#include <thalweg/sources/labels.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace labels {

using namespace thalweg;

TEST(Labels, numbers_are_components) {
  Labels labels({.components = 3});
  EXPECT_EQ(labels.component("2"), 2U);
  EXPECT_EQ(labels.component("0"), 0U);
  EXPECT_TRUE(labels.names().empty());
  EXPECT_THROW(labels.component("3"), Error);
  EXPECT_THROW(labels.component("red"), Error);
}

TEST(Labels, names_take_components_in_order) {
  Labels labels({.components = 2});
  EXPECT_EQ(labels.component("red"), 0U);
  EXPECT_EQ(labels.component("7"), 1U);  // a name like any other now
  EXPECT_EQ(labels.component("red"), 0U);
  EXPECT_THROW(labels.component("blue"), Error);
  EXPECT_THROW(labels.component("blue"), Error);
  EXPECT_EQ(labels.names(), (std::vector<std::string>{"red", "7"}));
}

TEST(Labels, known_names_go_on) {
  Labels labels({.components = 3, .names = {"a", "b"}});
  EXPECT_EQ(labels.component("c"), 2U);
  EXPECT_EQ(labels.component("b"), 1U);
}

TEST(Labels, of_a_csv_column) {
  std::istringstream in("x,kind,y\n1,red,2\n3,,4\n5, blue ,6\n7,NA,8\n9,red,0\n");
  CsvSource source(in, {.label_column = "kind", .labels = {.components = 2}, .block_rows = 2});
  EXPECT_EQ(source.schema().columns, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(source.text_columns().empty());
  std::vector<double> seen;
  for (const Block& block : source)
    seen.insert(seen.end(), block.side.label, block.side.label + block.rows);
  ASSERT_EQ(seen.size(), 5U);
  EXPECT_EQ(seen[0], 0.0);
  EXPECT_TRUE(std::isnan(seen[1]));
  EXPECT_EQ(seen[2], 1.0);
  EXPECT_TRUE(std::isnan(seen[3]));
  EXPECT_EQ(seen[4], 0.0);
  EXPECT_EQ(source.label_names(), (std::vector<std::string>{"red", "blue"}));
}

}  // namespace labels
