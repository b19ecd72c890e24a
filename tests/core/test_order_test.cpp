// Orders that mislead are found, and rows in random order are taken as such.
#include "core/order_test.hpp"
#include <thalweg/core/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace test_order_test {

using namespace thalweg;

constexpr std::size_t n = 8192;

using Row = std::function<std::vector<double>(std::size_t t, Random& random)>;

std::optional<OrderTest::Found> found(const Row& row, std::uint64_t seed = 1) {
  std::optional<Table> rows;
  for (std::size_t t = 0; t < n; ++t) {
    Random random(seed, t);
    const std::vector<double> values = row(t, random);
    if (!rows) rows.emplace(values.size());
    rows->append_row(values.data());
  }
  return order_of(rows->block());
}

double normal(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) *
         std::cos(2 * 3.14159265358979 * random.uniform());
}

TEST(OrderTest, RandomOrderIsNotSuspected) {
  // The threshold is ten standard deviations of what chance gives: 200 tables of eight columns never reach it.
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto what = found(
        [](std::size_t, Random& random) {
          std::vector<double> row;
          for (int j = 0; j < 6; ++j) row.push_back(normal(random));
          row.push_back(random.uniform() < 0.01 ? 1 : 0);
          row.push_back(std::floor(5 * random.uniform()));
          return row;
        },
        seed);
    EXPECT_FALSE(what) << seed;
  }
}

TEST(OrderTest, SortedBlocksAndWaves) {
  const auto trend = found([](std::size_t t, Random& random) {
    return std::vector<double>{normal(random), static_cast<double>(t)};
  });
  ASSERT_TRUE(trend);
  EXPECT_EQ(trend->column, 1U);
  EXPECT_GT(trend->share, 0.9);
  EXPECT_EQ(in_words(*trend, {"a", "b"}), "column \"b\" differs from part to part of the input");
  EXPECT_TRUE(found([](std::size_t t, Random& random) {
    return std::vector<double>{normal(random) + static_cast<double>(4 * t / n)};
  })) << "blocks";
  EXPECT_TRUE(found([](std::size_t t, Random& random) {
    return std::vector<double>{normal(random) + std::sin(static_cast<double>(t) / 200)};
  })) << "waves";
}

TEST(OrderTest, ClassesThatDifferInShapeAlone) {
  const auto spread = found([](std::size_t t, Random& random) {
    return std::vector<double>{normal(random) * (t < n / 2 ? 1 : 3)};
  });
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->column, 0U);
  const auto turned = found([](std::size_t t, Random& random) {
    const double x = normal(random);
    return std::vector<double>{x, (t < n / 2 ? 0.9 : -0.9) * x + 0.4 * normal(random)};
  });
  ASSERT_TRUE(turned);
  EXPECT_FALSE(turned->column) << "each column by itself is the same everywhere";
}

TEST(OrderTest, ConstantMissingAndFewRows) {
  EXPECT_FALSE(found([](std::size_t, Random&) { return std::vector<double>{1.0}; }));
  EXPECT_TRUE(found([](std::size_t t, Random& random) {
    return std::vector<double>{t < n / 3 ? NAN : normal(random)};
  })) << "missing cells that lie together";
  Table few(1);
  for (int t = 0; t < 100; ++t) {
    const double x = t;
    few.append_row(&x);
  }
  EXPECT_FALSE(order_of(few.block())) << "too few to say";
}

TEST(OrderTest, Labels) {
  OrderTest test(1);
  for (int g = 0; g < 64; ++g) {
    Table rows(1);
    for (int t = 0; t < 64; ++t) {
      Random random(3, static_cast<std::uint64_t>(64 * g + t));
      const double x = normal(random);
      const double label = g / 32;
      Block row = dense_block(&x, 1, 1);
      row.side.label = &label;
      rows.append(row);
    }
    test.add(rows.block());
  }
  const auto what = test.found();
  ASSERT_TRUE(what);
  EXPECT_TRUE(what->labels);
}

}  // namespace test_order_test
