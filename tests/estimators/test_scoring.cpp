// The scoring step at the end of a pass: means of the path, a sample of the rows, where the step ends, and when there is none.
#include "runs.hpp"
#include <thalweg/estimators/batch.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/models/ppca.hpp>

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace test_scoring {

using namespace runs;

RecursionOptions automatic(std::size_t batch) {
  return {.batch_size = batch, .average = Averaging::automatic()};
}

/// Keeps S and the rate of every step.
class Steps final : public Observer {
 public:
  void on(const Step& step) override {
    if (step.phase != Phase::online) return;
    const auto& run = dynamic_cast<const Recursion&>(*step.reporter);
    statistic.push_back(run.statistic());
    rate.push_back(step.rate);
    weight.push_back(step.batch_weight);
  }
  std::vector<Statistic> statistic;
  std::vector<double> rate;
  std::vector<double> weight;
};

TEST(PathMean, weighs_steps_as_their_rows_weigh) {
  const Stream stream(1005);
  std::vector<double> weights(1005, 1.0);
  for (std::size_t t = 0; t < weights.size(); t += 3) weights[t] = 2.5;
  Block rows = stream.table.block();
  rows.side.weight = weights.data();
  Recursion run(*stream.model, two_columns(), automatic(10));  // the last batch has five rows
  Steps steps;
  run.observe(steps);
  run.begin(stream.theta);
  run.learn(rows);
  run.finish();

  Statistic where(run.plan().statistic);
  Statistic asked(run.plan().statistic);
  const double all =
      std::accumulate(steps.weight.begin() + 1, steps.weight.end(), 0.0);  // the first has no S yet
  for (std::size_t k = 1; k < steps.statistic.size(); ++k)
    for (std::size_t i = 0; i < where.size(); ++i) {
      const double before = steps.statistic[k - 1].data()[i];
      where.data()[i] += steps.weight[k] / all * before;
      asked.data()[i] +=
          steps.weight[k] / all * (steps.statistic[k].data()[i] - before) / steps.rate[k];
    }
  ASSERT_NE(run.path(), nullptr);
  EXPECT_NEAR(run.path()->weight(), all, 1e-9);
  for (std::size_t i = 0; i < where.size(); ++i) {
    EXPECT_NEAR(run.path()->where().data()[i], where.data()[i], 1e-12);
    EXPECT_NEAR(run.path()->asked().data()[i], asked.data()[i], 1e-12);
  }
}

TEST(PathMean, changes_no_iterate_and_no_average) {
  const Stream stream(1000);
  Recursion with(*stream.model, two_columns(), automatic(3));
  Recursion without(*stream.model, two_columns(), {.batch_size = 3});
  for (Recursion* run : {&with, &without}) {
    run->begin(stream.theta);
    run->learn(stream.table.block());
  }
  EXPECT_TRUE(same_bits(with.parameters(), without.parameters()));
  EXPECT_TRUE(same_bits(with.reported(), without.reported()));
}

std::vector<double> numbers(std::size_t rows) {
  std::vector<double> values(rows);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

TEST(SpreadSample, has_one_row_of_every_stretch_however_it_is_cut) {
  const std::vector<double> values = numbers(5000);
  const Block rows = dense_block(values.data(), values.size(), 1);
  SpreadSample whole(1, 64, 7);
  whole.add(rows);
  const std::vector<double> found(whole.block().values, whole.block().values + whole.block().rows);
  // 5,000 rows make 40 stretches of 128, the last of them begun.
  ASSERT_GE(found.size(), 39U);
  ASSERT_LE(found.size(), 40U);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(std::floor(found[i] / 128), i);
  for (const std::size_t cut : {1U, 17U, 4096U}) {
    SpreadSample other(1, 64, 7);
    for (std::size_t t = 0; t < rows.rows; t += cut) {
      if (t / cut % 3 == 1) {  // through bytes now and then
        Archive archive;
        other.save(archive);
        other = SpreadSample(1, 64, 7);
        other.load(archive);
      }
      other.add(rows.slice(t, std::min(cut, rows.rows - t)));
    }
    EXPECT_EQ(std::vector<double>(other.block().values, other.block().values + other.block().rows),
              found);
  }
}

// Every row is as likely as any other: of 4,000 samples of 32 among 512 rows a row is in 250, sd 15.3; six of them are allowed.
TEST(SpreadSample, prefers_no_row) {
  const std::vector<double> values = numbers(512);
  std::vector<int> times(512);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    SpreadSample sample(1, 64, seed);
    sample.add(dense_block(values.data(), values.size(), 1));
    ASSERT_EQ(sample.block().rows, 32U);
    for (std::size_t t = 0; t < 32; ++t)
      ++times[static_cast<std::size_t>(sample.block().values[t])];
  }
  for (const int count : times) EXPECT_NEAR(count, 250, 92);
}

double shortfall(const std::shared_ptr<const Model>& model, const Schema& schema,
                 const Parameters& found, const Block& rows) {
  Batch batch(model, schema, {.tolerance = 1e-10, .accelerate = Acceleration::squarem});
  batch.begin(found);
  batch.run(rows);
  const Plan plan = model->plan(schema);
  const double here = expect_all(*model, found, plan, rows).log_likelihood();
  return 2 * (batch.log_likelihood() - here) / real(plan.free_parameters);
}

Parameters one_pass(const std::shared_ptr<const Model>& model, const Block& rows,
                    OnlineOptions options = {}) {
  Online online(model, Schema::numbered(rows.columns), std::move(options));
  online.learn(rows);
  online.finish();
  return online.reported();
}

// Without latent variables A = 1, and what the step ends at is the mean of all rows, of the buffer and of the last batch too. The
// derivative of log densities is a difference: a thousandth of the step.
TEST(Scoring, ends_at_the_mean_where_nothing_is_latent) {
  const Stream stream(5003);
  const auto model = std::make_shared<const GaussianMixture>(Gaussian{}, 1);
  const Block rows = stream.table.block();
  const Parameters found = one_pass(model, rows);
  for (std::size_t j = 0; j < 2; ++j) {
    double mean = 0;
    for (std::size_t t = 0; t < rows.rows; ++t) mean += rows.row(t)[j] / real(rows.rows);
    EXPECT_NEAR(found["means"][j], mean, 1e-3);
  }
  EXPECT_LT(shortfall(model, two_columns(), found, rows), 1e-3);
  EXPECT_GT(shortfall(model, two_columns(), one_pass(model, rows, {.average = {}}), rows), 0.1);
}

// The maximum-likelihood estimate loses 1 in this unit, an average poly:3 another 9/7; the bar is .3, the mean of ten of these has an sd
// of about .1.
TEST(Scoring, loses_little_against_the_maximum) {
  double lost = 0;
  double lost_by_average = 0;
  constexpr int streams = 10;
  for (unsigned seed = 1; seed <= streams; ++seed) {
    const Stream stream(20000, seed);
    const Block rows = stream.table.block();
    lost += shortfall(stream.model, two_columns(), one_pass(stream.model, rows), rows);
    lost_by_average +=
        shortfall(stream.model, two_columns(), one_pass(stream.model, rows, {.average = {}}), rows);
  }
  std::cout << "lost " << lost / streams << ", by an average " << lost_by_average / streams << '\n';
  EXPECT_LT(lost / streams, 0.3);
  EXPECT_GT(lost_by_average / streams, 2 * lost / streams);
}

TEST(Scoring, honours_a_prior_and_what_is_held) {
  const Stream stream(20000);
  const Block rows = stream.table.block();
  Online online(
      stream.model, two_columns(),
      {.regularisation = {.prior_strength = 200,
                          .fixed = std::make_shared<const Fixed>(Fixed::parse("means[1]"))}});
  online.begin(stream.theta);
  online.learn(rows);
  online.finish();
  const Parameters found = online.reported();
  EXPECT_EQ(found["means"][2], stream.theta["means"][2]);
  Batch batch(stream.model, two_columns(),
              {.tolerance = 1e-10, .regularisation = online.regularisation()});
  batch.begin(found);
  batch.run(rows);
  // sd of an estimate from so many rows is a hundredth or so; what the step leaves is a fraction of it.
  for (std::size_t i = 0; i < found["weights"].size(); ++i)
    EXPECT_NEAR(found["weights"][i], batch.parameters()["weights"][i], 0.004);
}

TEST(Scoring, is_not_made_where_it_would_mean_nothing) {
  const Stream stream(4000);
  const Block rows = stream.table.block();
  const auto model = stream.model;
  const Averaging off{.kind = Averaging::Kind::off};
  // Steps that track are not averaged, unless somebody asks.
  const Schedule tracks = Schedule::constant(0.05);
  EXPECT_TRUE(same_bits(one_pass(model, rows, {.step = tracks}),
                        one_pass(model, rows, {.step = tracks, .average = off})));
  EXPECT_FALSE(same_bits(one_pass(model, rows, {.step = tracks}),
                         one_pass(model, rows, {.step = tracks, .average = {}})));
  // Textbook mode, gradient steps and averages of parameters are as they were.
  for (OnlineOptions options :
       {OnlineOptions{.buffer = 0}, OnlineOptions{.update = Update::gradient},
        OnlineOptions{
            .average = {.kind = Averaging::Kind::automatic, .of = Averaging::Of::parameters}}}) {
    const auto run = [&] {
      Online online(model, two_columns(), options);
      online.begin(stream.theta);
      online.learn(rows);
      online.finish();
      return online.reported();
    };
    const Parameters automatically = run();
    options.average.kind = Averaging::Kind::polynomial;
    EXPECT_TRUE(same_bits(automatically, run()));
  }
}

TEST(Scoring, holds_until_more_rows_come) {
  const Stream stream(6000);
  const Block rows = stream.table.block();
  Online online(stream.model, two_columns());
  online.learn(rows.slice(0, 4000));
  online.finish(true);  // a polish follows
  EXPECT_TRUE(same_bits(online.reported(), online.run().reported()));
  online.finish();
  const Parameters scored = online.reported();
  EXPECT_FALSE(same_bits(scored, online.run().reported()));
  Online loaded(stream.model, two_columns());
  move_state(online, loaded);
  EXPECT_TRUE(same_bits(loaded.reported(), scored));
  EXPECT_TRUE(same_bits(loaded.reported_statistic(), online.reported_statistic()));
  for (Online* one : {&online, &loaded}) {
    one->learn(rows.slice(4000, 2000));
    EXPECT_TRUE(same_bits(one->reported(), one->run().reported()));
    one->finish();
  }
  EXPECT_TRUE(same_bits(online.reported(), loaded.reported()));
}

// What an earlier fit has found of 20,000 rows is not forgotten over 2,000 more.
TEST(Scoring, counts_an_earlier_fit_in) {
  const Stream stream(22000);
  const Block rows = stream.table.block();
  Online first(stream.model, two_columns());
  first.learn(rows.slice(0, 20000));
  first.finish();
  Online second(stream.model, two_columns());
  second.begin(first.reported(), first.reported_statistic(), first.rows());
  second.learn(rows.slice(20000, 2000));
  second.finish();
  EXPECT_LT(shortfall(stream.model, two_columns(), second.reported(), rows), 0.3);
}

TEST(Scoring, states_that_know_no_path_go_on_as_before) {
  const Stream stream(6000);
  const Block rows = stream.table.block();
  Online before(stream.model, two_columns(), {.average = {}});
  before.learn(rows.slice(0, 4000));
  Online now(stream.model, two_columns());
  move_state(before, now);
  for (Online* one : {&before, &now}) {
    one->learn(rows.slice(4000, 2000));
    one->finish();
  }
  EXPECT_TRUE(same_bits(before.reported(), now.reported()));
}

}  // namespace test_scoring
