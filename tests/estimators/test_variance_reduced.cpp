// Variance-reduced EM: epoch by epoch the textbook's, monotone from anchor to anchor, and unharmed by sorted rows.
#include "runs.hpp"
#include "textbook_methods.hpp"
#include <thalweg/estimators/variance_reduced.hpp>

#include <numeric>

namespace test_variance_reduced {

using namespace runs;

std::vector<std::size_t> shuffled(std::size_t count, Random random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.index(i)]);
  return order;
}

// The mini-batches follow from the seed: rows in one order for good, mini-batches in another for each epoch.
TEST(VarianceReduced, epochs_are_the_textbooks) {
  const Stream stream(400);
  const std::size_t m = 20;
  const std::vector<std::size_t> rows = shuffled(400, Random(3, 0, 3));
  VarianceReduced reduced(
      *stream.model, two_columns(),
      {.batch_size = m, .rate = 0.3, .seed = 3, .regularisation = {.floor = 0}});
  reduced.begin(stream.theta);
  textbook::Theta slow = stream.start;
  for (std::uint64_t epoch = 0; epoch < 4; ++epoch) {
    std::vector<std::vector<std::size_t>> batches;
    for (const std::size_t b : shuffled(20, Random(3, epoch, 4)))
      batches.emplace_back(rows.begin() + static_cast<std::ptrdiff_t>(b * m),
                           rows.begin() + static_cast<std::ptrdiff_t>((b + 1) * m));
    slow = textbook::variance_reduced_epoch(slow, stream.data, batches, 0.3L);
    ASSERT_FALSE(reduced.iterate(stream.table.block()));
    EXPECT_LT(samples::difference(samples::theta(reduced.parameters()), slow), 1e-8) << epoch;
    EXPECT_EQ(reduced.passes(), 2 * (epoch + 1));
  }
  EXPECT_EQ(reduced.rate(), 0.3);
}

TEST(VarianceReduced, ends_at_the_maximum_with_its_own_log_likelihood) {
  const Stream stream(2000);
  VarianceReduced reduced(*stream.model, two_columns());
  reduced.begin(stream.theta);
  reduced.run(stream.table.block());
  ASSERT_TRUE(reduced.converged());
  const auto own = static_cast<double>(
      textbook::log_likelihood(samples::theta(reduced.parameters()), stream.data));
  EXPECT_NEAR(reduced.log_likelihood(), own, 1e-11 * std::abs(own));
  Batch batch(*stream.model, two_columns(), {.tolerance = 1e-12});
  batch.begin(stream.theta);
  batch.run(stream.table.block());
  EXPECT_NEAR(reduced.log_likelihood(), batch.log_likelihood(), 2000 * 1e-8);
  EXPECT_LT(reduced.passes(), batch.iterations());
}

TEST(VarianceReduced, sorted_rows_do_no_harm) {
  Stream stream(3000);
  std::ranges::sort(stream.data.rows);
  const Table sorted = samples::table(stream.data);
  const Parameters start = samples::parameters(*stream.model, stream.start, sorted.block());
  VarianceReduced reduced(*stream.model, two_columns());
  reduced.begin(start);
  reduced.run(sorted.block());
  Batch batch(*stream.model, two_columns());
  batch.begin(start);
  batch.run(sorted.block());
  EXPECT_NEAR(reduced.log_likelihood(), batch.log_likelihood(), 3000 * 1e-7);
  EXPECT_LT(reduced.passes(), batch.iterations());
}

// One row a mini-batch at full rate is far too bold: epochs fail, the rate falls until they do not, nothing is lost.
TEST(VarianceReduced, a_rate_that_is_too_large_is_halved) {
  const Stream stream(500);
  VarianceReduced reduced(*stream.model, two_columns(), {.batch_size = 1, .max_iterations = 200});
  reduced.begin(stream.theta);
  double last = -HUGE_VAL;
  double smallest = 1;
  bool done = false;
  while (!done) {
    done = reduced.iterate(stream.table.block());
    EXPECT_GE(reduced.objective(), last - 1e-9);
    last = reduced.objective();
    smallest = std::min(smallest, reduced.rate());
    EXPECT_TRUE(reduced.parameters().finite());
  }
  EXPECT_LT(smallest, 0.5);
  EXPECT_GT(reduced.events()[Event::step_shrunk], 0U);
  Batch batch(*stream.model, two_columns());
  batch.begin(stream.theta);
  batch.run(stream.table.block());
  EXPECT_NEAR(reduced.log_likelihood(), batch.log_likelihood(), 500 * 1e-6);
}

TEST(VarianceReduced, refuses_a_rate_outside_its_range) {
  const Stream stream(10);
  for (const double rate : {0.0, -1.0, 1.5, std::nan("")})
    EXPECT_THROW(VarianceReduced(*stream.model, two_columns(), {.rate = rate}), UsageError);
}

}  // namespace test_variance_reduced
