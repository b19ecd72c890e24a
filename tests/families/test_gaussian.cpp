// The Gaussian family: the gauge keeps digits, floors are relative to the data, and units do not matter.
#include "core/change.hpp"
#include "samples.hpp"
#include <thalweg/estimators/batch.hpp>

#include <gtest/gtest.h>

namespace test_gaussian {

using namespace thalweg;
using samples::GaussianMixture;

textbook::Data sample() { return samples::draw(samples::three_gaussians(), 900, 5); }

/// Batch EM to the maximum from a start that is moved and stretched as the data are.
textbook::Theta fit(const textbook::Data& data, double scale, double shift, double floor = 0) {
  textbook::Theta start = samples::off(samples::three_gaussians());
  for (auto& component : start.first)
    for (auto& m : component) m = m * scale + shift;
  for (auto& component : start.variances)
    for (auto& v : component) v *= textbook::Real(scale) * scale;
  const GaussianMixture model({}, 3);
  const Table table = samples::table(data);
  Batch batch(model, Schema::numbered(2), {.tolerance = 1e-10, .regularisation = {.floor = floor}});
  batch.begin(samples::parameters(model, start, table.block()));
  batch.run(table.block());
  EXPECT_TRUE(batch.converged());
  return samples::theta(batch.parameters());
}

textbook::Data moved(textbook::Data data, double scale, double shift) {
  for (auto& row : data.rows)
    for (double& y : row) y = y * scale + shift;
  return data;
}

// Raw second moments of 1e6 ± 1 would keep four digits of the variance; the gauge keeps them all.
TEST(Gaussian, data_at_a_million_give_the_shifted_fit) {
  const textbook::Theta plain = fit(sample(), 1, 0);
  for (const double shift : {1e6, -1e6}) {
    textbook::Theta far = fit(moved(sample(), 1, shift), 1, shift);
    for (auto& component : far.first)
      for (auto& m : component) m -= shift;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_NEAR(static_cast<double>(far.first[k][j]), static_cast<double>(plain.first[k][j]),
                    1e-6);
        EXPECT_NEAR(static_cast<double>(far.variances[k][j] / plain.variances[k][j]), 1, 1e-6);
      }
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(static_cast<double>(far.weights[k]), static_cast<double>(plain.weights[k]), 1e-6);
  }
}

TEST(Gaussian, units_do_not_matter) {
  const textbook::Theta plain = fit(sample(), 1, 0, 1e-6);
  for (const double scale : {1e-9, 1e-3, 1e3, 1e9}) {
    textbook::Theta other = fit(moved(sample(), scale, 0), scale, 0, 1e-6);
    for (auto& component : other.first)
      for (auto& m : component) m /= scale;
    for (auto& component : other.variances)
      for (auto& v : component) v /= textbook::Real(scale) * scale;
    EXPECT_LT(samples::difference(other, plain), 1e-6) << scale;
  }
}

TEST(Gaussian, a_variance_stops_at_its_floor_and_is_counted) {
  textbook::Data data = sample();
  for (int i = 0; i < 50; ++i) data.rows.push_back({30, 30});  // a heap without any spread
  textbook::Theta start = samples::three_gaussians();
  start.first[2] = {30, 30};
  const GaussianMixture model({}, 3);
  const Table table = samples::table(data);
  Batch batch(model, Schema::numbered(2), {.regularisation = {.floor = 1e-4}});
  batch.begin(samples::parameters(model, start, table.block()));
  batch.run(table.block());
  EXPECT_TRUE(batch.converged());
  EXPECT_GT(batch.events()[Event::floor_reached], 0U);
  for (std::size_t j = 0; j < 2; ++j) {
    const double scale = batch.parameters()["scale"][j];
    EXPECT_NEAR(batch.parameters()["covariances"][2 * 2 + j], 1e-4 * scale * scale, 1e-12);
    EXPECT_NEAR(batch.parameters()["means"][2 * 2 + j], 30, 1e-6);
  }
}

TEST(Gaussian, a_constant_column_does_no_harm) {
  for (const double constant : {0.0, 5.0, -1e6}) {
    textbook::Data data = sample();
    for (auto& row : data.rows) row[1] = constant;
    const GaussianMixture model({}, 2);
    const Table table = samples::table(data);
    Random random(1);
    Batch batch(model, Schema::numbered(2));
    batch.begin(
        model.start(model.plan(Schema::numbered(table.block().columns)), table.block(), random));
    batch.run(table.block());
    EXPECT_TRUE(batch.parameters().finite()) << constant;
    EXPECT_TRUE(std::isfinite(batch.log_likelihood())) << constant;
    EXPECT_GT(batch.events()[Event::floor_reached], 0U);
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(batch.parameters()["means"][k * 2 + 1], constant, 1e-6 * std::abs(constant));
  }
}

