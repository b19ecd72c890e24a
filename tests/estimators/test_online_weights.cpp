// Row weights in online EM: what can be said exactly about them.
#include "core/change.hpp"
#include "runs.hpp"

namespace test_online_weights {

using namespace runs;

template <class Make>
Parameters learned(Make make, const Table& table) {
  auto estimator = make();
  feed(estimator, table, 100);
  estimator.finish();
  return estimator.reported();
}

class OnlineWeights : public ::testing::Test {
 protected:
  Recursion recursion(std::size_t m, Schedule step = Schedule::power()) const {
    Recursion run(*stream_.model, two_columns(),
                  {.step = std::move(step), .batch_size = m, .warmup = 20});
    run.begin(stream_.theta);
    return run;
  }

  Table weighted(const std::vector<double>& weights) const {
    textbook::Data data = stream_.data;
    data.weights = weights;
    return samples::table(data);
  }

  Stream stream_{3000};
};

TEST_F(OnlineWeights, unit_weights_are_no_weights) {
  const Table ones = weighted(std::vector<double>(3000, 1.0));
  for (const std::size_t m : {1U, 8U}) {
    const auto make = [&] { return recursion(m); };
    EXPECT_TRUE(same_bits(learned(make, ones), learned(make, stream_.table))) << m;
  }
  const auto make = [&] { return Online(*stream_.model, two_columns()); };
  EXPECT_TRUE(same_bits(learned(make, ones), learned(make, stream_.table)));
}

TEST_F(OnlineWeights, a_common_factor_does_not_matter) {
  for (const double factor : {0.25, 8.0, 0.1}) {
    const Table same = weighted(std::vector<double>(3000, factor));
    for (const std::size_t m : {1U, 8U}) {
      const auto make = [&] { return recursion(m); };
      const double apart = samples::difference(samples::theta(learned(make, same)),
                                               samples::theta(learned(make, stream_.table)));
      EXPECT_LT(apart, 1e-8) << factor << " " << m;
    }
  }
}

// Rows that count for nothing change nothing, one row a step or many.
TEST_F(OnlineWeights, rows_of_weight_zero_change_nothing) {
  textbook::Data with;
  for (std::size_t t = 0; t < 3000; ++t) {
    with.rows.push_back(stream_.data.rows[t]);
    with.weights.push_back(1);
    if (t % 3 == 1) {
      with.rows.push_back({40, -40});
      with.weights.push_back(0);
    }
  }
  for (const std::size_t m : {1U, 8U}) {
    const auto make = [&] {
      Recursion plain(*stream_.model, two_columns(), {.batch_size = m});
      Sums sums(plain.plan().statistic);
      expect(*stream_.model, stream_.theta, stream_.table.block().slice(0, 200), sums);
      plain.begin(stream_.theta, mean(sums), 200);
      return plain;
    };
    const double apart = samples::difference(samples::theta(learned(make, samples::table(with))),
                                             samples::theta(learned(make, stream_.table)));
    EXPECT_LT(apart, 1e-10) << m;
  }
  const auto make = [&] { return Online(*stream_.model, two_columns()); };
  EXPECT_TRUE(same_bits(learned(make, samples::table(with)), learned(make, stream_.table)));
}

// 1/n at frozen parameters is the weighted mean.
TEST_F(OnlineWeights, one_over_n_gives_the_weighted_mean) {
  std::vector<double> weights(3000);
  for (std::size_t t = 0; t < 3000; ++t) weights[t] = 0.1 * static_cast<double>(t % 13);
  const Table table = weighted(weights);
  for (const std::size_t m : {1U, 8U}) {
    Recursion run(*stream_.model, two_columns(),
                  {.step = Schedule::reciprocal(), .batch_size = m, .warmup = 1000000});
    run.begin(stream_.theta);
    feed(run, table, 100);
    run.finish();
    const Block rows = table.block();
    const Statistic expected =
        mean(expect_all(*stream_.model, stream_.theta, run.plan(), rows).sums());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(run.statistic().data()[i], expected.data()[i],
                  1e-12 * (1 + std::abs(expected.data()[i])));
    EXPECT_NEAR(run.weight(), table.block().total_weight(), 1e-9);
  }
}

// Heavy rows pull: the fit of rows with weights nears that of rows drawn in proportion.
TEST_F(OnlineWeights, act_like_frequencies) {
  std::vector<double> weights(3000);
  for (std::size_t t = 0; t < 3000; ++t) weights[t] = stream_.data.rows[t][1] > 14 ? 4 : 1;
  const Table table = weighted(weights);
  const auto make = [&] { return Online(*stream_.model, two_columns()); };
  const Parameters online = learned(make, table);
  Batch batch(*stream_.model, two_columns());
  batch.begin(online);
  batch.run(table.block());
  EXPECT_LT(change(online, batch.parameters()), 0.15);
}

}  // namespace test_online_weights
