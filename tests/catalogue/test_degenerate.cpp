// What is degenerate in a fit: variances at their floor, components of less than a row, twins; and what is not.
#include "catalogue/fitted_regularisation.hpp"
#include "catalogue/training.hpp"
#include <thalweg/catalogue/catalogue.hpp>
#include <thalweg/catalogue/degenerate.hpp>
#include <thalweg/catalogue/fit_job.hpp>
#include <thalweg/sources/memory.hpp>
#include <thalweg/sources/simulated.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace test_degenerate {

using namespace thalweg;
using Kind = Degeneracy::Kind;
using Numbers = std::vector<std::size_t>;

double normal(Random& random) { return std::normal_distribution()(random); }

/// Rows of two columns: two clouds of normal rows, and `repeated` times the row (9, 9 + its number × step).
Table rows_with(std::size_t repeated, double step = 0, std::size_t cloud = 150) {
  Table table(2);
  Random random(4);
  const auto add = [&table](double x, double y) {
    const std::vector<double> row = {x, y};
    table.append(dense_block(row.data(), 1, 2));
  };
  for (std::size_t t = 0; t < cloud; ++t) {
    add(normal(random), normal(random));
    add(4 + normal(random), 20 + normal(random));
    if (t < repeated) add(9, 9 + step * static_cast<double>(t));
  }
  return table;
}

/// Batch EM to its end from these parameters of a Gaussian mixture of three.
FitOutcome fit(const Table& table, const std::string& kind, FitOptions options = {}) {
  const Entry& entry = find_entry("gaussian");
  options.method = Method::batch;
  FitJob job{.model = prepare(entry, {{"components", "3"}, {"covariance", kind}},
                              Schema{{"width", "length"}}),
             .options = options};
  Parameters start = job.model.parameters;
  std::ranges::fill(start["weights"], 1.0 / 3);
  const std::vector<double> means = {0, 0, 4, 20, 9, 9};
  std::ranges::copy(means, start["means"].begin());
  const auto covariances = start["covariances"];
  const std::size_t part = covariances.size() / (kind == "tied" ? 1 : 3);
  const bool matrix = kind == "full" || kind == "tied";
  for (std::size_t i = 0; i < covariances.size(); ++i)
    covariances[i] = matrix && (i % part == 1 || i % part == 2) ? 0 : 1;
  job.starts = {start};
  MemorySource source(job.model.schema, table.block());
  return fit_model(job, source);
}

std::vector<Degeneracy> found_in(const Table& table, const std::string& kind,
                                 FitOptions options = {}) {
  return degeneracies(fit(table, kind, std::move(options)).fitted);
}

TEST(Degenerate, a_variance_at_the_floor_is_named) {
  for (const std::string kind : {"full", "diag", "spherical"}) {
    const FitOutcome outcome = fit(rows_with(40), kind);
    const auto found = degeneracies(outcome.fitted);
    ASSERT_EQ(found.size(), 1U) << kind;
    EXPECT_EQ(found[0].kind, Kind::thin);
    EXPECT_EQ(found[0].components, Numbers{2});
    EXPECT_EQ(found[0].columns, kind == "spherical" ? Numbers() : (Numbers{0, 1}));
    EXPECT_FALSE(found[0].of_all(3));
    // It is: the variance is the floor in the squared scale of the data.
    const auto scale = outcome.fitted.parameters["scale"];
    const auto covariances = outcome.fitted.parameters["covariances"];
    const std::size_t at = kind == "full" ? 8 : kind == "diag" ? 4 : 2;
    EXPECT_NEAR(covariances[at] / (scale[0] * scale[0]), 1e-6, 1e-12) << kind;
  }
}

TEST(Degenerate, one_column_or_direction_is_enough) {
  for (const std::string kind : {"full", "diag"}) {
    const auto found = found_in(rows_with(40, 0.1), kind);
    ASSERT_EQ(found.size(), 1U) << kind;
    EXPECT_EQ(found[0].components, Numbers{2});
    EXPECT_EQ(found[0].columns, Numbers{0}) << kind;
  }
  EXPECT_TRUE(found_in(rows_with(40, 0.1), "spherical").empty());
  EXPECT_TRUE(found_in(rows_with(40), "tied").empty()) << "the others widen it";
}

