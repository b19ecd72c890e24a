// Orders of kept rows: permutations, draws with replacement, the same in every cut and when resumed.
#include "reading.hpp"
#include <thalweg/sources/reordered.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace thalweg {
namespace reordered {

constexpr std::size_t N = 1000;

/// Row t is (t, 2t) with weight t + 1.
Table numbered_rows(std::size_t rows = N) {
  Table table(2);
  for (std::size_t t = 0; t < rows; ++t) {
    const auto x = static_cast<double>(t);
    const double row[] = {x, 2 * x};
    table.append_row(row, x + 1);
  }
  return table;
}

ReorderedSource source_of(ReorderedOptions options, std::size_t rows = N) {
  return {Schema{{"a", "b"}}, numbered_rows(rows), options};
}

std::vector<std::size_t> order_of(Source& source) {
  std::vector<std::size_t> order;
  for (const auto& row : read_all(source)) {
    EXPECT_EQ(row[1], 2 * row[0]);
    EXPECT_EQ(row[2], row[0] + 1) << "weights travel with their rows";
    order.push_back(static_cast<std::size_t>(row[0]));
  }
  return order;
}

bool is_permutation_of_all(std::vector<std::size_t> order) {
  std::sort(order.begin(), order.end());
  for (std::size_t t = 0; t < order.size(); ++t)
    if (order[t] != t) return false;
  return order.size() == N;
}

TEST(Order, ReadsItsNames) {
  for (const Order order : {Order::sequential, Order::shuffled, Order::random})
    EXPECT_EQ(parse_order(order_name(order)), order);
  EXPECT_THROW(parse_order("Random"), UsageError);
  EXPECT_EQ(error_of([] { parse_order("rnd"); }),
            "order \"rnd\" is unknown, expected sequential, shuffled or random");
}

TEST(ReorderedSource, SequentialKeepsTheOrderOnEveryPass) {
  auto source = source_of({.order = Order::sequential, .block_rows = 7});
  const auto first = order_of(source);
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  EXPECT_TRUE(is_permutation_of_all(first));
  ASSERT_TRUE(source.rewind());
  EXPECT_EQ(order_of(source), first);
}

TEST(ReorderedSource, ShuffledIsAFreshPermutationEachPass) {
  auto source = source_of({.order = Order::shuffled, .seed = 3});
  const auto first = order_of(source);
  ASSERT_TRUE(source.rewind());
  const auto second = order_of(source);
  EXPECT_TRUE(is_permutation_of_all(first));
  EXPECT_TRUE(is_permutation_of_all(second));
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
  EXPECT_NE(first, second);
}

TEST(ReorderedSource, RandomDrawsWithReplacement) {
  auto source = source_of({.order = Order::random, .seed = 3});
  auto first = order_of(source);
  ASSERT_TRUE(source.rewind());
  EXPECT_NE(order_of(source), first);
  EXPECT_EQ(first.size(), N);
  std::sort(first.begin(), first.end());
  const auto distinct = std::unique(first.begin(), first.end()) - first.begin();
  // N (1 - 1/e) = 632 rows are expected to be there, with a standard deviation of 9.9.
  EXPECT_NEAR(static_cast<double>(distinct), 632, 50);
}

TEST(ReorderedSource, EveryPermutationOfThreeIsAsLikely) {
  auto source = source_of({.order = Order::shuffled, .seed = 1}, 3);
  std::map<std::vector<std::size_t>, int> counts;
  constexpr int passes = 6000;
  for (int pass = 0; pass < passes; ++pass, source.rewind()) ++counts[order_of(source)];
  ASSERT_EQ(counts.size(), 6U);
  double chi_square = 0;
  for (const auto& [order, count] : counts) chi_square += std::pow(count - 1000, 2) / 1000;
  EXPECT_LT(chi_square, 20.5);  // 5 degrees of freedom, 0.1 %
}

class EveryOrder : public testing::TestWithParam<Order> {};

TEST_P(EveryOrder, DoesNotDependOnTheCut) {
  auto whole = source_of({.order = GetParam(), .seed = 5, .block_rows = 8192});
  const auto expected = order_of(whole);
  for (const std::size_t block_rows : {1U, 2U, 7U, 999U}) {
    auto source = source_of({.order = GetParam(), .seed = 5, .block_rows = block_rows});
    EXPECT_EQ(order_of(source), expected);
  }
}

TEST_P(EveryOrder, DependsOnSeedAndPassAlone) {
  auto source = source_of({.order = GetParam(), .seed = 5});
  for (int i = 0; i < 3; ++i) source.rewind();
  EXPECT_EQ(source.pass(), 3U);
  const auto expected = order_of(source);

  auto resumed = source_of({.order = GetParam(), .seed = 5, .pass = 3});
  EXPECT_EQ(order_of(resumed), expected);
  source.set_pass(0);
  source.set_pass(3);
  EXPECT_EQ(order_of(source), expected);
  auto other = source_of({.order = GetParam(), .seed = 6, .pass = 3});
  EXPECT_EQ(order_of(other) == expected, GetParam() == Order::sequential);
}

TEST_P(EveryOrder, KnowsLengthShareAndPlace) {
  auto source = source_of({.order = GetParam(), .seed = 5, .block_rows = 250});
  EXPECT_EQ(source.rows(), N);
  EXPECT_EQ(source.share_read(), 0.0);
  Block block;
  ASSERT_TRUE(source.next(block));
  ASSERT_TRUE(source.next(block));
  EXPECT_EQ(source.share_read(), 0.5);
  EXPECT_EQ(block.first, 250U);
  for (std::size_t t = 0; t < block.rows; ++t)
    EXPECT_EQ(source.where(block.first + t),
              "row " + std::to_string(static_cast<std::size_t>(block.row(t)[0]) + 1));
}

TEST_P(EveryOrder, CarriesAllSideColumns) {
  const std::array<double, 4> values = {0, 1, 2, 3};
  Block rows = dense_block(values.data(), 4, 1);
  rows.side = {.weight = values.data(), .label = values.data()};
  ReorderedSource source(Schema{{"a"}}, rows, {.order = GetParam(), .block_rows = 3});
  for (const Block& block : source) {
    for (std::size_t t = 0; t < block.rows; ++t) {
      const double x = block.row(t)[0];
      EXPECT_EQ(block.side.weight[t], x);
      EXPECT_EQ(block.side.label[t], x);
    }
  }
}

TEST_P(EveryOrder, EmptyGivesNothing) {
  auto source = source_of({.order = GetParam()}, 0);
  Block block;
  EXPECT_FALSE(source.next(block));
  EXPECT_TRUE(source.rewind());
  EXPECT_FALSE(source.next(block));
}

INSTANTIATE_TEST_SUITE_P(Orders, EveryOrder,
                         testing::Values(Order::sequential, Order::shuffled, Order::random),
                         [](const auto& test) { return std::string(order_name(test.param)); });

TEST(ReorderedSource, RefusesWhatCannotBeReordered) {
  const std::array<double, 2> values = {0, 1};
  const std::array<std::uint8_t, 2> marks = {1, 0};
  Block rows = dense_block(values.data(), 2, 1);
  rows.side.unit_start = marks.data();
  EXPECT_THROW(ReorderedSource(Schema{{"a"}}, rows, {.order = Order::shuffled}), UsageError);
  EXPECT_NO_THROW(ReorderedSource(Schema{{"a"}}, rows, {.order = Order::sequential}));
  EXPECT_THROW(source_of({.block_rows = 0}), UsageError);
  Table owned(1);
  owned.append(rows);
  EXPECT_THROW(ReorderedSource(Schema{{"a"}}, owned, {.order = Order::shuffled}), UsageError);
}

}  // namespace reordered
}  // namespace thalweg
