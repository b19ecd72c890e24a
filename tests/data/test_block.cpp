// A block is a window: slices and steps move every side column along, and own nothing.
#include <thalweg/data/block.hpp>

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace test_block {

using thalweg::Block;

struct Rows {
  std::vector<double> values, weight, label;
  std::vector<std::size_t> starts;
  std::vector<std::uint8_t> units;
  std::vector<std::uint64_t> numbers;
};

Rows ten_rows() {
  Rows rows;
  for (int t = 0; t < 10; ++t) {
    for (int j = 0; j < 3; ++j) rows.values.push_back(10 * t + j);
    rows.weight.push_back(t + 0.5);
    rows.label.push_back(t % 3);
    rows.starts.push_back(static_cast<std::size_t>(t) * 7);
    rows.units.push_back(t % 4 == 0);
    rows.numbers.push_back(static_cast<std::uint64_t>(t * t));
  }
  rows.starts.push_back(63);
  return rows;
}

Block window(const Rows& rows) {
  Block block = thalweg::dense_block(rows.values.data(), 10, 3);
  block.side = {
      .weight = rows.weight.data(), .label = rows.label.data(), .unit_start = rows.units.data()};
  block.sparse.starts = rows.starts.data();
  block.number_from(100);
  block.numbers = rows.numbers.data();
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
    EXPECT_EQ(part.sparse.starts[t], rows.starts[4 + t]);
    EXPECT_EQ(part.side.unit_start[t], rows.units[4 + t]);
    EXPECT_EQ(part.number(t), (4 + t) * (4 + t));
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
  EXPECT_EQ(part.side.unit_start, nullptr);
  EXPECT_EQ(part.number(1), 2U);
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

TEST(Block, a_stream_of_its_own_has_numbers_of_its_own) {
  const Rows rows = ten_rows();
  Block block = window(rows);
  EXPECT_TRUE(block.has_more_than_weights());
  block.number_from(7);
  EXPECT_EQ(block.number(0), 7U);
  EXPECT_EQ(block.slice(2, 3).number(1), 10U);
}

TEST(Block, knows_what_a_copy_costs) {
  const Rows rows = ten_rows();
  Block block = window(rows);
  EXPECT_EQ(thalweg::bytes_of(block), 10U * (8 + 8 + 1 + 8) + 10 * 8 + 63 * 12) << "sparse";
  block.sparse = {};
  EXPECT_EQ(thalweg::bytes_of(block), 10U * (3 * 8 + 8 + 8 + 1 + 8));
  EXPECT_EQ(thalweg::bytes_of(thalweg::dense_block(rows.values.data(), 10, 3)), 240U);
}

}  // namespace test_block