TEST(Degenerate, a_ridge_that_is_no_wider_than_the_floor_hides_nothing) {
  EXPECT_FALSE(found_in(rows_with(40), "diag", {.regularisation = {.ridge = 1e-6}}).empty());
  const FitOptions as_in_python{.regularisation = {.floor = 0, .ridge = 1e-6}};
  for (const std::string kind : {"full", "diag", "spherical"})
    EXPECT_FALSE(found_in(rows_with(40), kind, as_in_python).empty()) << kind;
  EXPECT_TRUE(found_in(rows_with(40), "diag", {.regularisation = {.ridge = 1}}).empty())
      << "whoever asks for a ridge has a maximum";
  EXPECT_TRUE(found_in(rows_with(40), "diag", {.regularisation = {.prior_strength = 30}}).empty())
      << "or for a prior";
}

TEST(Degenerate, far_away_rounding_is_the_floor) {
  Table table = rows_with(0);
  const std::vector<double> row = {3e6, -3e6};
  for (int i = 0; i < 20; ++i) table.append(dense_block(row.data(), 1, 2));
  FitJob job{.model = prepare(find_entry("gaussian"), {{"components", "2"}, {"covariance", "diag"}},
                              Schema{{"width", "length"}}),
             .options = {.method = Method::batch}};
  MemorySource source(job.model.schema, table.block());
  const auto found = degeneracies(fit_model(job, source).fitted);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Kind::thin);
  EXPECT_EQ(found[0].components.size(), 1U);
}

TEST(Degenerate, a_constant_column_is_no_components_fault) {
  Table table(2);
  Random random(4);
  for (std::size_t t = 0; t < 200; ++t) {
    const std::vector<double> row = {normal(random) + (t % 2 == 0 ? 0 : 9), 5};
    table.append(dense_block(row.data(), 1, 2));
  }
  for (const std::string kind : {"full", "tied", "diag"}) {
    FitJob job{.model = prepare(find_entry("gaussian"), {{"components", "2"}, {"covariance", kind}},
                                Schema{{"a", "b"}}),
               .options = {.method = Method::batch}};
    MemorySource source(job.model.schema, table.block());
    const Fitted fitted = fit_model(job, source).fitted;
    const auto found = degeneracies(fitted);
    ASSERT_EQ(found.size(), 1U) << kind;
    EXPECT_TRUE(found[0].of_all(2)) << kind;
    EXPECT_EQ(found[0].columns, Numbers{1}) << kind;
  }
}

/// E-step at a truth of the catalogue, on rows that it draws itself.
Fitted at_the_truth(const Entry& entry, const Example& example, const Table& table) {
  Fitted fitted = prepare(entry, example.options, example.schema);
  fitted.parameters = example.truth;
  const Expectation e = expect_all(*fitted.model, fitted.parameters, fitted.plan, table.block());
  fitted.statistic = mean(e.sums());
  fitted.training = training_of(e, fitted.parameters);
  return fitted;
}

TEST(Degenerate, no_example_of_the_catalogue_is) {
  for (const Entry& entry : catalogue())
    for (const Example& example : entry.examples()) {
      const auto model = entry.make(example.options, example.schema);
      SimulatedSource source(model, example.schema, example.truth, {.rows = 600, .seed = 3});
      Table table(example.schema.width());
      for (const Block& block : source) table.append(block);
      EXPECT_TRUE(degeneracies(at_the_truth(entry, example, table)).empty())
          << entry.name << " " << example.name;
    }
}

