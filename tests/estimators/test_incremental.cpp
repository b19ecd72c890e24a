// Incremental EM: visit by visit the textbook's, in its first pass the online recursion, and small where it can be.
#include "core/change.hpp"
#include "runs.hpp"
#include "textbook_methods.hpp"
#include <thalweg/estimators/incremental.hpp>

namespace test_incremental {

using namespace runs;

TEST(Incremental, visits_are_the_textbooks) {
  Stream stream(301);
  for (std::size_t t = 0; t < 301; ++t)
    stream.data.weights.push_back(1 + static_cast<double>(t % 3));
  const Table table = samples::table(stream.data);
  for (const std::size_t m : {1U, 7U, 40U}) {
    Incremental incremental(*stream.model, two_columns(),
                            {.batch_size = m, .warmup = 30, .regularisation = {.floor = 0}});
    incremental.begin(stream.theta);
    for (const textbook::Theta& slow :
         textbook::incremental(stream.start, stream.data, m, 30, m == 1 ? 2 : 4)) {
      incremental.visit(table.block());
      ASSERT_LT(samples::difference(samples::theta(incremental.parameters()), slow), 1e-9) << m;
    }
  }
}

TEST(Incremental, first_pass_is_online_em_with_rate_one_over_n) {
  const Stream stream(400);
  Incremental incremental(*stream.model, two_columns(), {.batch_size = 1, .warmup = 20});
  Recursion online(*stream.model, two_columns(),
                   {.step = Schedule::reciprocal(),
                    .batch_size = 1,
                    .warmup = 20,
                    .average = {.kind = Averaging::Kind::off}});
  incremental.begin(stream.theta);
  online.begin(stream.theta);
  for (std::size_t t = 0; t < 400; ++t) {
    incremental.visit(stream.table.block());
    online.learn(stream.table.block().slice(t, 1));
    ASSERT_LT(change(incremental.parameters(), online.parameters()), 1e-9) << t;
  }
}

// K = 3 posteriors a row, or K (1 + 2d) = 15 numbers a block: what is smaller.
TEST(Incremental, keeps_what_is_smaller) {
  const Stream stream(1000);
  const auto memory = [&](std::size_t m) {
    Incremental incremental(*stream.model, two_columns(), {.batch_size = m, .max_iterations = 2});
    incremental.begin(stream.theta);
    incremental.run(stream.table.block());
    return incremental.memory();
  };
  EXPECT_EQ(memory(1), 1000 * 3 * 8U);
  EXPECT_EQ(memory(4), 1000 * 3 * 8U);
  EXPECT_EQ(memory(10), 100 * 15 * 8U);
  EXPECT_EQ(memory(999), 2 * 15 * 8U);
}

// The total is made of differences: after hundreds of passes it must still be the sum of what is kept.
TEST(Incremental, rounding_does_not_accumulate) {
  const Stream stream(300);
  Incremental incremental(*stream.model, two_columns(),
                          {.batch_size = 1, .tolerance = 0, .max_iterations = 400});
  incremental.begin(stream.theta);
  incremental.run(stream.table.block());
  Batch batch(*stream.model, two_columns(), {.tolerance = 1e-14});
  batch.begin(incremental.parameters());
  batch.run(stream.table.block());
  EXPECT_LT(change(incremental.parameters(), batch.parameters()), 1e-11);
}

TEST(Incremental, ends_at_the_maximum_with_its_own_log_likelihood) {
  const Stream stream(2000);
  Incremental incremental(*stream.model, two_columns());
  incremental.begin(stream.theta);
  incremental.run(stream.table.block());
  ASSERT_TRUE(incremental.converged());
  EXPECT_EQ(incremental.passes(), incremental.iterations() + 1);
  const auto own = static_cast<double>(
      textbook::log_likelihood(samples::theta(incremental.parameters()), stream.data));
  EXPECT_NEAR(incremental.log_likelihood(), own, 1e-11 * std::abs(own));
  Batch batch(*stream.model, two_columns(), {.tolerance = 1e-12});
  batch.begin(stream.theta);
  batch.run(stream.table.block());
  EXPECT_NEAR(incremental.log_likelihood(), batch.log_likelihood(), 2000 * 1e-8);
  EXPECT_LT(incremental.iterations(), batch.iterations());
}

}  // namespace test_incremental
