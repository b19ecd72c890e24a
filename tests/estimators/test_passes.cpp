// How many passes each method needs on the source's Poisson mixture, (.8; 1, 3) from (.5; 0.7, 4.5), until its log-likelihood is
// within 1e-4, 1e-6 and 1e-8 a row of the maximum. Of 100,000 rows the theory's table tells the passes. Records of 1,000 rows differ
// much, but whatever makes one of them hard for batch EM makes it hard for all: there the table tells the passes of a method over
// those of batch EM on the same record.
#include "runs.hpp"
#include <thalweg/estimators/incremental.hpp>
#include <thalweg/estimators/slowest.hpp>
#include <thalweg/estimators/variance_reduced.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace test_passes {

using namespace runs;

using Passes = std::array<std::uint64_t, 3>;
using Bars = std::array<double, 3>;

class Race {
 public:
  Race(std::size_t rows, unsigned seed)
      : data_(samples::draw(samples::source_poisson(), rows, seed)),
        table_(samples::table(data_)),
        counts_(samples::table(samples::histogram(data_))) {
    textbook::Theta start = samples::source_poisson();
    start.weights = {0.5L, 0.5L};
    start.first = {{0.7L}, {4.5L}};
    start_ = samples::parameters(model_, start);
    Batch best(model_, schema_, {.tolerance = 1e-13, .max_iterations = 20'000});
    best.begin(start_);
    best.run(counts_.block());
    maximum_ = mean_log_likelihood(best.parameters());
    rate_ = slowest_direction(model_, best.plan(), best.parameters(), counts_.block()).rate;
  }

  /// Batch EM's at the maximum: the slowest error shrinks so in an iteration, the likelihood's gap by its square.
  double rate() const { return rate_; }

  /// Every E-step is a pass; the likelihood it gives is that of the parameters before.
  Passes batch(Acceleration accelerate) const {
    Batch batch(model_, schema_, {.accelerate = accelerate});
    std::uint64_t passes = 0;
    return passes_of(batch, counts_.block(), [&](const auto& run) {
      ++passes;
      return std::pair(passes, run.log_likelihood() / static_cast<double>(table_.rows()));
    });
  }
  Passes incremental() const {
    Incremental incremental(model_, schema_, {.batch_size = 1, .warmup = 20});
    return passes_of(incremental, table_.block(), [&](const auto& run) {
      return std::pair(run.iterations(), mean_log_likelihood(run.parameters()));
    });
  }
  Passes variance_reduced() const {
    VarianceReduced reduced(model_, schema_);
    return passes_of(reduced, table_.block(), [&](const auto& run) {
      return std::pair(run.passes(), mean_log_likelihood(run.parameters()));
    });
  }

 private:
  double mean_log_likelihood(const Parameters& theta) const {
    Sums sums(model_.plan(schema_).statistic);
    return expect(model_, theta, counts_.block(), sums) / sums.weight;
  }

  template <class Estimator, class Look>
  Passes passes_of(Estimator& estimator, const Block& rows, const Look& look) const {
    Passes needed{};
    estimator.begin(start_);
    for (bool done = false; !done;) {
      done = estimator.iterate(rows);
      const auto [passes, value] = look(estimator);
      for (std::size_t i = 0; i < 3; ++i)
        if (needed[i] == 0 &&
            maximum_ - value <= std::pow(10.0, -4.0 - 2.0 * static_cast<double>(i)))
          needed[i] = passes;
    }
    EXPECT_GT(needed[2], 0U) << "stopped before";
    return needed;
  }

  PoissonMixture model_{{}, 2};
  Schema schema_ = Schema::numbered(1);
  textbook::Data data_;
  Table table_;
  Table counts_;
  Parameters start_;
  double maximum_ = 0;
  double rate_ = 0;
};

void expect_within(const Passes& passes, Bars bars, double factor, const std::string& what) {
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LE(static_cast<double>(passes[i]), factor * bars[i]) << what << ", gap " << i;
}

/// One method's passes over those of batch EM, record by record, against what the table says of both.
class Shares {
 public:
  void add(const Passes& passes, const Passes& batch) {
    for (std::size_t i = 0; i < 3; ++i)
      found_[i].push_back(static_cast<double>(passes[i]) / static_cast<double>(batch[i]));
  }
  void expect_within(Bars bars, double factor, const std::string& what) {
    constexpr Bars batch = {34, 98, 160};
    for (std::size_t i = 0; i < 3; ++i) {
      std::ranges::sort(found_[i]);
      EXPECT_LE(found_[i][found_[i].size() / 2], factor * bars[i] / batch[i])
          << "median of " << what << ", gap " << i;
    }
  }

 private:
  std::array<std::vector<double>, 3> found_;
};

TEST(Passes, thousand_rows) {
  Shares squarem;
  Shares incremental;
  Shares reduced;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const Race race(1000, seed);
    const Passes batch = race.batch(Acceleration::none);
    // From 1e-6 to 1e-8 only the slowest error is left: rate^(2 passes) = 1/100.
    const double two_digits = std::log(100.0) / (-2 * std::log(race.rate()));
    EXPECT_NEAR(static_cast<double>(batch[2] - batch[1]), two_digits, 1.5 + 0.02 * two_digits);
    squarem.add(race.batch(Acceleration::squarem), batch);
    incremental.add(race.incremental(), batch);
    reduced.add(race.variance_reduced(), batch);
  }
  squarem.expect_within({12, 21, 33}, 1.3, "squarem");
  incremental.expect_within({18, 50, 81}, 1.1, "incremental");
  reduced.expect_within({6, 12, 21}, 1.5, "variance-reduced");
}

TEST(Passes, hundred_thousand_rows) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    const Race race(100'000, seed);
    expect_within(race.batch(Acceleration::none), {53, 146, 235}, 1.1, "batch");
    expect_within(race.batch(Acceleration::squarem), {15, 45, 69}, 1.3, "squarem");
    expect_within(race.variance_reduced(), {6, 6, 9}, 1.5, "variance-reduced");
  }
}

TEST(SlowPasses, incremental_on_hundred_thousand_rows) {
  expect_within(Race(100'000, 1).incremental(), {28, 74, 119}, 1.1, "incremental");
}

}  // namespace test_passes
