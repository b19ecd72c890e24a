// A block is a window: slices and steps move every side column along, and own nothing.
#include <thalweg/data/block.hpp>
#include <thalweg/data/schema.hpp>

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace {

using thalweg::Block;

struct Rows {
  std::vector<double> values, weight, label, target, offset, group;
  std::vector<std::size_t> starts;
  std::vector<std::uint8_t> sequence;
};

Rows ten_rows() {
  Rows rows;
  for (int t = 0; t < 10; ++t) {
    for (int j = 0; j < 3; ++j) rows.values.push_back(10 * t + j);
    rows.weight.push_back(t + 0.5);
    rows.label.push_back(t % 3);
    rows.target.push_back(-t);
    rows.offset.push_back(t * t);
    rows.group.push_back(t / 2);
    rows.starts.push_back(static_cast<std::size_t>(t) * 7);
    rows.sequence.push_back(t % 4 == 0);
  }
  return rows;
}

Block window(const Rows& rows) {
  Block block = thalweg::dense_block(rows.values.data(), 10, 3);
  block.side = {.weight = rows.weight.data(),
                .label = rows.label.data(),
                .target = rows.target.data(),
                .offset = rows.offset.data(),
                .group = rows.group.data()};
  block.sparse.starts = rows.starts.data();
  block.sequence_start = rows.sequence.data();
  block.first = 100;
  return block;
}

TEST(Block, a_slice_takes_every_side_column_along) {
  const Rows rows = ten_rows();
  const Block part = window(rows).slice(4, 3);
  ASSERT_EQ(part.rows, 3U);
  EXPECT_EQ(part.columns, 3U);
  EXPECT_EQ(part.first, 104U);
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_EQ(part.row(t)[j], static_cast<double>(10 * (4 + t) + j));
    EXPECT_EQ(part.weight(t), static_cast<double>(4 + t) + 0.5);
    EXPECT_EQ(part.side.label[t], rows.label[4 + t]);
    EXPECT_EQ(part.side.target[t], rows.target[4 + t]);
    EXPECT_EQ(part.side.offset[t], rows.offset[4 + t]);
    EXPECT_EQ(part.side.group[t], rows.group[4 + t]);
    EXPECT_EQ(part.sparse.starts[t], rows.starts[4 + t]);
    EXPECT_EQ(part.sequence_start[t], rows.sequence[4 + t]);
  }
}

TEST(Block, slices_of_slices_and_steps_agree) {
  const Rows rows = ten_rows();
  Block stepped = window(rows);
  stepped.advance(2);
  stepped.advance(3);
  const Block sliced = window(rows).slice(2, 8).slice(3, 5);
  EXPECT_EQ(stepped.values, sliced.values);
  EXPECT_EQ(stepped.side.weight, sliced.side.weight);
  EXPECT_EQ(stepped.first, sliced.first);
}

TEST(Block, what_is_not_there_stays_away) {
  const std::array<double, 4> values{1, 2, 3, 4};
  const Block part = thalweg::dense_block(values.data(), 4, 1).slice(1, 2);
  EXPECT_EQ(part.side.weight, nullptr);
  EXPECT_EQ(part.side.label, nullptr);
  EXPECT_EQ(part.sequence_start, nullptr);
  EXPECT_EQ(part.weight(0), 1.0);
  EXPECT_EQ(part.total_weight(), 2.0);
}

TEST(Block, weights_add_up) {
  const Rows rows = ten_rows();
  EXPECT_EQ(window(rows).total_weight(), 50.0);
  EXPECT_EQ(window(rows).slice(0, 0).total_weight(), 0.0);
}

TEST(Block, rows_may_lie_apart) {
  const std::array<double, 8> values{1, 2, -1, -1, 3, 4, -1, -1};
  Block block = thalweg::dense_block(values.data(), 2, 2);
  block.stride = 4;
  EXPECT_EQ(block.row(1)[0], 3.0);
  EXPECT_EQ(block.slice(1, 1).row(0)[1], 4.0);
}

TEST(Schema, numbers_columns_that_bring_no_names) {
  const thalweg::Schema schema = thalweg::Schema::numbered(3);
  EXPECT_EQ(schema.columns, (std::vector<std::string>{"c0", "c1", "c2"}));
  EXPECT_EQ(schema.width(), 3U);
  EXPECT_EQ(schema, thalweg::Schema::numbered(3));
  EXPECT_NE(schema, thalweg::Schema::numbered(2));
}

}  // namespace
