// Batch EM: iteration by iteration the textbook's, up to the maximum, and honest about what it reports.
#include "core/change.hpp"
#include "runs.hpp"
#include <thalweg/core/border.hpp>

namespace test_batch {

using namespace runs;

TEST(Batch, iterations_are_the_textbooks) {
  const Stream stream(500);
  Batch batch(*stream.model, two_columns(), {.regularisation = {.floor = 0}});
  batch.begin(stream.theta);
  textbook::Theta slow = stream.start;
  const Block rows = stream.table.block();
  for (int i = 0; i < 15; ++i) {
    ASSERT_FALSE(batch.iterate(rows));
    const auto expected = static_cast<double>(textbook::log_likelihood(slow, stream.data));
    EXPECT_NEAR(batch.log_likelihood(), expected, 1e-11 * std::abs(expected)) << i;
    slow = textbook::batch_iteration(slow, stream.data);
    EXPECT_LT(samples::difference(samples::theta(batch.parameters()), slow), 1e-9) << i;
    EXPECT_EQ(batch.iterations(), static_cast<std::uint64_t>(i + 1));
  }
}

TEST(Batch, never_lowers_the_likelihood) {
  const Stream stream(500, 2);
  Batch batch(*stream.model, two_columns());
  batch.begin(stream.theta);
  expect_ascent(batch, stream.table.block());
  EXPECT_TRUE(batch.converged());
  EXPECT_FALSE(batch.events().any());
}

TEST(Batch, ends_at_a_fixed_point_with_its_own_log_likelihood) {
  const Stream stream(800, 3);
  Batch batch(*stream.model, two_columns());
  batch.begin(stream.theta);
  batch.run(stream.table.block());
  ASSERT_TRUE(batch.converged());
  const textbook::Theta end = samples::theta(batch.parameters());
  const auto expected = static_cast<double>(textbook::log_likelihood(end, stream.data));
  EXPECT_NEAR(batch.log_likelihood(), expected, 1e-11 * std::abs(expected));
  const Parameters next =
      samples::parameters(*stream.model, textbook::batch_iteration(end, stream.data));
  EXPECT_LT(change(batch.parameters(), next), 1e-6);
  const textbook::Statistic S = textbook::expect(end, stream.data);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(batch.statistic()["weights"][k], static_cast<double>(S.weight[k]), 1e-12);
  EXPECT_DOUBLE_EQ(batch.statistic().weight, 800.0);
}

// What the tolerance promises: no more than 1e-8 nat a row is left.
TEST(Batch, leaves_no_more_than_its_tolerance) {
  const Stream stream(2000, 4);
  const auto end = [&stream](double tolerance) {
    Batch batch(*stream.model, two_columns(), {.tolerance = tolerance});
    batch.begin(stream.theta);
    batch.run(stream.table.block());
    EXPECT_TRUE(batch.converged());
    return batch.log_likelihood() / 2000;
  };
  const double best = end(1e-12);
  EXPECT_NEAR(end(1e-8), best, 2e-8);
  EXPECT_NEAR(end(1e-5), best, 2e-5);
}

TEST(Batch, row_order_and_weights_act_as_mathematics_says) {
  const Stream stream(600, 5);
  textbook::Data other;
  for (std::size_t t = 600;
       t-- > 0;) {  // backwards, every fifth row once with weight 3, thrice in `repeated`
    other.rows.push_back(stream.data.rows[t]);
    other.weights.push_back(t % 5 == 0 ? 3 : 1);
  }
  textbook::Data repeated;
  for (std::size_t t = 0; t < 600; ++t)
    for (int i = 0; i < (t % 5 == 0 ? 3 : 1); ++i) repeated.rows.push_back(stream.data.rows[t]);
  const auto fit = [&stream](const textbook::Data& data) {
    const Table table = samples::table(data);
    Batch batch(*stream.model, two_columns(), {.tolerance = 1e-12});
    batch.begin(stream.theta);
    batch.run(table.block());
    return samples::theta(batch.parameters());
  };
  EXPECT_LT(samples::difference(fit(other), fit(repeated)), 1e-6);
}

TEST(Batch, stops_at_the_iterations_allowed) {
  const Stream stream(300);
  Batch batch(*stream.model, two_columns(), {.max_iterations = 4});
  batch.begin(stream.theta);
  batch.run(stream.table.block());
  EXPECT_EQ(batch.iterations(), 4U);
  EXPECT_FALSE(batch.converged());
  const auto expected = static_cast<double>(
      textbook::log_likelihood(samples::theta(batch.parameters()), stream.data));
  EXPECT_NEAR(batch.log_likelihood(), expected, 1e-10 * std::abs(expected));
}

// Eigenvalues of the EM map at the source's mixture: .97361 is the rate of convergence (theory notes).
TEST(Batch, converges_at_the_rate_of_theory) {
  const textbook::Theta truth = samples::source_poisson();
  textbook::Data histogram;  // the population itself: counts weighted by their probability
  for (int y = 0; y < 40; ++y) {
    histogram.rows.push_back({static_cast<double>(y)});
    histogram.weights.push_back(
        static_cast<double>(1e6 * std::exp(textbook::log_density(truth, histogram.rows.back()))));
  }
  const PoissonMixture model({}, 2);
  const Table table = samples::table(histogram);
  Batch batch(model, Schema::numbered(1), {.tolerance = 0});
  batch.begin(samples::parameters(model, samples::off(truth)));
  const Block rows = table.block();
  while (!batch.iterate(rows) && batch.iterations() < 300) {
  }
  // Increments of the log-likelihood are quadratic in the distance: they shrink by the square.
  EXPECT_NEAR(std::sqrt(batch.rate()), 0.97361, 2e-4);
}

// One absurd cell must not turn the whole fit into NaN: parameters stay finite, and what is worse is refused.
TEST(Batch, an_absurd_cell_does_not_spoil_the_parameters) {
  for (const double absurd : {1e50, 1e100}) {
    Stream stream(300);
    const Block calm = stream.table.block();
    const Parameters theta = samples::parameters(*stream.model, stream.start, calm);
    const std::vector<double> row{absurd, 0};
    stream.table.append_row(row.data());
    Batch batch(*stream.model, two_columns(), {.max_iterations = 20});
    batch.begin(theta);
    batch.run(stream.table.block());
    EXPECT_TRUE(batch.parameters().finite()) << absurd;
    EXPECT_NO_THROW(admit(*stream.model, two_columns(), stream.table.block())) << absurd;
  }
}

}  // namespace test_batch
