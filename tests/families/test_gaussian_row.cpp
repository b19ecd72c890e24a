// One row a step with a full covariance: rank-one updates of the factors against a factorisation every time.
#include "normals.hpp"
#include <thalweg/estimators/recursion.hpp>

#include <gtest/gtest.h>

namespace test_gaussian_row {

using namespace normals;

/// The same model without a step of its own: expect, blend, maximise in O(d³).
class Plain final : public PlainModel {
 public:
  explicit Plain(GaussianMixture model) : model_(std::move(model)) {}

  Plan plan(const Schema& schema) const override { return model_.plan(schema); }
  Parameters start(const Plan& plan, const Block& buffer, Random& random) const override {
    return model_.start(plan, buffer, random);
  }
  double expect(const Parameters& theta, const Block& block, Sums& sums) const override {
    return thalweg::expect(model_, theta, block, sums);
  }
  void explain(const Parameters& theta, const Block& block, Explanation& out) const override {
    thalweg::explain(model_, theta, block, out);
  }
  void draw(const Parameters& theta, const Block& given, Carry& carry, Random& random,
            double* row) const override {
    model_.draw(theta, given, carry, random, row);
  }

 private:
  void m_step(const Statistic& S, const Context& context, Parameters& theta) const override {
    thalweg::maximise(model_, S, context, theta);
  }

  GaussianMixture model_;
};

/// Relative to the largest entry of the piece: means and covariances lie within a few units of each other here.
void expect_equal(const Named& a, const Named& b, double bound) {
  for (const Piece& piece : b.layout().pieces()) {
    double size = 0;
    for (const double x : b[piece.name]) size = std::max(size, std::abs(x));
    for (std::size_t i = 0; i < piece.size(); ++i)
      ASSERT_NEAR(a[piece.name][i], b[piece.name][i], bound * size) << piece.name << " " << i;
  }
}

Parameters off(const Twin& twin, const Block& rows) {
  Parameters theta = twin.theta;
  for (double& w : theta["weights"]) w = 1.0 / 3;
  for (double& m : theta["means"]) m += 0.4;
  for (double& v : theta["covariances"]) v *= 1.5;
  calibrate(twin.model, rows, theta);
  return theta;
}

void expect_same_run(std::size_t rows, std::uint64_t warmup, double weight_unit) {
  const Twin twin = make(Covariance::full, 3, 6, 7);
  Table table = draw(twin, rows, 5);
  if (weight_unit != 1) {
    Table weighted(6);
    for (std::size_t t = 0; t < rows; ++t)
      weighted.append_row(table.block().row(t), weight_unit * static_cast<double>(1 + t % 3));
    table = weighted;
  }
  const Parameters start = off(twin, table.block().slice(0, 1000));
  for (const Schedule& step : {Schedule::power(0.6), Schedule::reciprocal()}) {
    const RecursionOptions options{.step = step, .warmup = warmup};
    Recursion fast(twin.model, Schema::numbered(6), options);
    Recursion slow(Plain(twin.model), Schema::numbered(6), options);
    fast.begin(start);
    slow.begin(start);
    fast.learn(table.block());
    slow.learn(table.block());
    expect_equal(fast.parameters(), slow.parameters(), 1e-8);
    expect_equal(fast.statistic(), slow.statistic(), 1e-8);
    expect_equal(fast.reported(), slow.reported(), 1e-8);
    EXPECT_NEAR(*fast.progressive(), *slow.progressive(), 1e-8);
    EXPECT_EQ(fast.events(), slow.events());
    EXPECT_EQ(fast.weight(), slow.weight());
  }
}

TEST(SlowGaussianRow, equals_the_long_way_after_a_hundred_thousand_rows) {
  expect_same_run(100'000, 200, 1);
}

TEST(GaussianRow, equals_the_long_way_with_weights_and_a_long_warm_up) {
  expect_same_run(8'000, 3'000, 0.5);
}

TEST(GaussianRow, equals_the_long_way_from_a_statistic_that_is_continued) {
  const Twin twin = make(Covariance::full, 3, 6, 7);
  const Table table = draw(twin, 6'000, 6);
  const Block head = table.block().slice(0, 500);
  const Parameters start = off(twin, head);
  Sums sums(twin.model.plan(Schema::numbered(6)).statistic);
  expect(twin.model, start, head, sums);
  Recursion fast(twin.model, Schema::numbered(6), {});
  Recursion slow(Plain(twin.model), Schema::numbered(6), {});
  fast.begin(start, mean(sums), 500);
  slow.begin(start, mean(sums), 500);
  fast.learn(table.block().slice(500, 5'500));
  slow.learn(table.block().slice(500, 5'500));
  expect_equal(fast.parameters(), slow.parameters(), 1e-8);
}

// Covariances that touch the floor, components that die: the route must not matter.
TEST(GaussianRow, equals_the_long_way_where_repairs_are_needed) {
  const Twin twin = make(Covariance::full, 3, 6, 8);
  Table table = draw(twin, 4'000, 7);
  Table flat(6);
  for (std::size_t t = 0; t < table.rows(); ++t) {
    std::vector<double> row = row_of(table.block(), t);
    row[5] = row[4] + row[3];  // collinear
    flat.append_row(row.data());
  }
  Parameters start = off(twin, flat.block());
  for (double& m : start["means"].last(6)) m = 1e4;
  Recursion fast(twin.model, Schema::numbered(6), {.warmup = 100});
  Recursion slow(Plain(twin.model), Schema::numbered(6), {.warmup = 100});
  fast.begin(start);
  slow.begin(start);
  fast.learn(flat.block());
  slow.learn(flat.block());
  EXPECT_GT(fast.events()[Event::covariance_repaired], 0U);
  EXPECT_GT(fast.events()[Event::empty_component], 0U);
  EXPECT_TRUE(fast.parameters().finite());
  expect_equal(fast.parameters(), slow.parameters(), 1e-6);
}

}  // namespace test_gaussian_row