TEST(Degenerate, rates_of_zero_are_an_ordinary_end) {
  const Entry& entry = find_entry("poisson");
  FitJob job{.model = prepare(entry, {{"components", "2"}}, Schema{{"a", "b"}}),
             .options = {.method = Method::batch}};
  Table table(2);
  for (std::size_t t = 0; t < 60; ++t) {
    const std::vector<double> row = {t % 2 == 0 ? 0.0 : 5.0 + static_cast<double>(t % 3),
                                     static_cast<double>(t % 5)};
    table.append(dense_block(row.data(), 1, 2));
  }
  MemorySource source(job.model.schema, table.block());
  const FitOutcome outcome = fit_model(job, source);
  EXPECT_GT(outcome.result.events[Event::floor_reached], 0U);
  EXPECT_TRUE(degeneracies(outcome.fitted).empty());
}

TEST(Degenerate, gamma_components_collapse_too) {
  Table table(1);
  Random random(8);
  for (std::size_t t = 0; t < 200; ++t) {
    const double y = t % 4 == 0 ? 50 : std::exp(normal(random));
    table.append(dense_block(&y, 1, 1));
  }
  FitJob job{.model = prepare(find_entry("gamma"), {{"components", "2"}}, Schema{{"y"}}),
             .options = {.method = Method::batch}};
  MemorySource source(job.model.schema, table.block());
  const auto found = degeneracies(fit_model(job, source).fitted);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Kind::thin);
  EXPECT_EQ(found[0].columns, Numbers{0});
}

TEST(Degenerate, noise_that_is_none_is_named) {
  FitJob job{.model = prepare(find_entry("ppca"), {{"rank", "1"}}, Schema{{"a", "b", "c"}}),
             .options = {.method = Method::batch}};
  Table table(3);
  for (std::size_t t = 0; t < 100; ++t) {
    const double z = static_cast<double>(t % 17) - 8;
    const std::vector<double> row = {z, 2 * z, -z};
    table.append(dense_block(row.data(), 1, 3));
  }
  MemorySource source(job.model.schema, table.block());
  const Fitted fitted = fit_model(job, source).fitted;
  const auto found = degeneracies(fitted);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].components.empty());
  EXPECT_EQ(sentence(found[0], fitted), "the noise has a variance at its floor");
}

TEST(Degenerate, less_than_a_row_and_twins) {
  const Entry& entry = find_entry("poisson");
  Example example = entry.examples().front();
  const std::size_t d = example.schema.width();
  const auto rates = example.truth["rates"];
  std::copy_n(rates.begin(), d, rates.begin() + static_cast<std::ptrdiff_t>(d));
  const auto weights = example.truth["weights"];
  weights[0] = 0.6;
  weights[1] = 0.4 - 1e-9;
  weights[2] = 1e-9;
  const auto model = entry.make(example.options, example.schema);
  SimulatedSource source(model, example.schema, example.truth, {.rows = 300, .seed = 3});
  Table table(d);
  for (const Block& block : source) table.append(block);
  Fitted fitted = at_the_truth(entry, example, table);
  const auto found = degeneracies(fitted);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, Kind::light);
  EXPECT_EQ(found[0].components, Numbers{2});
  EXPECT_EQ(found[0].rows, (*fitted.statistic)["weights"][2] * 300);
  EXPECT_EQ(found[1].kind, Kind::alike);
  EXPECT_EQ(found[1].components, (Numbers{0, 1}));
  EXPECT_EQ(sentence(found[1], fitted), "components 0 and 1 are alike");
  // Weights that sum to 1 are as many rows as there are; frequencies count.
  fitted.training->observations = 1;
  EXPECT_EQ(degeneracies(fitted)[0].rows, found[0].rows);
  fitted.training->observations = 1e15;
  EXPECT_EQ(degeneracies(fitted)[0].kind, Kind::alike);
}

TEST(Degenerate, order_and_names_follow_the_components) {
  FitOutcome outcome = fit(rows_with(40), "diag");
  arrange(outcome, ComponentOrder::weight);
  const auto found = degeneracies(outcome.fitted);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].components, Numbers{2});
  EXPECT_EQ(sentence(found[0], outcome.fitted),
            "component 2 has a variance at its floor in columns width and length");
}

}  // namespace test_degenerate
