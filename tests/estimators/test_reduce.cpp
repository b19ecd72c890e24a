// The seam between the sums of an E-step and the M-step: engines that add up their sums are one batch EM.
#include "runs.hpp"

#include <array>
#include <barrier>
#include <thread>

namespace test_reduce {

using namespace runs;

/// Two engines in one process: each waits for the other, and both add in the same order.
class Pair {
 public:
  Reduce of(std::size_t engine) {
    return [this, engine](Sums& sums, double& log_likelihood) {
      sums_[engine] = sums;
      values_[engine] = log_likelihood;
      meet_.arrive_and_wait();
      Sums all = sums_[0];
      all.add(sums_[1]);
      const double value = values_[0] + values_[1];
      meet_.arrive_and_wait();  // nobody writes while the other reads
      sums = std::move(all);
      log_likelihood = value;
      ++calls_[engine];
    };
  }
  std::uint64_t calls(std::size_t engine) const { return calls_[engine]; }

 private:
  std::barrier<> meet_{2};
  std::array<Sums, 2> sums_;
  std::array<double, 2> values_{};
  std::array<std::uint64_t, 2> calls_{};
};

void expect_one_batch(BatchOptions options) {
  constexpr std::size_t half = 4096;  // a slice: sums of the whole are added where the engines' are
  const Stream stream(2 * half, 7);
  Batch whole(*stream.model, two_columns(), options);
  whole.begin(stream.theta);
  whole.run(stream.table.block());

  Pair pair;
  std::vector<Batch> engines;
  for (std::size_t i = 0; i < 2; ++i) {
    options.reduce = pair.of(i);
    engines.emplace_back(*stream.model, two_columns(), options);
    engines.back().begin(stream.theta);
  }
  const Block rows = stream.table.block();
  std::thread other([&] { engines[1].run(rows.slice(half, half)); });
  engines[0].run(rows.slice(0, half));
  other.join();

  for (const Batch& engine : engines) {
    EXPECT_TRUE(same_bits(engine.parameters(), whole.parameters()));
    EXPECT_TRUE(same_bits(engine.statistic(), whole.statistic()));
    EXPECT_EQ(engine.statistic().weight, whole.statistic().weight);
    EXPECT_EQ(engine.log_likelihood(), whole.log_likelihood());
    EXPECT_EQ(engine.iterations(), whole.iterations());
    EXPECT_EQ(engine.converged(), whole.converged());
  }
  EXPECT_GE(pair.calls(0), whole.iterations());
  EXPECT_EQ(pair.calls(0), pair.calls(1));
}

TEST(Reduce, TwoEnginesAreOneBatch) { expect_one_batch({}); }
TEST(Reduce, LeapsAreMadeTogether) { expect_one_batch({.accelerate = Acceleration::squarem}); }
TEST(Reduce, AStopByChangeIsMadeTogether) {
  expect_one_batch({.tolerance = 1e-4, .stop_by = StopBy::change});
}

TEST(Reduce, AnEvaluationCountsEveryEngine) {
  const Stream stream(500, 8);
  Batch batch(*stream.model, two_columns(), {.reduce = [](Sums& sums, double& log_likelihood) {
    const Sums own = sums;
    sums.add(own);
    log_likelihood *= 2;
  }});
  batch.begin(stream.theta);
  batch.evaluate(stream.table.block());
  EXPECT_EQ(batch.statistic().weight, 1000);
  const Expectation e = expect_all(*stream.model, stream.theta, batch.plan(), stream.table.block());
  EXPECT_EQ(batch.log_likelihood(), 2 * e.log_likelihood());
}

}  // namespace test_reduce
