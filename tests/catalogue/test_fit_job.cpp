// The fit service: a job becomes a fitted model whose record tells what was done, whatever face asked for it.
#include "catalogue/asked_regularisation.hpp"
#include "catalogue/fitted_regularisation.hpp"
#include "catalogue/training.hpp"
#include <thalweg/catalogue/comparison.hpp>
#include <thalweg/catalogue/fit_job.hpp>
#include <thalweg/catalogue/merge.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/sources/memory.hpp>
#include <thalweg/sources/simulated.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace test_fit_job {

using namespace thalweg;

/// Rows that an example of the catalogue draws from its own truth.
struct Drawn {
  Example example;
  Table table;

  Drawn(const char* model, std::size_t rows, std::size_t which = 0)
      : example(find_entry(model).examples().at(which)), table(example.schema.width()) {
    const auto made = find_entry(model).make(example.options, example.schema);
    std::vector<double> row(example.schema.width());
    for (std::size_t t = 0; t < rows; ++t) {
      Random random(5, t);
      draw(*made, example.truth, random, row.data());
      table.append(dense_block(row.data(), 1, row.size()));
    }
  }
  FitJob job(const char* model, FitOptions options = {}) const {
    return {.model = prepare(find_entry(model), example.options, example.schema),
            .options = std::move(options)};
  }
  FitOutcome fit(const FitJob& job, std::size_t begin = 0, std::size_t end = 0) const {
    const Block all = table.block();
    MemorySource source(example.schema, all.slice(begin, (end > 0 ? end : all.rows) - begin));
    return fit_model(job, source);
  }
};

TEST(FitJob, GivesTheModelWithItsRecord) {
  const Drawn drawn("poisson", 2000);
  FitJob job = drawn.job("poisson", {.method = Method::batch});
  job.options.online.seed = 3;
  job.with_baseline = true;
  job.with_diagnosis = true;
  const FitOutcome outcome = drawn.fit(job);
  const Training& training = *outcome.fitted.training;
  EXPECT_EQ(training.method, "batch");
  EXPECT_EQ(training.rows, 2000U);
  EXPECT_EQ(training.observations, 2000);
  EXPECT_EQ(training.seed, 3U);
  EXPECT_EQ(training.log_likelihood, outcome.result.log_likelihood);
  EXPECT_FALSE(training.progressive_mean_log_likelihood);
  EXPECT_EQ(*outcome.mean, *training.log_likelihood / 2000);
  EXPECT_EQ(*outcome.bic, -2 * *training.log_likelihood +
                              static_cast<double>(outcome.free_parameters) * std::log(2000.0));
  EXPECT_GT(*outcome.icl, *outcome.bic);
  ASSERT_TRUE(outcome.baseline_bic);
  EXPECT_GT(*outcome.baseline_bic, *outcome.bic) << "three components are better than one";
  EXPECT_TRUE(outcome.diagnosis);
}

TEST(FitJob, AGradientFitHasAProgressiveMeanAndNoLikelihood) {
  const Drawn drawn("poisson", 4000);
  const FitOutcome outcome = drawn.fit(drawn.job("poisson", {.method = Method::gradient}));
  const Training& training = *outcome.fitted.training;
  EXPECT_EQ(training.method, "gradient");
  EXPECT_TRUE(training.progressive_mean_log_likelihood);
  EXPECT_FALSE(training.log_likelihood);
  EXPECT_FALSE(training.step.empty());
}

