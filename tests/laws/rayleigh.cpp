// A user's own model, as the example shows it, runs under every estimator: only its class was written.
#include <thalweg/thalweg.hpp>

#include <gtest/gtest.h>

#include <sstream>

#define main rayleigh_main
#include "../../examples/rayleigh.cpp"
#undef main

namespace {

class Rayleigh : public testing::Test {
 protected:
  Rayleigh() : truth_(model_.plan(schema_).parameters), rows_(1) {
    std::ranges::copy(std::vector{0.7, 0.3}, truth_["weights"].begin());
    std::ranges::copy(std::vector{1.0, 9.0}, truth_["sigma2"].begin());
    for (std::size_t t = 0; t < 20'000; ++t) {
      Random random(3, t);
      double y = 0;
      draw(model_, truth_, random, &y);
      rows_.append_row(&y, 0.5 + static_cast<double>(t % 2));
    }
  }

  double likelihood(const Parameters& theta) const {
    Sums sums(model_.plan(schema_).statistic);
    return model_.expect(theta, rows_.block(), sums) / sums.weight;
  }

  /// No worse than the truth by more than the sampling error of three parameters.
  void expect_found(const Parameters& theta) const {
    EXPECT_GT(likelihood(theta), likelihood(truth_) - 10.0 / 20'000);
    EXPECT_NEAR(theta["weights"][0] + theta["weights"][1], 1, 1e-12);
  }

  Parameters near() const {
    Parameters theta = truth_;
    theta["sigma2"][0] *= 1.5;
    theta["weights"][0] = theta["weights"][1] = 0.5;
    return theta;
  }

  FitResult fit(Method method) const {
    MemorySource source(schema_, rows_, 333);
    return Fit(model_, {.method = method}).run(source);
  }

  RayleighMixture model_{2};
  Schema schema_{{"height"}};
  Parameters truth_;
  Table rows_;
};

TEST_F(Rayleigh, BatchNeverFallsAndConverges) {
  Batch batch(model_, schema_);
  batch.begin(near());
  const Block rows = rows_.block();
  double last = -HUGE_VAL;
  for (bool done = false; !done;) {
    done = batch.iterate(rows);
    EXPECT_GE(batch.log_likelihood(), last - 1e-12 * std::abs(last));
    last = batch.log_likelihood();
  }
  EXPECT_TRUE(batch.converged());
  expect_found(batch.parameters());
}

TEST_F(Rayleigh, RecursionRunsByTheTextbookAndInMiniBatches) {
  for (const std::size_t m : {1U, 25U}) {
    Recursion recursion(model_, schema_, {.batch_size = m, .warmup = 100});
    recursion.begin(near());
    recursion.learn(rows_.block());
    recursion.finish();
    expect_found(recursion.reported());
  }
}

TEST_F(Rayleigh, OnlineFindsItsStartAndResumes) {
  const OnlineOptions options{.buffer = 500};
  Online online(model_, schema_, options);
  online.learn(rows_.block().slice(0, 1700));  // in the middle of the race
  std::stringstream bytes;
  online.save().write(bytes);
  Online resumed(model_, schema_, options);
  resumed.load(Archive::read(bytes));
  for (Online* run : {&online, &resumed}) {
    run->learn(rows_.block().slice(1700, rows_.rows() - 1700));
    run->finish();
  }
  expect_found(online.reported());
  EXPECT_GT(online.starts().size(), 1U);
  EXPECT_TRUE(std::ranges::equal(online.reported().values(), resumed.reported().values()));
}

TEST_F(Rayleigh, FitsByEveryMethod) {
  for (const Method method : {Method::automatic, Method::online, Method::batch, Method::incremental,
                              Method::variance_reduced}) {
    const FitResult result = fit(method);
    expect_found(result.parameters);
    EXPECT_EQ(result.converged, method != Method::online);
    EXPECT_FALSE(result.events.any());
  }
}

TEST_F(Rayleigh, RefusesWhatIsNoNumber) {
  Online online(model_, schema_);
  const double missing = std::nan("");
  EXPECT_THROW(online.learn(dense_block(&missing, 1, 1)), RowError);
}

TEST(SlowRayleigh, ExampleRuns) { EXPECT_EQ(rayleigh_main(), 0); }

}  // namespace