// One outlier must not set the unit in which floors are measured.
TEST(Gaussian, the_gauge_is_deaf_to_outliers) {
  textbook::Data data = sample();
  const GaussianMixture model({}, 3);
  const Parameters calm =
      samples::parameters(model, samples::three_gaussians(), samples::table(data).block());
  data.rows.push_back({1e12, -1e12});
  const Parameters loud =
      samples::parameters(model, samples::three_gaussians(), samples::table(data).block());
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(loud["scale"][j] / calm["scale"][j], 1, 0.05);
}

TEST(Gaussian, a_gauge_without_rows_comes_from_the_parameters) {
  const textbook::Theta truth = samples::three_gaussians();
  const Parameters theta = samples::parameters(GaussianMixture({}, 3), truth);
  for (std::size_t j = 0; j < 2; ++j) {
    textbook::Real mean = 0;
    textbook::Real square = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      mean += truth.weights[k] * truth.first[k][j];
      square += truth.weights[k] * (truth.variances[k][j] + truth.first[k][j] * truth.first[k][j]);
    }
    EXPECT_NEAR(theta["shift"][j], static_cast<double>(mean), 1e-12);
    EXPECT_NEAR(theta["scale"][j], static_cast<double>(std::sqrt(square - mean * mean)), 1e-12);
  }
}

TEST(Gaussian, every_kind_of_covariance_has_its_shape) {
  struct Expected {
    Covariance kind;
    std::vector<std::size_t> shape;
    std::size_t free;  // K - 1 weights, K d means, and so many (co)variances
  };
  const std::vector<Expected> all = {{Covariance::full, {4, 3, 3}, 3 + 12 + 4 * 6},
                                     {Covariance::tied, {3, 3}, 3 + 12 + 6},
                                     {Covariance::diag, {4, 3}, 3 + 12 + 4 * 3},
                                     {Covariance::spherical, {4}, 3 + 12 + 4}};
  for (const Expected& one : all) {
    const Plan plan = GaussianMixture(Gaussian(one.kind), 4).plan(Schema::numbered(3));
    EXPECT_EQ(plan.parameters->find("covariances")->shape, one.shape);
    EXPECT_EQ(plan.free_parameters, one.free);
  }
}

// In one column all kinds but the tied one are the same model.
TEST(Gaussian, in_one_column_the_kinds_agree) {
  const textbook::Theta truth{.kind = textbook::Kind::gaussian,
                              .weights = {0.6L, 0.4L},
                              .first = {{0}, {3}},
                              .variances = {{1}, {0.5L}}};
  const Table table = samples::table(samples::draw(truth, 400, 8));
  std::vector<Parameters> ends;
  for (const Covariance kind : {Covariance::diag, Covariance::full, Covariance::spherical}) {
    const GaussianMixture model(Gaussian(kind), 2);
    Batch batch(model, Schema::numbered(1), {.max_iterations = 50});
    batch.begin(samples::parameters(model, samples::off(truth), table.block()));
    batch.run(table.block());
    ends.push_back(batch.parameters());
  }
  for (std::size_t i = 0; i < ends[0].size(); ++i)
    for (const Parameters& other : ends) EXPECT_NEAR(other.data()[i], ends[0].data()[i], 1e-11);
}

// The scaled change: 1 for a mean that moved by one scale, whatever the unit.
TEST(Gaussian, change_is_measured_in_the_datas_units) {
  const GaussianMixture model({}, 3);
  const Parameters before = samples::parameters(model, samples::three_gaussians());
  Parameters after = before;
  after["means"][2] += 0.5 * before["scale"][0];
  EXPECT_NEAR(change(before, after), 0.5, 1e-12);
  after = before;
  after["covariances"][1] += 0.25 * before["scale"][1] * before["scale"][1];
  EXPECT_NEAR(change(before, after), 0.25, 1e-12);
  after = before;
  after["weights"][0] -= 0.125;
  EXPECT_NEAR(change(before, after), 0.125, 1e-12);
}

}  // namespace test_gaussian