TEST(FitJob, SeveralPassesMakeNoMoreRows) {
  const Drawn drawn("poisson", 3000);
  FitJob job = drawn.job("poisson", {.method = Method::online, .passes = 3});
  job.options.batch.tolerance = 1e-300;
  const FitOutcome outcome = drawn.fit(job);
  EXPECT_EQ(outcome.result.passes, 3U);
  EXPECT_EQ(outcome.fitted.statistic->weight, 3000);
  EXPECT_EQ(outcome.fitted.training->observations, 3000);

  // A file of an earlier version counted every pass: it goes on as one that does not.
  Fitted old = outcome.fitted;
  old.statistic->weight = 9000;
  EXPECT_EQ(continuable(old, "old.json").statistic->weight, 3000);

  // Batches that come later have the steps that they have after so many rows.
  FitJob later = drawn.job("poisson", {.method = Method::online});
  struct Rates final : Observer {
    void on(const Step& step) override {
      if (step.phase == Phase::online) last = step.rate;
    }
    double last = 0;
  } after_passes;
  Rates after_one;
  later.observers = {&after_passes};
  later.earlier = continuable(outcome.fitted, "m");
  drawn.fit(later, 0, 1000);
  later.observers = {&after_one};
  later.earlier =
      continuable(drawn.fit(drawn.job("poisson", {.method = Method::online})).fitted, "m");
  drawn.fit(later, 0, 1000);
  EXPECT_EQ(after_passes.last, after_one.last);
}

TEST(FitJob, GoesOnFromAnEarlierFit) {
  const Drawn drawn("poisson", 4000);
  const FitOutcome first = drawn.fit(drawn.job("poisson", {.method = Method::online}), 0, 2500);
  FitJob job = drawn.job("poisson", {.method = Method::online});
  job.earlier = continuable(first.fitted, "m.json");
  const FitOutcome both = drawn.fit(job, 2500, 4000);
  EXPECT_EQ(both.fitted.training->rows, 4000U);
  EXPECT_EQ(both.fitted.training->observations, 4000);
  EXPECT_EQ(both.result.rows, 1500U);
  EXPECT_EQ(both.fitted.statistic->weight, 4000);
  Fitted bare = first.fitted;
  bare.statistic.reset();
  EXPECT_THROW(continuable(bare, "m.json"), Error);
}

double largest_product(const Fitted& fitted) {
  const auto loadings = fitted.parameters["loadings"];
  const std::size_t r = fitted.options.count("rank");
  double largest = 0;
  for (std::size_t a = 0; a < r; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      double product = 0;
      for (std::size_t j = 0; j < fitted.schema.width(); ++j)
        product += loadings[j * r + a] * loadings[j * r + b];
      largest = std::max(largest, std::abs(product));
    }
  return largest;
}

TEST(FitJob, FactorsAreAlignedUnlessTheyAreHeld) {
  const Drawn drawn("ppca", 500, 1);
  FitOutcome outcome = drawn.fit(drawn.job("ppca", {.method = Method::batch}));
  const auto loadings = outcome.fitted.parameters["loadings"];
  for (std::size_t j = 0; j < outcome.fitted.schema.width(); ++j) {  // turned by a radian
    const double a = loadings[2 * j];
    const double b = loadings[2 * j + 1];
    loadings[2 * j] = std::cos(1) * a - std::sin(1) * b;
    loadings[2 * j + 1] = std::sin(1) * a + std::cos(1) * b;
  }
  Fitted held = outcome.fitted;
  held.regularisation.fixed = std::make_shared<const Fixed>(Fixed::parse("loadings"));
  align_factors(held);
  EXPECT_TRUE(std::ranges::equal(held.parameters.values(), outcome.fitted.parameters.values()));
  ASSERT_GT(largest_product(outcome.fitted), 1e-6);
  arrange(outcome, ComponentOrder::none);
  EXPECT_LT(largest_product(outcome.fitted), 1e-9);
  Fitted placed = outcome.fitted;
  placed.statistic.reset();
  align_factors(placed);
  EXPECT_LT(largest_product(placed), 1e-9) << "without a statistic, too";
}

TEST(FitJob, ComponentsAreArrangedWithTheirEvents) {
  const Drawn drawn("poisson", 2000);
  FitOutcome outcome = drawn.fit(drawn.job("poisson", {.method = Method::batch}));
  arrange(outcome, ComponentOrder::weight);
  EXPECT_TRUE(std::ranges::is_sorted(outcome.fitted.parameters["weights"], std::greater<>()));
}

