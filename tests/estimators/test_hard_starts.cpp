// Starts that are hard to fool: data on which careless first guesses end in poor maxima, with default options.
#include "gaussian_models.hpp"
#include "list_source.hpp"
#include <thalweg/estimators/fit.hpp>

#include <gtest/gtest.h>

#include <iostream>

namespace test_hard_starts {

using namespace thalweg;
using samples::Gaussians;
using samples::Shape;
using textbook::Matrix;
using textbook::Real;

struct Case {
  std::string name;
  Gaussians truth;
  std::size_t rows;
  Shape shape;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

/// Three parallel ellipses, thirty times as long as wide and not along the columns: k-means cuts them across.
Gaussians parallel() {
  const Real l = 81;     // variance along (1, 1)
  const Real w = 0.09L;  // variance across
  const Matrix c{{(l + w) / 2, (l - w) / 2}, {(l - w) / 2, (l + w) / 2}};
  return {{0.4L, 0.3L, 0.3L}, {{0, 0}, {2, -2}, {4, -4}}, {c, c, c}};
}

/// One column tells the clusters, another is noise a thousand times as large.
Gaussians scales() {
  const Matrix c{{1, 0}, {0, 1e6L}};
  return {{0.5L, 0.3L, 0.2L}, {{0, 0}, {6, 100}, {12, -300}}, {c, c, c}};
}

/// One row in 201 belongs to the smallest cluster.
Gaussians unequal() {
  const Matrix c{{1, 0}, {0, 1}};
  return {{100.0L / 201, 100.0L / 201, 1.0L / 201}, {{0, 0}, {7, 0}, {3, 9}}, {c, c, c}};
}

/// Twenty clusters on a grid of 5 × 4.
Gaussians grid() {
  Gaussians theta;
  for (int i = 0; i < 20; ++i) {
    theta.weights.push_back(0.05L);
    theta.means.push_back({Real(6 * (i % 5)), Real(6 * (i / 5))});
    theta.covariances.push_back({{1, 0}, {0, 1}});
  }
  return theta;
}

double mean_log_likelihood(const Model& model, const Parameters& theta, const Block& rows) {
  const Plan plan = model.plan(Schema::numbered(rows.columns));
  return expect_all(model, theta, plan, rows).log_likelihood() / rows.total_weight();
}

double best_from_truth(const std::shared_ptr<const Model>& model, const Parameters& truth,
                       const Block& rows) {
  Batch batch(model, Schema::numbered(rows.columns));
  batch.begin(truth);
  batch.run(rows);
  return batch.log_likelihood() / rows.total_weight();
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&all](const char* what, const Gaussians& truth, std::size_t rows,
                          std::initializer_list<Shape> shapes) {
    for (const Shape shape : shapes)
      all.push_back({std::string(what) + "_" + name(shape), truth, rows, shape});
  };
  using enum Shape;
  add("parallel", parallel(), 4000, {full, tied});
  add("scales", scales(), 4000, {full, tied, diag});
  add("unequal", unequal(), 8000, {full, tied, diag, spherical});
  add("grid", grid(), 20000, {full, tied, diag, spherical});
  return all;
}

class SlowHardStarts : public ::testing::TestWithParam<Case> {};

// Within 3 p/n nat a row of EM from the truth: the price of estimating p parameters is p/(2n). A single pass sees a rare cluster
// only by what the first thousand rows show of it (two rows, now and then): one data set in ten may fool it.
TEST_P(SlowHardStarts, end_where_em_from_the_truth_ends) {
  const Case& c = GetParam();
  const auto model = samples::gaussian_model(c.shape, c.truth.K());
  const auto p = static_cast<double>(model->plan(Schema::numbered(2)).free_parameters);
  const double price = p / static_cast<double>(c.rows);
  const unsigned seeds = c.truth.K() > 3 ? 3 : 10;  // those of many components take seconds
  unsigned fooled = 0;                              // online
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const Table table = samples::table(samples::draw(c.truth, c.rows, seed));
    const Block rows = table.block();
    const double best =
        best_from_truth(model, samples::parameters(*model, c.truth, c.shape, rows), rows);
    for (const Method method : {Method::automatic, Method::batch, Method::online}) {
      samples::ListSource source(table, 1000);
      const FitResult fit = Fit(model, {.method = method}).run(source);
      const double got = mean_log_likelihood(*model, fit.parameters, rows);
      const bool found = got > best - 3 * price;
      const double gap = (best - got) / price;
      if (method == Method::online) {
        fooled += found ? 0 : 1;
        if (!found) std::cout << "online, data seed " << seed << ": " << gap << " p/n below\n";
      } else {
        EXPECT_TRUE(found) << thalweg::name(method) << ", data seed " << seed << ": " << gap
                           << " p/n below EM from the truth";
      }
    }
  }
  EXPECT_LE(fooled, 1U);
}

INSTANTIATE_TEST_SUITE_P(Data, SlowHardStarts, ::testing::ValuesIn(cases()),
                         [](const auto& c) { return c.param.name; });

}  // namespace test_hard_starts
