// The gradient recursion: Titterington's formulas, efficient enough, inside the domain, and MAP with a prior.
#include "core/domain.hpp"
#include "runs.hpp"

namespace test_gradient {

using namespace runs;

constexpr Averaging no_average{.kind = Averaging::Kind::off};

// omega + gamma (r - omega); rate + gamma r (y - rate) / omega.
TEST(Gradient, poisson_rows_follow_the_formula) {
  const textbook::Theta truth = samples::source_poisson();
  const textbook::Data data = samples::draw(truth, 300, 3);
  const Table table = samples::table(data);
  const PoissonMixture model({}, 2);
  textbook::Theta slow = samples::off(truth);
  Recursion run(
      model, Schema::numbered(1),
      {.update = Update::gradient, .step = Schedule::power(0.6, 100), .average = no_average});
  run.begin(samples::parameters(model, slow));
  for (std::size_t t = 0; t < 300; ++t) {
    const textbook::Real gamma = std::pow(textbook::Real(t + 101), -0.6L);
    const textbook::Vector r = textbook::posterior(slow, data.rows[t]);
    for (std::size_t k = 0; k < 2; ++k) {
      slow.first[k][0] += gamma * r[k] * (data.rows[t][0] - slow.first[k][0]) / slow.weights[k];
      slow.weights[k] += gamma * (r[k] - slow.weights[k]);
    }
    run.learn(table.block().slice(t, 1));
    ASSERT_LT(samples::difference(samples::theta(run.parameters()), slow), 1e-10) << t;
  }
  EXPECT_EQ(run.events()[Event::step_shrunk], 0U);
}

// mean + gamma r (y - mean) / omega; variance + gamma r ((y - mean)² - variance) / omega.
TEST(Gradient, gaussian_rows_follow_the_formula) {
  const Stream stream(400);
  textbook::Theta slow = stream.start;
  Recursion run(*stream.model, two_columns(),
                {.update = Update::gradient,
                 .step = Schedule::power(0.6, 500),
                 .average = no_average,
                 .regularisation = {.floor = 0}});
  run.begin(stream.theta);
  for (std::size_t t = 0; t < 400; ++t) {
    const textbook::Real gamma = std::pow(textbook::Real(t + 501), -0.6L);
    const textbook::Vector r = textbook::posterior(slow, stream.data.rows[t]);
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t j = 0; j < 2; ++j) {
        const textbook::Real off = stream.data.rows[t][j] - slow.first[k][j];
        const textbook::Real share = gamma * r[k] / slow.weights[k];
        slow.first[k][j] += share * off;
        slow.variances[k][j] += share * (off * off - slow.variances[k][j]);
      }
      slow.weights[k] += gamma * (r[k] - slow.weights[k]);
    }
    run.learn(stream.table.block().slice(t, 1));
    ASSERT_LT(samples::difference(samples::theta(run.parameters()), slow), 1e-9) << t;
  }
}

TEST(Gradient, large_steps_are_shrunk_and_counted) {
  const Stream stream(500);
  Recursion run(*stream.model, two_columns(),
                {.update = Update::gradient, .batch_size = 1, .average = no_average});
  run.begin(stream.theta);  // the first rate is 1
  for (std::size_t t = 0; t < 500; ++t) {
    run.learn(stream.table.block().slice(t, 1));
    ASSERT_TRUE(in_domain(run.parameters())) << t;
  }
  EXPECT_GT(run.events()[Event::step_shrunk], 0U);
}

TEST(Gradient, online_finds_the_maximum_of_a_stream) {
  const Stream stream(40'000);
  Online online(*stream.model, two_columns(), {.update = Update::gradient});
  feed(online, stream.table, 1000);
  online.finish();
  Batch batch(*stream.model, two_columns());
  batch.begin(online.reported());
  batch.run(stream.table.block());
  Batch here(*stream.model, two_columns(), {.max_iterations = 0});
  here.begin(online.reported());
  here.run(stream.table.block());
  // 14 parameters: p / 2n a row would be lost by an efficient estimate of as many other rows.
  EXPECT_LT((batch.log_likelihood() - here.log_likelihood()) / 40'000, 4 * 14 / (2 * 40'000.0));
}

}  // namespace test_gradient