TEST(Training, ComesBackFromASavedState) {
  const Drawn drawn("poisson", 1500);
  FitJob job = drawn.job("poisson", {.method = Method::online});
  Training training = *drawn.fit(job).fitted.training;
  training.labels = {"low", "", "high"};
  training.taken_at = "0123456789abcdef";
  training.events.count(Event::empty_component, 2);
  Archive archive;
  save(training, archive);
  const Training again = load_training(archive);
  Fitted one = job.model;
  Fitted other = job.model;
  one.training = training;
  other.training = again;
  EXPECT_EQ(to_json(to_file(one)), to_json(to_file(other)));
  Archive damaged;
  EXPECT_THROW(load_training(damaged), Error);
}

TEST(Comparison, TakesTheBestAndTellsEverySize) {
  const Drawn drawn("poisson", 3000);
  std::vector<std::uint64_t> told;
  ComparisonJob job{.fit = drawn.job("poisson", {.method = Method::batch}),
                    .first = 1,
                    .last = 4,
                    .told = [&told](const SizeScores& scores) { told.push_back(scores.size); }};
  MemorySource source(drawn.example.schema, drawn.table.block());
  const Block all = drawn.table.block();
  const auto found = compare_sizes(job, source, &all);
  ASSERT_TRUE(found);
  EXPECT_EQ(told, (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(found->chosen_by, "bic");
  const std::uint64_t kept = found->best.fitted.options.count("components");
  EXPECT_EQ(found->table[found->preferred.at("bic")].size, kept);
  EXPECT_EQ(found->table[found->kept].size, kept);
  for (const SizeScores& scores : found->table) {
    EXPECT_TRUE(scores.held_out && scores.icl);
    EXPECT_GE(*scores.bic, *found->best.bic);
  }
  // A stream has no likelihood of all rows: what was scored before it was learned decides.
  job.fit.options = {.method = Method::online};
  source.rewind();
  const auto streamed = compare_sizes(job, source, nullptr);
  ASSERT_TRUE(streamed);
  EXPECT_EQ(streamed->chosen_by, "held-out");
  EXPECT_FALSE(streamed->table.front().bic);
  EXPECT_TRUE(streamed->table.front().held_out);
}

TEST(Comparison, AnInterruptedFitIsComparedWithNothing) {
  const Drawn drawn("poisson", 500);
  ComparisonJob job{.fit = drawn.job("poisson", {.method = Method::batch}), .first = 1, .last = 3};
  bool stop = false;
  job.fit.options.stop = [&stop] { return stop; };
  job.told = [&stop](const SizeScores&) { stop = true; };
  MemorySource source(drawn.example.schema, drawn.table.block());
  const auto found = compare_sizes(job, source, nullptr);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->table.size(), 1U);
  EXPECT_TRUE(found->best.result.stopped);
  EXPECT_FALSE(compare_sizes(job, source, nullptr)) << "not even one";
}

TEST(AskedRegularisation, SaysWhatTheOptionsSay) {
  const Drawn drawn("gaussian", 10);
  const Fitted model = drawn.job("gaussian").model;
  OptionValues values;
  values.set("floor", "0.01");
  values.set("ridge", "0.5");
  values.set("prior", "7");
  const Regularisation asked = asked_regularisation(values, model, nullptr, false);
  EXPECT_EQ(asked.floor, 0.01);
  EXPECT_EQ(asked.ridge, 0.5);
  EXPECT_EQ(asked.prior_strength, 7);
  values.set("prior", "-1");
  EXPECT_THROW(asked_regularisation(values, model, nullptr, false), UsageError);
  values.set("prior", "no such file");
  EXPECT_THROW(asked_regularisation(values, model, nullptr, true), UsageError);
  EXPECT_THROW(asked_regularisation(values, model, nullptr, false), Error);
}

}  // namespace test_fit_job
