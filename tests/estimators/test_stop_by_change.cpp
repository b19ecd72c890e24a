// Batch EM with scikit-learn's habits: its stop rule, runs from several starts, rows that are read where they lie.
#include "list_source.hpp"
#include "runs.hpp"
#include <thalweg/core/capabilities.hpp>
#include <thalweg/estimators/fit.hpp>

#include <optional>

namespace test_stop_by_change {

using namespace runs;
using samples::ListSource;

constexpr std::size_t n = 1500;

/// The stream's start with the constants of all its rows, as a fit has them that looks at all of them.
Parameters calibrated(const Stream& stream) {
  Parameters theta = stream.theta;
  calibrate(*stream.model, stream.table.block(), theta);
  return theta;
}

/// E-step, M-step, until the mean log-likelihood changes by less than the tolerance: written out.
struct ByHand {
  Parameters theta;
  double mean = -HUGE_VAL;
  std::uint64_t iterations = 0;
  bool converged = false;

  ByHand(const Stream& stream, Parameters start, double tolerance, std::uint64_t most)
      : theta(std::move(start)) {
    const Plan plan = stream.model->plan(two_columns());
    while (!converged && iterations < most) {
      const Expectation e = expect_all(*stream.model, theta, plan, stream.table.block());
      maximise(*stream.model, thalweg::mean(e.sums()), {.rows = e.weight(), .floor = 1e-6}, theta);
      const double before = std::exchange(mean, e.log_likelihood() / e.weight());
      converged = std::abs(mean - before) < tolerance;
      ++iterations;
    }
  }
};

FitOptions habits(double tolerance = 1e-3, std::uint64_t most = 100) {
  FitOptions options{.method = Method::batch};
  options.batch = {.tolerance = tolerance, .max_iterations = most, .stop_by = StopBy::change};
  options.keep = 0;
  options.online.buffer = n;
  options.runs = 1;
  return options;
}

FitResult fit(const Stream& stream, const FitOptions& options, Source& source,
              std::vector<Parameters> starts = {}) {
  Fit fit(stream.model, options);
  if (!starts.empty()) fit.begin(std::move(starts));
  return fit.run(source);
}

TEST(StopByChange, EndsWhereTheLoopByHandEnds) {
  const Stream stream(n);
  for (const double tolerance : {1e-2, 1e-4, 0.0})
    for (const std::uint64_t most : {1U, 40U}) {
      const ByHand slow(stream, calibrated(stream), tolerance, most);
      Batch batch(*stream.model, two_columns(),
                  {.tolerance = tolerance, .max_iterations = most, .stop_by = StopBy::change});
      batch.begin(calibrated(stream));
      batch.run(stream.table.block());
      EXPECT_TRUE(same_bits(batch.parameters(), slow.theta));
      EXPECT_EQ(batch.iterations(), slow.iterations);
      EXPECT_EQ(batch.converged(), slow.converged);
      EXPECT_EQ(batch.log_likelihood() / batch.statistic().weight, slow.mean);
      ListSource source(stream.table, 100);
      const FitResult result = fit(stream, habits(tolerance, most), source, {stream.theta});
      EXPECT_TRUE(same_bits(result.parameters, slow.theta)) << "a fit is the same";
      EXPECT_EQ(result.iterations, slow.iterations);
      EXPECT_EQ(result.passes, slow.iterations + 1);
      EXPECT_EQ(source.rewinds(), slow.iterations);
    }
}

TEST(StopByChange, WithoutIterationsTheStartIsAll) {
  const Stream stream(n);
  Batch batch(*stream.model, two_columns(), {.max_iterations = 0, .stop_by = StopBy::change});
  batch.begin(stream.theta);
  batch.run(stream.table.block());
  EXPECT_TRUE(same_bits(batch.parameters(), stream.theta));
  EXPECT_EQ(batch.iterations(), 0U);
  for (const std::uint64_t keep : {std::uint64_t{0}, std::uint64_t{1} << 20U}) {
    ListSource source(stream.table, 100, false);
    FitOptions options = habits(1e-3, 0);
    options.keep = keep;
    const FitResult result = fit(stream, options, source, {stream.theta});
    EXPECT_TRUE(same_bits(result.parameters, calibrated(stream)));
    EXPECT_EQ(result.statistic.size(), 0U) << "there was no E-step";
    EXPECT_FALSE(result.log_likelihood);
    EXPECT_FALSE(result.converged);
    EXPECT_FALSE(result.stopped);
  }
}

TEST(StopByChange, TheFirstChangeIsFromTheBound) {
  const Stream stream(n);
  const ByHand one(stream, stream.theta, 0, 1);
  Batch batch(*stream.model, two_columns(),
              {.tolerance = 1e-3, .stop_by = StopBy::change, .bound = one.mean + 5e-4});
  batch.begin(stream.theta);
  batch.run(stream.table.block());
  EXPECT_EQ(batch.iterations(), 1U);
  EXPECT_TRUE(batch.converged());
}

TEST(StopByChange, LeapsStopByTheGapAndCountEverySweep) {
  const Stream stream(n);
  const auto run = [&stream](std::uint64_t most) {
    Batch batch(*stream.model, two_columns(),
                {.tolerance = 1e-6,
                 .max_iterations = most,
                 .stop_by = StopBy::change,
                 .accelerate = Acceleration::squarem});
    batch.begin(stream.theta);
    std::uint64_t sweeps = 0;
    for (bool done = false; !done; ++sweeps) done = batch.iterate(stream.table.block());
    EXPECT_EQ(batch.iterations(), sweeps);
    return batch;
  };
  EXPECT_TRUE(run(1000).converged());
  EXPECT_EQ(run(7).iterations(), 7U);
  EXPECT_FALSE(run(7).converged());
}

TEST(SeveralRuns, HaveASeedEachAndTheBestEndWins) {
  const Stream stream(n);
  FitOptions options = habits(1e-12, 3);
  options.online.starts = 1;  // on all rows: their sample would have a seed, too
  options.online.seed = 4;
  std::optional<FitResult> best;
  for (std::uint64_t run = 0; run < 4; ++run) {
    ListSource source(stream.table, 100);
    FitOptions one = options;
    one.online.seed += run;
    FitResult result = fit(stream, one, source);
    if (!best || *result.log_likelihood > *best->log_likelihood) best = std::move(result);
  }
  options.runs = 4;
  ListSource source(stream.table, 100);
  const FitResult several = fit(stream, options, source);
  EXPECT_TRUE(same_bits(several.parameters, best->parameters));
  EXPECT_EQ(*several.log_likelihood, *best->log_likelihood);
  EXPECT_EQ(source.rewinds(), 4U * 3U);
}

TEST(SeveralRuns, StartWhereTheyAreTold) {
  const Stream stream(n);
  const Parameters truth = samples::parameters(*stream.model, samples::three_gaussians());
  ListSource one(stream.table, 100);
  ListSource both(stream.table, 100);
  const FitResult alone = fit(stream, habits(1e-5, 2), one, {truth});
  const FitResult result = fit(stream, habits(1e-5, 2), both, {stream.theta, truth});
  EXPECT_TRUE(same_bits(result.parameters, alone.parameters)) << "the better end";
  Fit online(stream.model, {.method = Method::online});
  EXPECT_THROW(online.begin(std::vector{truth, truth}), UsageError);
}

TEST(SeveralRuns, TakeWhatIsKnownOfTheStart) {
  const Stream stream(n);
  FitOptions options = habits(1e-3, 0);
  options.online.impose = [](Parameters& theta) { theta["means"][0] = 42; };
  ListSource source(stream.table, 100);
  EXPECT_EQ(fit(stream, options, source).parameters["means"][0], 42);
}

TEST(SpreadStarts, AreFoundOnRowsOfAllParts) {
  Table sorted(2);  // the last rows lie elsewhere
  const std::vector<double> low = {0, 1};
  const std::vector<double> high = {50, 51};
  for (int t = 0; t < 600; ++t)
    sorted.append(dense_block(t < 500 ? low.data() : high.data(), 1, 2));
  const auto plain = std::make_shared<const GaussianMixture>(Gaussian{}, 1);
  const auto mean_of_start = [&](std::uint64_t keep, bool known) {
    FitOptions options = habits(1e-3, 0);
    options.keep = keep;
    options.online.buffer = 60;
    ListSource source(sorted, 7, true, known);
    return Fit(plain, options).run(source).parameters["means"][0];
  };
  EXPECT_NEAR(mean_of_start(0, true), 50.0 / 6, 1e-9);
  EXPECT_NEAR(mean_of_start(0, false), 50.0 / 6, 1e-9) << "counted, then looked at again";
  // In memory they are drawn: 60 of 600 without replacement, a mean of variance (1/6) (5/6) 50² / 60 (540/599).
  EXPECT_NEAR(mean_of_start(1 << 20, true), 50.0 / 6, 5 * std::sqrt(5.0 / 36 * 2500 / 60));
}

TEST(SpreadStarts, LeaveOutRowsOfWeightZero) {
  Table rows(2);
  for (int t = 0; t < 300; ++t) {
    const std::vector<double> cells = {static_cast<double>(t % 3 == 0 ? 900 : t % 7), 1};
    const double weight = t % 3 == 0 ? 0 : 1;
    Block block = dense_block(cells.data(), 1, 2);
    block.side.weight = &weight;
    rows.append(block);
  }
  const auto plain = std::make_shared<const GaussianMixture>(Gaussian{}, 1);
  FitOptions options = habits(1e-3, 0);
  options.online.buffer = 50;
  ListSource source(rows, 11);
  const FitResult result = Fit(plain, options).run(source);
  EXPECT_LT(result.parameters["means"][0], 7);
  EXPECT_EQ(result.rows, 300U);
  EXPECT_EQ(result.weight, 200);
  EXPECT_EQ(source.rewinds(), 1U) << "a second look";
}

/// Asks to stop after so many questions.
std::function<bool()> after(std::size_t questions) {
  return [left = questions]() mutable { return left == 0 || left-- == 0; };
}

TEST(StopByChange, AnEStepThatIsCutShortIsAsIfItHadNotBegun) {
  const Stream stream(n);
  const std::size_t blocks = n / 100;
  const ByHand two(stream, calibrated(stream), 0, 2);
  FitOptions options = habits(0, 50);
  // The first look and two iterations, each with a question behind it, then half an E-step.
  options.stop = after(3 * (blocks + 2) + 2 + blocks / 2);
  ListSource source(stream.table, 100);
  const FitResult result = fit(stream, options, source, {stream.theta});
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.iterations, 2U);
  EXPECT_TRUE(same_bits(result.parameters, two.theta));
  EXPECT_EQ(*result.log_likelihood / result.weight, two.mean);
}

TEST(StopByChange, StoppedBeforeThereIsAStartItHasNothing) {
  const Stream stream(n);
  FitOptions options = habits();
  options.stop = after(3);
  ListSource source(stream.table, 100);
  const FitResult result = fit(stream, options, source);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.parameters.size(), 0U);
}

TEST(StopByChange, IsRefusedWhereItMeansNothing) {
  const Stream stream(n);
  FitOptions options = habits();
  options.method = Method::online;
  EXPECT_THROW(Fit(stream.model, options), UsageError);
  ListSource pipe(stream.table, 100, false);
  try {
    fit(stream, habits(), pipe, {stream.theta});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("read only once"), std::string::npos) << error.what();
  }
}

}  // namespace test_stop_by_change
