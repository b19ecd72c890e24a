// The contract, tried on a model of two lines: what is required, and what happens without the optional parts.
#include "core/change.hpp"
#include <thalweg/core/absorb.hpp>
#include <thalweg/core/border.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace test_model {

using namespace thalweg;

/// One normal with variance 1: S = E[y], theta = S.
struct Mean : PlainModel {
  Plan plan(const Schema&) const override {
    return {{{.name = "sum", .shape = {1}}}, {{.name = "mean", .shape = {1}}}, 1, 1};
  }
  Parameters start(const Plan& plan, const Block&, Random&) const override {
    return Parameters(plan.parameters);
  }
  double expect(const Parameters& theta, const Block& block, Sums& sums) const override {
    double log_likelihood = 0;
    for (std::size_t t = 0; t < block.rows; ++t) {
      const double z = block.row(t)[0] - theta.data()[0];
      log_likelihood -= 0.5 * block.weight(t) * (z * z + std::log(2 * M_PI));
      sums.data()[0] += block.weight(t) * block.row(t)[0];
      sums.weight += block.weight(t);
    }
    return log_likelihood;
  }
  void explain(const Parameters& theta, const Block& block, Explanation& out) const override {
    for (std::size_t t = 0; t < block.rows; ++t) {
      Sums unused(plan({}).statistic);
      out.log_density.push_back(expect(theta, block.slice(t, 1), unused));
    }
  }
  void draw(const Parameters&, const Block&, Carry&, Random&, double*) const override {}

 private:
  void m_step(const Statistic& S, const Context&, Parameters& theta) const override {
    theta.data()[0] = S.data()[0];
  }
};

// Whatever lacks a part of the contract, or of a capability that it claims, cannot be made.
struct WithoutMStep : PlainModel {
  Plan plan(const Schema&) const override;
  Parameters start(const Plan&, const Block&, Random&) const override;
  double expect(const Parameters&, const Block&, Sums&) const override;
  void explain(const Parameters&, const Block&, Explanation&) const override;
  void draw(const Parameters&, const Block&, Carry&, Random&, double*) const override;
};
static_assert(std::is_abstract_v<WithoutMStep>);
static_assert(!std::is_abstract_v<Mean>);

struct HalfAGauge : Mean, Gauge {
  void calibrate(const Block&, Parameters&) const override;
};
static_assert(std::is_abstract_v<HalfAGauge>);

// The M-step that knows no prior is out of reach; maximise() is the way.
template <class M>
concept HasBareMStep = requires(const M& model, const Statistic& S, const Context& context,
                                Parameters& theta) {
  model.m_step(S, context, theta);
};
static_assert(!HasBareMStep<Mean> && !HasBareMStep<Model>);

TEST(Capabilities, are_whole_or_not_there) {
  struct WithGauge : Mean, Gauge {
    void calibrate(const Block&, Parameters& theta) const override { theta.data()[0] = 7; }
    void regauge(const Parameters&, const Parameters&, Statistic& S) const override {
      S.data()[0] = 8;
    }
  };
  Parameters theta(Mean().plan({}).parameters);
  Statistic S(Mean().plan({}).statistic);
  EXPECT_EQ(capability<Gauge>(Mean()), nullptr);
  calibrate(Mean(), Block{}, theta);
  regauge(Mean(), theta, theta, S);
  EXPECT_EQ(theta.data()[0], 0.0);
  EXPECT_EQ(S.data()[0], 0.0);
  const WithGauge gauged;
  EXPECT_EQ(capability<Gauge>(gauged), &gauged);
  calibrate(gauged, Block{}, theta);
  regauge(gauged, theta, theta, S);
  EXPECT_EQ(theta.data()[0], 7.0);
  EXPECT_EQ(S.data()[0], 8.0);
  EXPECT_THROW(prior(gauged, Block{}, theta), UsageError);
}

TEST(Capabilities, validity_is_tried_where_no_bounds_are_known) {
  struct Positive : Mean {
    Plan plan(const Schema&) const override {
      return {{{.name = "sum", .shape = {1}}},
              {{.name = "mean", .shape = {1}, .domain = Domain::positive}},
              1,
              1};
    }
  };
  const Parameters theta(Positive().plan({}).parameters);
  Statistic S(Positive().plan({}).statistic);
  for (const auto& [value, is_valid] :
       {std::pair{2.0, true}, {-2.0, false}, {std::nan(""), false}}) {
    S.data()[0] = value;
    EXPECT_EQ(valid(Positive(), theta, S), is_valid) << value;
  }
}

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
    admit(Mean(), schema, block);
    FAIL() << "must throw";
  } catch (const RowError& error) {
    EXPECT_EQ(error.row(), 11U);
    EXPECT_NE(error.reason().text().find("\"height\""), std::string::npos) << error.reason().text();
    EXPECT_NE(error.reason().text().find("missing"), std::string::npos) << error.reason().text();
  }
  EXPECT_NO_THROW(admit(Mean(), schema, block.slice(0, 1)));
}

