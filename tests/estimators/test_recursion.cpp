// The online recursion, row by row and batch by batch, against the textbook.
#include "fragile.hpp"
#include "runs.hpp"

namespace test_recursion {

using namespace runs;

/// Ends of a run over a Poisson stream, ours and the textbook's.
struct Pair {
  Parameters ours;
  Statistic statistic;
  Parameters reported;
  textbook::Path slow;
};

Pair run(std::size_t rows, const textbook::Recipe& recipe, RecursionOptions options,
         std::size_t cut = 100) {
  const textbook::Theta start = samples::off(samples::three_poissons());
  const textbook::Data data = samples::draw(samples::three_poissons(), rows, 3);
  const PoissonMixture model({}, 3);
  options.batch_size = recipe.batch;
  options.warmup = recipe.warmup;
  Recursion recursion(model, two_columns(), options);
  recursion.begin(samples::parameters(model, start));
  feed(recursion, samples::table(data), cut);
  recursion.finish();
  return {recursion.parameters(), recursion.statistic(), recursion.reported(),
          textbook::online(start, data, recipe)};
}

void expect_equal(const Pair& pair, double close) {
  EXPECT_LT(samples::difference(samples::theta(pair.ours), pair.slow.theta.back()), close);
  EXPECT_LT(statistic_difference(pair.statistic, pair.slow.S.back()), close);
}

TEST(Recursion, textbook_mode) {
  for (const double alpha : {0.6, 0.75, 1.0})
    expect_equal(run(2000, textbook::power(alpha, 1, 5), {.step = Schedule::power(alpha)}), 1e-10);
}

TEST(Recursion, textbook_mode_of_the_gaussian) {
  const Stream stream(2000, 6);
  Recursion recursion(*stream.model, two_columns(),
                      {.step = Schedule::power(0.6), .warmup = 20, .regularisation = {.floor = 0}});
  recursion.begin(stream.theta);
  feed(recursion, stream.table, 50);
  const textbook::Path slow =
      textbook::online(stream.start, stream.data, textbook::power(0.6L, 1, 20));
  EXPECT_LT(samples::difference(samples::theta(recursion.parameters()), slow.theta.back()), 1e-9);
}

TEST(Recursion, mini_batches) {
  for (const std::size_t m : {1U, 3U, 8U, 500U})
    for (const std::size_t rows : {1500U, 1999U})  // whole batches only, and a short last one
      expect_equal(run(rows, textbook::power(0.6L, m, 5), {.step = Schedule::power(0.6)}), 1e-10);
}

TEST(Recursion, any_schedule) {
  const auto mine = [](std::size_t k) { return textbook::Real(2) / textbook::Real(k + 1); };
  expect_equal(run(1000, {mine, 4, 40}, {.step = Schedule::custom([](std::uint64_t k) {
                                           return 2.0 / static_cast<double>(k + 1);
                                         })}),
               1e-10);
  const auto offset = [](std::size_t k) {
    return k == 1 ? textbook::Real(1) : std::pow(textbook::Real(k) + 2, -0.6L);
  };
  expect_equal(run(1000, {offset, 1, 40},
                   {.step = Schedule::custom([](std::uint64_t k) {
                      return k == 1 ? 1.0 : std::pow(static_cast<double>(k) + 2, -0.6);
                    })}),
               1e-10);
}

TEST(Recursion, the_first_rate_of_one_makes_the_first_statistic_irrelevant) {
  const Stream stream(200);
  RecursionOptions options{.step = Schedule::power(0.6), .warmup = 20};
  Recursion plain(*stream.model, two_columns(), options);
  plain.begin(stream.theta);
  Recursion spoiled(*stream.model, two_columns(), options);
  Statistic junk(plain.plan().statistic);
  for (double& x : junk.values()) x = 1e3;
  spoiled.begin(stream.theta, junk, 0);
  feed(plain, stream.table, 10);
  feed(spoiled, stream.table, 10);
  EXPECT_LT(
      samples::difference(samples::theta(plain.parameters()), samples::theta(spoiled.parameters())),
      1e-9);
}

// At frozen parameters 1/n gives plain averages: online is then the batch E-step.
TEST(Recursion, one_over_n_at_frozen_parameters_is_the_batch_e_step) {
  const Stream stream(1000, 7);
  for (const std::size_t m : {1U, 7U, 64U}) {
    Recursion recursion(*stream.model, two_columns(),
                        {.step = Schedule::reciprocal(), .batch_size = m, .warmup = 1000000});
    recursion.begin(stream.theta);
    feed(recursion, stream.table, 33);
    recursion.finish();
    const Block rows = stream.table.block();
    const auto all = expect_all(*stream.model, stream.theta, recursion.plan(), rows);
    const Statistic expected = mean(all.sums());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(recursion.statistic().data()[i], expected.data()[i],
                  1e-12 * (1 + std::abs(expected.data()[i])));
    EXPECT_EQ(recursion.weight(), 1000.0);
    EXPECT_TRUE(same_bits(recursion.parameters(), stream.theta)) << "frozen";
    // The progressive score is then the log-likelihood itself.
    EXPECT_NEAR(*recursion.progressive() * 1000, all.log_likelihood(),
                1e-9 * std::abs(all.log_likelihood()));
  }
}

TEST(Recursion, scores_each_batch_before_it_learns_it) {
  const textbook::Theta start = samples::off(samples::three_poissons());
  const textbook::Data data = samples::draw(samples::three_poissons(), 300, 3);
  const PoissonMixture model({}, 3);
  Recursion recursion(model, two_columns(), {.step = Schedule::power(0.6), .warmup = 5});
  recursion.begin(samples::parameters(model, start));
  EXPECT_FALSE(recursion.progressive());
  feed(recursion, samples::table(data), 300);
  const textbook::Path slow = textbook::online(start, data, textbook::power(0.6L, 1, 5));
  textbook::Real sum = 0;
  for (std::size_t t = 0; t < 300; ++t)
    sum += textbook::log_density(t == 0 ? start : slow.theta[t - 1], data.rows[t]);
  EXPECT_NEAR(*recursion.progressive(), static_cast<double>(sum / 300), 1e-10);
  EXPECT_EQ(recursion.steps(), 300U);
  EXPECT_EQ(recursion.rows(), 300U);
}

// What was left out was not scored either: its zero must not flatter the progressive mean.
TEST(Recursion, what_was_left_out_does_not_flatter_the_score) {
  const Stream stream(100);
  const auto progressive = [&stream](bool with_absurd_row) {
    Recursion recursion(samples::Fragile(*stream.model), two_columns(),
                        {.step = Schedule::power(0.6), .warmup = 1000});
    recursion.begin(stream.theta);
    feed(recursion, stream.table, 10);
    const Statistic before = recursion.statistic();
    const std::vector<double> absurd{1e100, 0};
    if (with_absurd_row) recursion.learn(dense_block(absurd.data(), 1, 2));
    EXPECT_EQ(recursion.events()[Event::batch_left_out], with_absurd_row ? 1U : 0U);
    EXPECT_TRUE(std::ranges::equal(recursion.statistic().values(), before.values()));
    EXPECT_EQ(recursion.weight(), 100);
    return *recursion.progressive();
  };
  EXPECT_EQ(progressive(true), progressive(false));
}

/// Who continues from a reported statistic weighs it by its rows.
TEST(Recursion, reports_the_weight_of_all_rows_with_an_average) {
  const runs::Stream stream(500);
  Recursion run(stream.model, runs::two_columns(), {.batch_size = 10, .warmup = 50});
  run.begin(stream.theta);
  run.learn(stream.table.block());
  EXPECT_EQ(run.weight(), 500);
  EXPECT_EQ(run.reported_statistic().weight, 500);
}

}  // namespace test_recursion
