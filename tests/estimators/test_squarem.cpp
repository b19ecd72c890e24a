// SQUAREM on batch EM: the same maximum in fewer iterations, never down, and no stop before the end.
#include "core/change.hpp"
#include "runs.hpp"

namespace test_squarem {

using namespace runs;

constexpr Acceleration squarem = Acceleration::squarem;

TEST(Squarem, ends_at_the_maximum_of_batch_em_with_its_own_log_likelihood) {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    const Stream stream(800, seed);
    Batch plain(*stream.model, two_columns(), {.tolerance = 1e-12});
    Batch fast(*stream.model, two_columns(), {.accelerate = squarem});
    plain.begin(stream.theta);
    fast.begin(stream.theta);
    plain.run(stream.table.block());
    fast.run(stream.table.block());
    ASSERT_TRUE(fast.converged());
    EXPECT_NEAR(fast.log_likelihood(), plain.log_likelihood(), 800 * 1e-8);
    EXPECT_LT(change(plain.parameters(), fast.parameters()), 1e-5);
    EXPECT_LT(fast.iterations(), plain.iterations());
    const auto own = static_cast<double>(
        textbook::log_likelihood(samples::theta(fast.parameters()), stream.data));
    EXPECT_NEAR(fast.log_likelihood(), own, 1e-11 * std::abs(own));
  }
}

TEST(Squarem, never_lowers_the_likelihood) {
  const Stream stream(500, 2);
  Batch batch(*stream.model, two_columns(), {.accelerate = squarem});
  batch.begin(stream.theta);
  expect_ascent(batch, stream.table.block());
}

// Whatever the moment, what is reported at the end is a pair: parameters and their likelihood.
TEST(Squarem, any_number_of_iterations_ends_with_a_pair) {
  const Stream stream(300);
  for (std::uint64_t most = 0; most < 25; ++most) {
    Batch batch(*stream.model, two_columns(), {.max_iterations = most, .accelerate = squarem});
    batch.begin(stream.theta);
    batch.run(stream.table.block());
    EXPECT_EQ(batch.iterations(), most);
    const auto own = static_cast<double>(
        textbook::log_likelihood(samples::theta(batch.parameters()), stream.data));
    EXPECT_NEAR(batch.log_likelihood(), own, 1e-11 * std::abs(own)) << most;
    Batch early(*stream.model, two_columns(), {.accelerate = squarem});
    early.begin(stream.theta);
    const Block rows = stream.table.block();
    double seen = -HUGE_VAL;
    for (std::uint64_t i = 0; i < most; ++i) {
      early.iterate(rows);
      seen = early.log_likelihood();
    }
    early.evaluate(rows);
    EXPECT_GE(early.log_likelihood(), seen - 1e-9) << "a leap that nobody has judged is undone";
  }
}

// Equal components are a saddle: a start beside it must not end there.
TEST(Squarem, leaves_a_saddle) {
  const textbook::Data data = samples::draw(samples::source_poisson(), 5000, 7);
  const Table table = samples::table(samples::histogram(data));
  const PoissonMixture model({}, 2);
  for (const double apart : {1e-3, 1e-5, 1e-7}) {
    textbook::Theta start = samples::source_poisson();
    start.weights = {0.5L, 0.5L};
    start.first = {{1.4L}, {1.4L + apart}};
    Batch plain(model, Schema::numbered(1), {.tolerance = 1e-10});
    Batch fast(model, Schema::numbered(1), {.accelerate = squarem});
    plain.begin(samples::parameters(model, samples::source_poisson()));
    fast.begin(samples::parameters(model, start));
    plain.run(table.block());
    fast.run(table.block());
    EXPECT_NEAR(fast.log_likelihood() / 5000, plain.log_likelihood() / 5000, 1e-7) << apart;
  }
}

TEST(Squarem, raises_the_posterior_under_a_prior) {
  const Stream stream(400);
  const Block rows = stream.table.block();
  const Plan plan = stream.model->plan(two_columns());
  const Regularisation regularisation = settle(*stream.model, {.prior_strength = 20}, plan, rows);
  const Parameters start = samples::parameters(*stream.model, stream.start, rows);
  Batch plain(*stream.model, two_columns(), {.tolerance = 1e-12, .regularisation = regularisation});
  Batch fast(*stream.model, two_columns(),
             {.accelerate = squarem, .regularisation = regularisation});
  plain.begin(start);
  fast.begin(start);
  plain.run(rows);
  double last = -HUGE_VAL;
  while (!fast.iterate(rows)) {
    EXPECT_GE(fast.objective(), last - 1e-10);
    last = fast.objective();
  }
  EXPECT_NEAR(fast.objective(), plain.objective(), 400 * 1e-8);
}

}  // namespace test_squarem