TEST(Change, is_relative_to_the_size_of_a_piece) {
  Parameters before(Mean().plan({}).parameters);
  Parameters after = before;
  EXPECT_EQ(change(before, after), 0.0);
  before.data()[0] = 100;
  after.data()[0] = 101;
  EXPECT_DOUBLE_EQ(change(before, after), 0.01);
  before.data()[0] = 0;
  EXPECT_EQ(change(before, after), 1.0);
}

/// A gauge with the scales 2 and 4: locations in them, spreads in their products, rates in standard deviations of a count.
TEST(Change, is_measured_by_what_a_piece_means) {
  const auto layout = std::make_shared<const Layout>(std::vector<Piece>{
      {.name = "weights", .shape = {3}, .meaning = Meaning::probability},
      {.name = "means",
       .shape = {3, 2},
       .axes = {Axis::component, Axis::column},
       .meaning = Meaning::location},
      {.name = "tied",
       .shape = {2, 2},
       .axes = {Axis::column, Axis::column},
       .meaning = Meaning::spread},
      {.name = "diag",
       .shape = {3, 2},
       .axes = {Axis::component, Axis::column},
       .meaning = Meaning::spread},
      {.name = "rates", .shape = {3}, .meaning = Meaning::rate},
      {.name = "scale", .shape = {2}, .meaning = Meaning::scale, .constant = true}});
  Parameters before(layout);
  before["scale"][0] = 2;
  before["scale"][1] = 4;
  before["rates"][1] = 25;
  const auto moved = [&](const char* piece, std::size_t entry, double by) {
    Parameters after = before;
    after[piece][entry] += by;
    return change(before, after);
  };
  EXPECT_DOUBLE_EQ(moved("weights", 2, 0.1), 0.1);
  EXPECT_DOUBLE_EQ(moved("means", 4, 1), 1.0 / 2);
  EXPECT_DOUBLE_EQ(moved("means", 5, 1), 1.0 / 4);
  EXPECT_DOUBLE_EQ(moved("tied", 0, 1), 1.0 / 4);
  EXPECT_DOUBLE_EQ(moved("tied", 1, 1), 1.0 / 8);
  EXPECT_DOUBLE_EQ(moved("tied", 3, 1), 1.0 / 16);
  EXPECT_DOUBLE_EQ(moved("diag", 3, 1), 1.0 / 16);
  EXPECT_DOUBLE_EQ(moved("rates", 1, 11), 11.0 / 6);
  EXPECT_EQ(moved("scale", 1, 11), 0.0);
}

/// Both axes of a transition matrix go along; asymmetric, so that a transposed one shows.
TEST(Relabel, goes_along_every_axis_of_components) {
  const auto layout = std::make_shared<const Layout>(std::vector<Piece>{
      {.name = "weights", .shape = {3}, .axes = {Axis::component}},
      {.name = "transition", .shape = {3, 3}, .axes = {Axis::component, Axis::component}},
      {.name = "sums", .shape = {2, 3}, .axes = {Axis::column, Axis::component}},
      {.name = "shared", .shape = {3}}});
  Parameters theta(layout);
  for (std::size_t i = 0; i < theta.size(); ++i) theta.data()[i] = static_cast<double>(i);
  const Parameters old = theta;
  const std::vector<std::size_t> order = {2, 0, 1};
  relabel(order, theta);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(theta["weights"][i], old["weights"][order[i]]);
    EXPECT_EQ(theta["shared"][i], old["shared"][i]);
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_EQ(theta["transition"][3 * i + j], old["transition"][3 * order[i] + order[j]]);
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_EQ(theta["sums"][3 * j + i], old["sums"][3 * j + order[i]]);
  }
}

TEST(Border, refuses_what_no_model_could_take) {
  const std::array<double, 4> cells{1, 2, 3, 4};
  const std::array<double, 2> weights{1, -1};
  const std::array<double, 2> labels{std::nan(""), 0};
  const Schema one{{"x"}};
  const Block good = dense_block(cells.data(), 2, 1);
  EXPECT_NO_THROW(admit(Mean(), one, good));
  EXPECT_THROW(admit(Mean(), one, dense_block(cells.data(), 2, 2)), Error) << "another width";
  Block block = good;
  block.values = nullptr;
  EXPECT_THROW(admit(Mean(), one, block), Error) << "no cells";
  block = good;
  block.side.weight = weights.data();
  EXPECT_THROW(admit(Mean(), one, block), RowError) << "a negative weight";
  block = good;
  block.side.label = labels.data();
  EXPECT_THROW(admit(Mean(), one, block), RowError) << "a label, but no components";
  EXPECT_NO_THROW(admit(Mean(), one, block.slice(0, 1))) << "a label that is not known";
}

TEST(Border, counts_rows_from_the_first_of_the_stream) {
  const double missing = std::nan("");
  const Block block = dense_block(&missing, 1, 1);
  try {
    Admission(Unit::row).admit(Mean(), Schema{{"x"}}, block, 50'000);
    FAIL() << "must throw";
  } catch (const RowError& error) {
    EXPECT_EQ(error.row(), 50'000U);
  }
}

}  // namespace test_model
