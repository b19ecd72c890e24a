// The contract, tried on a model of two lines: what is required, and what happens without the optional parts.
#include <thalweg/core/any_model.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace {

using namespace thalweg;

/// One normal with variance 1: S = E[y], theta = S.
struct Mean {
  Plan plan(const Schema&) const {
    return {{{.name = "sum", .shape = {1}}}, {{.name = "mean", .shape = {1}}}, 1, 1};
  }
  Parameters start(const Block&, Random&) const { return Parameters(plan({}).parameters); }
  double expect(const Parameters& theta, const Block& block, Sums& sums) const {
    double log_likelihood = 0;
    for (std::size_t t = 0; t < block.rows; ++t) {
      const double z = block.row(t)[0] - theta.data()[0];
      log_likelihood -= 0.5 * block.weight(t) * (z * z + std::log(2 * M_PI));
      sums.data()[0] += block.weight(t) * block.row(t)[0];
      sums.weight += block.weight(t);
    }
    return log_likelihood;
  }
  void maximise(const Statistic& S, const Context&, Parameters& theta) const {
    theta.data()[0] = S.data()[0];
  }
  void explain(const Parameters&, const Block&, Explanation&) const {}
  void draw(const Parameters&, const Block&, Random&, double*) const {}
};
static_assert(Model<Mean>);

// Must not compile as a Model: each lacks one part of the contract.
struct WithoutMaximise {
  Plan plan(const Schema&) const;
  Parameters start(const Block&, Random&) const;
  double expect(const Parameters&, const Block&, Sums&) const;
  void explain(const Parameters&, const Block&, Explanation&) const;
  void draw(const Parameters&, const Block&, Random&, double*) const;
};
static_assert(!Model<WithoutMaximise>);

struct ExpectsNothing : Mean {
  void expect(const Parameters&, const Block&, Sums&) const;
};
static_assert(!Model<ExpectsNothing>);

struct WantsToChange : Mean {
  void maximise(const Statistic&, const Context&, Parameters&);
};
static_assert(!Model<WantsToChange>, "a model is a value: its verbs are const");
static_assert(!Model<int>);
static_assert(Model<AnyModel>);

class DefaultAbsorb : public ::testing::Test {
 protected:
  Parameters theta_{Mean().plan({}).parameters};
  Statistic S_{Mean().plan({}).statistic};
  Carry carry_;
  Events events_;
};

TEST_F(DefaultAbsorb, scores_then_blends_then_maximises) {
  const std::array<double, 2> rows{1, 3};
  const Context context{.events = &events_};
  const double score =
      absorb(Mean(), theta_, dense_block(rows.data(), 2, 1), 0.5, S_, context, carry_);
  EXPECT_DOUBLE_EQ(score, -0.5 * (1 + 9) - std::log(2 * M_PI)) << "at theta = 0, before learning";
  EXPECT_DOUBLE_EQ(S_.data()[0], 1.0);
  EXPECT_DOUBLE_EQ(theta_.data()[0], 1.0);
  EXPECT_EQ(S_.weight, 2.0);
  EXPECT_FALSE(events_.any());
}

TEST_F(DefaultAbsorb, freeze_moves_the_statistic_only) {
  const double row = 4;
  const Context context{.freeze = true};
  absorb(Mean(), theta_, dense_block(&row, 1, 1), 0.5, S_, context, carry_);
  EXPECT_EQ(S_.data()[0], 2.0);
  EXPECT_EQ(theta_.data()[0], 0.0);
}

TEST_F(DefaultAbsorb, a_block_that_is_not_finite_is_left_out_and_counted) {
  const double row = 1e200;  // its square is not finite
  const Context context{.events = &events_};
  EXPECT_EQ(absorb(Mean(), theta_, dense_block(&row, 1, 1), 0.5, S_, context, carry_), 0.0);
  EXPECT_EQ(S_.data()[0], 0.0);
  EXPECT_EQ(S_.weight, 0.0);
  EXPECT_EQ(theta_.data()[0], 0.0);
  EXPECT_EQ(events_[Event::batch_left_out], 1U);
}

TEST(DefaultCheck, names_row_and_column) {
  const std::array<double, 4> cells{1, 2, 3, std::nan("")};
  Block block = dense_block(cells.data(), 2, 2);
  block.first = 10;
  const Schema schema{{"width", "height"}};
  try {
    check(Mean(), schema, block);
    FAIL() << "must throw";
  } catch (const RowError& error) {
    EXPECT_EQ(error.row(), 11U);
    EXPECT_NE(error.reason().find("\"height\""), std::string::npos) << error.reason();
    EXPECT_NE(error.reason().find("missing"), std::string::npos) << error.reason();
  }
  EXPECT_NO_THROW(check(Mean(), schema, block.slice(0, 1)));
}

TEST(DefaultChange, is_relative_to_the_size_of_a_piece) {
  Parameters before(Mean().plan({}).parameters);
  Parameters after = before;
  EXPECT_EQ(change(Mean(), before, after), 0.0);
  before.data()[0] = 100;
  after.data()[0] = 101;
  EXPECT_DOUBLE_EQ(change(Mean(), before, after), 0.01);
  before.data()[0] = 0;
  EXPECT_EQ(change(Mean(), before, after), 1.0);
}

TEST(Erased, is_the_model) {
  const auto erased = erase(Mean());
  const std::array<double, 2> rows{1, 3};
  const Block block = dense_block(rows.data(), 2, 1);
  Parameters theta(erased->plan({}).parameters);
  Sums direct(Mean().plan({}).statistic);
  Sums through(direct.shared_layout());
  EXPECT_EQ(erased->expect(theta, block, through), Mean().expect(theta, block, direct));
  EXPECT_EQ(through.data()[0], direct.data()[0]);
  Statistic S(direct.shared_layout());
  Carry carry;
  erased->absorb(theta, block, 1.0, S, {}, carry);
  EXPECT_EQ(theta.data()[0], 2.0);
}

}  // namespace
