// blend is the single update: its identities are those of weighted means.
#include <thalweg/core/statistic.hpp>

#include <gtest/gtest.h>

#include <random>

namespace test_blend {

using thalweg::Layout;
using thalweg::Parameters;
using thalweg::Piece;
using thalweg::Statistic;
using thalweg::Sums;

constexpr std::size_t size = 17;

std::shared_ptr<const Layout> layout() {
  static const auto shared =
      std::make_shared<const Layout>(std::vector<Piece>{{.name = "s", .shape = {size}}});
  return shared;
}

/// The sum over rows begin … end-1 of some fixed stream of weighted vectors.
Sums sum_of(std::size_t begin, std::size_t end) {
  Sums sums(layout());
  for (std::size_t t = begin; t < end; ++t) {
    std::mt19937_64 random(t);
    std::normal_distribution<double> normal(3, 2);
    const double w = 0.25 + static_cast<double>(t % 5);
    for (double& x : sums.values()) x += w * normal(random);
    sums.weight += w;
  }
  return sums;
}

TEST(Blend, merging_gives_the_pooled_mean) {
  Statistic left = mean(sum_of(0, 30));
  const Statistic right = mean(sum_of(30, 100));
  const Statistic pooled = mean(sum_of(0, 100));
  thalweg::blend(left, right, right.weight / (left.weight + right.weight));
  for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(left.data()[i], pooled.data()[i], 1e-14 * 10);
  EXPECT_DOUBLE_EQ(left.weight, pooled.weight);
}

TEST(Blend, sums_enter_as_their_mean) {
  Statistic by_sums = mean(sum_of(0, 10));
  Statistic by_mean = by_sums;
  const Sums more = sum_of(10, 40);
  thalweg::blend(by_sums, more, 0.3);
  thalweg::blend(by_mean, mean(more), 0.3);
  for (std::size_t i = 0; i < size; ++i)
    EXPECT_NEAR(by_sums.data()[i], by_mean.data()[i], 1e-14 * 10);
  EXPECT_EQ(by_sums.weight, by_mean.weight);
}

TEST(Blend, rate_one_copies_and_rate_zero_keeps) {
  const Statistic from = mean(sum_of(0, 10));
  Statistic zero(layout());
  thalweg::blend(zero, from, 1.0);
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(zero.data()[i], from.data()[i]);
  Statistic kept = from;
  thalweg::blend(kept, mean(sum_of(10, 20)), 0.0);
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(kept.data()[i], from.data()[i]);
}

TEST(Blend, rate_one_copies_to_rounding_from_anywhere) {
  const Statistic from = mean(sum_of(0, 10));
  Statistic into = mean(sum_of(10, 20));
  thalweg::blend(into, from, 1.0);
  for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(into.data()[i], from.data()[i], 1e-14);
}

TEST(Blend, running_rates_give_the_plain_mean) {
  Statistic running(layout());
  for (std::size_t t = 0; t < 200; ++t) {
    const Sums row = sum_of(t, t + 1);
    thalweg::blend(running, row, row.weight / (running.weight + row.weight));
  }
  const Statistic pooled = mean(sum_of(0, 200));
  for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(running.data()[i], pooled.data()[i], 1e-13);
  EXPECT_DOUBLE_EQ(running.weight, pooled.weight);
}

TEST(Blend, parameters_move_along_the_line) {
  Parameters into(layout());
  Parameters from(layout());
  for (double& x : from.values()) x = 8;
  thalweg::blend(into, from, 0.25);
  for (const double x : into.values()) EXPECT_EQ(x, 2.0);
}

TEST(Sums, add_and_clear) {
  Sums all = sum_of(0, 10);
  all.add(sum_of(10, 20));
  const Sums whole = sum_of(0, 20);
  for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(all.data()[i], whole.data()[i], 1e-12);
  EXPECT_EQ(all.weight, whole.weight);
  all.clear();
  EXPECT_EQ(all.weight, 0.0);
  for (const double x : all.values()) EXPECT_EQ(x, 0.0);
}

}  // namespace test_blend
