// Online EM for a stream: buffer, starts, race, and what can be asked of it on the way.
#include "core/change.hpp"
#include "runs.hpp"
#include <thalweg/estimators/expectation.hpp>

namespace test_online {

using namespace runs;

TEST(Online, defaults_follow_the_number_of_parameters) {
  const Stream stream(10);
  EXPECT_EQ(Online(*stream.model, two_columns()).buffer_size(), 1000U);
  EXPECT_EQ(Online(*stream.model, two_columns()).batch_size(), 14U) << "K - 1 + 2 K d";
  const GaussianMixture large({}, 20);  // p = 19 + 20 * 2 * 10
  EXPECT_EQ(Online(large, Schema::numbered(10)).buffer_size(), 15U * 419);
  EXPECT_EQ(Online(large, Schema::numbered(10)).batch_size(), 419U);
  EXPECT_EQ(Online(large, Schema::numbered(10), {.length = 50000}).batch_size(), 100U)
      << "at least 500 steps";
  EXPECT_EQ(Online(large, Schema::numbered(10), {.length = 10}).batch_size(), 1U);
  EXPECT_EQ(Online(large, Schema::numbered(10), {.buffer = 0}).batch_size(), 1U) << "textbook";
  EXPECT_THROW(Online(large, Schema::numbered(10), {.batch_size = 0}), UsageError);
  EXPECT_THROW(Online(large, Schema::numbered(10), {.average = {.kind = Averaging::Kind::half}}),
               UsageError);
}

// Free parameters of full covariances grow like d², what a start has to know like d.
TEST(Online, large_covariances_do_not_ask_for_a_million_rows) {
  const auto full = [](std::size_t K, std::size_t d) {
    const GaussianMixture model(Gaussian(Covariance::full), K);
    return Online(model, Schema::numbered(d)).buffer_size();
  };
  EXPECT_EQ(full(8, 128), 65'536U) << "64 megabytes, not 15 p = 1,006,185 rows";
  EXPECT_EQ(full(8, 64), 15U * (7 + 8 * 64 + 8 * 4 * 65));
  EXPECT_EQ(full(8, 16), 15U * (7 + 8 * 16 + 8 * 4 * 17)) << "not 18,345";
  EXPECT_EQ(full(8, 4), 15U * (7 + 8 * 4 + 8 * 10)) << "never more than 15 p";
  const PoissonMixture words(Poisson{}, 10);  // p = 500,009
  EXPECT_LT(Online(words, Schema::numbered(50'000)).buffer_size(), 2000U);
}

TEST(Online, nothing_is_learned_before_the_buffer_is_full) {
  const Stream stream(1200);
  Online online(*stream.model, two_columns(), {.at_once = true});
  EXPECT_THROW(online.reported(), Error);
  feed(online, stream.table.block(), 100, 0, 900);
  EXPECT_FALSE(online.started());
  EXPECT_EQ(online.rows_until_start(), 100U);
  EXPECT_TRUE(online.provisional());
  feed(online, stream.table.block(), 100, 900, 1200);
  EXPECT_TRUE(online.started());
  EXPECT_TRUE(online.reported().finite());
}

TEST(Online, a_short_input_starts_on_what_there_is) {
  const Stream stream(300);
  Online online(*stream.model, two_columns());
  feed(online, stream.table, 50);
  online.finish();
  EXPECT_TRUE(online.started());
  EXPECT_EQ(online.starts().size() % 8, 0U);
  EXPECT_TRUE(online.reported().finite());
  Online empty(*stream.model, two_columns());
  EXPECT_THROW(empty.finish(), Error) << "fewer rows than components";
  Online two(*stream.model, two_columns());
  two.learn(stream.table.block().slice(0, 2));
  EXPECT_THROW(two.finish(), Error);
}

TEST(Online, copies_of_one_row_do_not_fill_the_buffer) {
  const Stream stream(20000);
  Table rows(2);
  const double same[] = {1.5, 0.5};
  for (int t = 0; t < 1500; ++t) rows.append_row(same);
  rows.append(stream.table.block());
  const auto run = [&](const Block& block, std::size_t cut, bool dies) {
    Online online(*stream.model, two_columns());
    feed(online, block, cut, 0, 1200);
    if (dies) {
      EXPECT_FALSE(online.started());
      EXPECT_EQ(online.rows_until_start(), 800U);
      Online later(*stream.model, two_columns());
      move_state(online, later);
      feed(later, block, cut, 1200, block.rows);
      later.finish();
      return later.reported();
    }
    feed(online, block, cut, 1200, block.rows);
    online.finish();
    return online.reported();
  };
  const Parameters copied = run(rows.block(), 100, true);
  for (const std::size_t cut : {1U, 77U, 5000U})
    EXPECT_TRUE(same_bits(run(rows.block(), cut, false), copied)) << cut;
  const Block block = stream.table.block();
  const auto score = [&](const Parameters& theta) {
    return expect_all(*stream.model, theta, stream.model->plan(two_columns()), block)
               .log_likelihood() /
           static_cast<double>(block.rows);
  };
  // 7 % of the rows lie on one point and count at first as much as they came.
  EXPECT_NEAR(score(copied), score(run(block, 100, false)), 0.03);
}

TEST(Online, few_distinct_rows_start_in_the_end) {
  Table rows(1);
  for (int t = 0; t < 9000; ++t) {
    const double value = t % 2;
    rows.append_row(&value);
  }
  const PoissonMixture model(Poisson{}, 2);  // three parameters, two distinct rows
  Online online(model, Schema::numbered(1));
  feed(online, rows.block(), 1000, 0, 7000);
  EXPECT_FALSE(online.started());
  feed(online, rows.block(), 1000, 7000, 9000);
  EXPECT_TRUE(online.started());
}

TEST(Online, the_table_of_starts) {
  const Stream stream(6000);
  Online online(*stream.model, two_columns(), {.starts = 8, .at_once = true});
  feed(online, stream.table.block(), 100, 0, 1000);
  auto table = online.starts();
  ASSERT_EQ(table.size(), 8U);
  std::size_t distinct = 0;
  while (distinct < 8 && !table[distinct].repeats) ++distinct;
  for (std::size_t r = 0; r < 8; ++r) {
    EXPECT_EQ(table[r].repeats, r >= distinct) << "those that repeat another come last";
    EXPECT_GE(table[r].after_short_em, table[r].at_start - 1e-12);
    EXPECT_LE(table[r].after_short_em, table[0].after_short_em);
  }
  const std::size_t racers = std::min<std::size_t>(3, distinct);
  EXPECT_EQ(online.candidates().size(), racers);
  feed(online, stream.table.block(), 100, 1000, 6000);
  EXPECT_EQ(online.candidates().size(), 1U) << "the race is over after 4,000 rows";
  table = online.starts();
  std::size_t raced = 0;
  std::size_t chosen = 0;
  double best = -HUGE_VAL;
  for (const StartRecord& record : table) {
    raced += !std::isnan(record.in_race);
    chosen += record.chosen;
    if (!std::isnan(record.in_race)) best = std::max(best, record.in_race);
  }
  EXPECT_EQ(raced, racers);
  EXPECT_EQ(chosen, 1U);
  EXPECT_TRUE(table[0].chosen);
  EXPECT_EQ(table[0].in_race, best) << "the winner has the best progressive likelihood";
}

TEST(Online, the_seed_decides_and_nothing_else) {
  const Stream stream(2000);
  const auto fit = [&stream](std::uint64_t seed) {
    Online online(*stream.model, two_columns(), {.seed = seed});
    feed(online, stream.table, 100);
    online.finish();
    return online.reported();
  };
  EXPECT_TRUE(same_bits(fit(1), fit(1)));
}

// The buffer's rows are not learned twice: S is their E-step mean, the schedule goes on at k = B/m + 1.
TEST(Online, continues_from_the_buffers_statistic) {
  const Stream stream(1028);
  Online online(*stream.model, two_columns(),
                {.buffer = 1000, .average = {.kind = Averaging::Kind::off}});
  online.begin(stream.theta);
  feed(online, stream.table, 1000);
  online.finish();
  const Block rows = stream.table.block();
  Parameters theta = stream.theta;
  calibrate(*stream.model, rows.slice(0, 1000), theta);
  Statistic S = mean(
      expect_all(*stream.model, theta, online.plan(), *std::make_unique<Block>(rows.slice(0, 1000)))
          .sums());
  Carry carry;
  for (std::uint64_t k = 1000 / 14 + 1, row = 1000; row < 1028; row += 14, ++k)
    absorb(*stream.model, theta, rows.slice(row, 14), std::pow(static_cast<double>(k), -0.6), S,
           {.floor = 1e-6}, carry);
  EXPECT_LT(samples::difference(samples::theta(online.reported()), samples::theta(theta)), 1e-12);
  EXPECT_EQ(online.run().rows(), 1028U);
  EXPECT_EQ(online.run().weight(), 1028.0);
  EXPECT_EQ(online.run().scored_weight(), 28.0) << "what found the start is not scored";
}

TEST(Online, what_is_known_of_the_start_is_imposed) {
  const Stream stream(3000);
  const auto end = [&stream](const std::function<void(Parameters&)>& impose, bool given) {
    Online online(*stream.model, two_columns(), {.impose = impose});
    if (given) online.begin(stream.theta);
    feed(online, stream.table, 100);
    return online.reported();
  };
  const Parameters whole = end([&stream](Parameters& theta) { theta = stream.theta; }, false);
  EXPECT_TRUE(same_bits(whole, end({}, true))) << "all of it: as if it had been given";
  std::size_t asked = 0;
  const auto weights = [&asked](Parameters& theta) {
    ++asked;
    std::fill(theta["weights"].begin(), theta["weights"].end(), 1.0 / 3);
  };
  EXPECT_FALSE(same_bits(end(weights, false), end({}, false)));
  EXPECT_EQ(asked, 1U) << "of the best start alone";
  EXPECT_TRUE(same_bits(end(weights, true), whole)) << "what was given whole counts";
  EXPECT_EQ(asked, 1U);
}

TEST(Online, textbook_mode_is_the_recursion) {
  const Stream stream(500);
  Online online(*stream.model, two_columns(), {.buffer = 0, .warmup = 20});
  EXPECT_THROW(online.learn(stream.table.block()), UsageError) << "needs a start";
  online.begin(stream.theta);
  Recursion recursion(*stream.model, two_columns(), {.batch_size = 1, .warmup = 20});
  recursion.begin(stream.theta);
  feed(online, stream.table, 50);
  feed(recursion, stream.table, 50);
  EXPECT_TRUE(same_bits(online.reported(), recursion.reported()));
}

TEST(Online, textbook_mode_waits_for_what_its_parameters_ask) {
  const Stream stream(500);
  const auto free = stream.model->plan(two_columns()).free_parameters;
  const auto wait = std::max<std::uint64_t>(20, 5 * free);
  ASSERT_LT(wait + 1, 500U);
  Online online(*stream.model, two_columns(), {.buffer = 0});
  online.begin(stream.theta);
  const auto rows = static_cast<std::size_t>(wait);
  online.learn(stream.table.block().slice(0, rows));
  EXPECT_TRUE(same_bits(online.run().parameters(), stream.theta));
  online.learn(stream.table.block().slice(rows, 1));
  EXPECT_FALSE(same_bits(online.run().parameters(), stream.theta));
  Online at_once(*stream.model, two_columns(), {.buffer = 0, .warmup = 0});
  at_once.begin(stream.theta);
  at_once.learn(stream.table.block().slice(0, 1));
  EXPECT_FALSE(same_bits(at_once.run().parameters(), stream.theta)) << "--warmup 0";
}

TEST(Online, an_offset_makes_the_first_steps_small) {
  const Stream stream(300, 6);
  constexpr double offset = 20;
  Online online(*stream.model, two_columns(),
                {.step = Schedule::power(0.6, offset), .buffer = 0, .warmup = 0});
  online.begin(stream.theta);
  // The recursion written out, from what the model expects at the start: S += (k + T)^-0.6 (E[s | y] - S).
  const Plan plan = stream.model->plan(two_columns());
  Parameters theta = stream.theta;
  Statistic S(plan.statistic);
  capability<Tangent>(*stream.model)->moments(theta, S);
  for (std::size_t t = 0; t < 300; ++t) {
    const Block row = stream.table.block().slice(t, 1);
    online.learn(row);
    const Expectation e = expect_all(*stream.model, theta, plan, row);
    blend(S, e.sums(), std::pow(static_cast<double>(t + 1) + offset, -0.6));
    maximise(*stream.model, S, {.rows = static_cast<double>(t + 1)}, theta);
    if (t == 0) {
      EXPECT_LT(change(stream.theta, theta), 1) << "the start counts";
    }
    ASSERT_LT(change(online.run().parameters(), theta), 1e-9) << "row " << t;
  }
}

TEST(Online, a_bad_row_is_refused_and_nothing_of_its_block_learned) {
  const Stream stream(3000);
  Online online(*stream.model, two_columns());
  feed(online, stream.table.block(), 100, 0, 2000);
  const std::string before = bytes(online.save());
  std::vector<double> bad(stream.table.values().begin() + 4000,
                          stream.table.values().begin() + 4200);
  bad[151] = std::nan("");
  Block block = dense_block(bad.data(), 100, 2);
  block.first = 2000;
  try {
    online.learn(block);
    FAIL() << "must throw";
  } catch (const RowError& error) {
    EXPECT_EQ(error.row(), 2075U);
  }
  EXPECT_TRUE(bytes(online.save()) == before);
}

// An observer is told every step once, in order, and the numbers add up.
struct Listener : Observer {
  std::uint64_t steps = 0;
  std::uint64_t rows = 0;
  double weight = 0;
  std::uint64_t last = 0;
  bool ordered = true;

  void on(const Step& step) override {
    ++steps;
    ordered = ordered && step.rows >= last;
    last = step.rows;
    rows += step.batch_rows;
    weight += step.batch_weight;
    if (step.phase == Phase::online) {
      EXPECT_GT(step.rate, 0);
      EXPECT_LE(step.rate, 1);
      EXPECT_NE(step.current, nullptr);
      EXPECT_NE(step.reporter, nullptr);
    }
  }
};

TEST(Online, observers_hear_of_every_row_once) {
  const Stream stream(7003);
  Online online(*stream.model, two_columns());
  Listener listener;
  online.observe(listener);
  feed(online, stream.table, 100);
  online.finish();
  EXPECT_TRUE(listener.ordered);
  EXPECT_EQ(listener.last, 7003U);
  EXPECT_EQ(listener.rows, 7003U);
}

}  // namespace test_online
