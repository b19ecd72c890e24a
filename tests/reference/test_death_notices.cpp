// Death notices of The Times, 1910–1912: the published two-Poisson fit, by batch EM and by online EM.
//
// Data and answer: Hasselblad (1969); Titterington, Smith & Makov (1985); Lange, Applied Probability, table 2.6:
// alpha .3599, mu 1.256 and 2.663, log-likelihood -1989.946. More digits: EM in double precision from the same start.
#include "reference.hpp"
#include "samples.hpp"
#include <thalweg/estimators/fit.hpp>
#include <thalweg/estimators/incremental.hpp>
#include <thalweg/estimators/variance_reduced.hpp>

namespace test_death_notices {

using namespace thalweg;
using samples::PoissonMixture;

constexpr double maximum = -1989.945859883225;
constexpr double days = 1096;

class DeathNotices : public ::testing::Test {
 protected:
  DeathNotices() {
    const textbook::Data columns =
        reference::columns(reference::shipped("death_notices.csv"), 0, 1);
    for (const auto& row : columns.rows) {
      counts_.rows.push_back({row[0]});
      counts_.weights.push_back(row[1]);
    }
  }

  textbook::Data counts_;  // ten rows with weights
  PoissonMixture model_{{}, 2};
  Schema schema_{{"count"}};
  textbook::Theta start_ = reference::poisson_start({1.0784671532846715, 3.2354014598540144});
};

void expect_published(const Parameters& theta, double digits) {
  const std::size_t low = theta["rates"][0] < theta["rates"][1] ? 0 : 1;
  EXPECT_NEAR(theta["weights"][low], 0.3599, digits);
  EXPECT_NEAR(theta["rates"][low], 1.256, digits);
  EXPECT_NEAR(theta["rates"][1 - low], 2.663, digits);
}

TEST_F(DeathNotices, are_all_there) {
  double sum = 0;
  double total = 0;
  for (std::size_t t = 0; t < counts_.rows.size(); ++t) {
    total += counts_.weights[t];
    sum += counts_.weights[t] * counts_.rows[t][0];
  }
  EXPECT_EQ(counts_.rows.size(), 10U);
  EXPECT_EQ(total, days);
  EXPECT_NEAR(sum / total, 2.156934306569343, 1e-14);
}

// The EM map contracts slowly here (rate .994, some two thousand iterations), so the estimated gap must be below 1e-11 a
// row before the parameters have four digits.
TEST_F(DeathNotices, batch_reaches_the_published_fit) {
  const Table table = samples::table(counts_);
  Batch batch(model_, schema_, {.tolerance = 1e-11, .regularisation = {.floor = 0}});
  batch.begin(samples::parameters(model_, start_));
  batch.run(table.block());
  EXPECT_TRUE(batch.converged());
  EXPECT_NEAR(batch.log_likelihood() / days, maximum / days, 1e-6);
  EXPECT_NEAR(batch.log_likelihood(), maximum, 1e-6);
  expect_published(batch.parameters(), 6e-4);
  EXPECT_FALSE(batch.events().any());
}

TEST_F(DeathNotices, the_default_tolerance_is_good_to_a_millionth_a_row) {
  const Table table = samples::table(counts_);
  Batch batch(model_, schema_);
  batch.begin(samples::parameters(model_, start_));
  batch.run(table.block());
  EXPECT_TRUE(batch.converged());
  EXPECT_NEAR(batch.log_likelihood() / days, maximum / days, 1e-6);
}

/// The days themselves, shuffled once.
Table expanded(const textbook::Data& counts) {
  std::vector<double> all;
  for (std::size_t t = 0; t < counts.rows.size(); ++t)
    all.insert(all.end(), static_cast<std::size_t>(counts.weights[t]), counts.rows[t][0]);
  std::shuffle(all.begin(), all.end(), std::mt19937_64(1));
  Table table(1);
  table.append(dense_block(all.data(), all.size(), 1));
  return table;
}

double log_likelihood_a_row(const PoissonMixture& model, const Parameters& theta,
                            const Table& table) {
  Sums sums(model.plan(Schema::numbered(1)).statistic);
  return expect(model, theta, table.block(), sums) / static_cast<double>(table.rows());
}

// Textbook recursion, one row a step, gamma_k = k^-0.6, polynomial averaging, 200 passes over the 1,096 days.
TEST_F(DeathNotices, online_reaches_it_in_200_passes) {
  const Table table = expanded(counts_);
  Recursion run(model_, schema_, {.step = Schedule::power(0.6), .batch_size = 1, .warmup = 20});
  run.begin(samples::parameters(model_, start_));
  for (int pass = 0; pass < 200; ++pass) run.learn(table.block());
  EXPECT_EQ(run.rows(), 200U * 1096U);
  EXPECT_NEAR(log_likelihood_a_row(model_, run.reported(), table), maximum / days, 1e-4);
}

// The same through a whole fit, with a buffer and mini-batches, as a user would ask for it.
TEST_F(DeathNotices, online_with_mini_batches_too) {
  const Table table = expanded(counts_);
  Recursion run(model_, schema_, {.step = Schedule::power(0.6), .batch_size = 8, .warmup = 20});
  run.begin(samples::parameters(model_, start_));
  for (int pass = 0; pass < 200; ++pass) run.learn(table.block());
  EXPECT_NEAR(log_likelihood_a_row(model_, run.reported(), table), maximum / days, 1e-4);
}

TEST_F(DeathNotices, squarem_reaches_it_in_fewer_iterations) {
  const Table table = samples::table(counts_);
  Batch plain(model_, schema_);
  Batch fast(model_, schema_, {.accelerate = Acceleration::squarem});
  for (Batch* batch : {&plain, &fast}) {
    batch->begin(samples::parameters(model_, start_));
    batch->run(table.block());
  }
  EXPECT_TRUE(fast.converged());
  EXPECT_NEAR(fast.log_likelihood() / days, maximum / days, 1e-8);
  EXPECT_LT(4 * fast.iterations(), plain.iterations());
  expect_published(fast.parameters(), 2e-3);
}

TEST_F(DeathNotices, incremental_reaches_it) {
  const Table table = expanded(counts_);
  Incremental run(model_, schema_);
  run.begin(samples::parameters(model_, start_));
  run.run(table.block());
  EXPECT_TRUE(run.converged());
  EXPECT_NEAR(run.log_likelihood() / days, maximum / days, 1e-6);
}

TEST_F(DeathNotices, variance_reduced_reaches_it_in_two_hundred_passes) {
  const Table table = expanded(counts_);
  VarianceReduced run(model_, schema_);
  run.begin(samples::parameters(model_, start_));
  run.run(table.block());
  EXPECT_TRUE(run.converged());
  EXPECT_LE(run.passes(), 200U);
  EXPECT_NEAR(run.log_likelihood() / days, maximum / days, 1e-7);
}

// A frequency table has ten rows: ten mini-batches of one row each.
TEST_F(DeathNotices, both_take_the_frequency_table_as_it_is) {
  const Table table = samples::table(counts_);
  Incremental incremental(model_, schema_, {.warmup = 9});
  VarianceReduced reduced(model_, schema_);
  incremental.begin(samples::parameters(model_, start_));
  reduced.begin(samples::parameters(model_, start_));
  incremental.run(table.block());
  reduced.run(table.block());
  EXPECT_NEAR(incremental.log_likelihood() / days, maximum / days, 1e-6);
  EXPECT_NEAR(reduced.log_likelihood() / days, maximum / days, 1e-6);
}

TEST_F(DeathNotices, gradient_reaches_it_in_200_passes) {
  const Table table = expanded(counts_);
  Recursion run(
      model_, schema_,
      {.update = Update::gradient, .step = Schedule::power(0.6), .batch_size = 8, .warmup = 20});
  run.begin(samples::parameters(model_, start_));
  for (int pass = 0; pass < 200; ++pass) run.learn(table.block());
  EXPECT_NEAR(log_likelihood_a_row(model_, run.reported(), table), maximum / days, 1e-4);
}

}  // namespace test_death_notices
