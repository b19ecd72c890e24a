// A model from the first rows on, and a search for starts for which rows pay one by one.
#include "counting_model.hpp"
#include "runs.hpp"
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/sources/memory.hpp>

#include <random>

namespace test_early {

using namespace runs;
using counting::Visits;

/// K Gaussians in d columns of unequal widths around centres `apart` deviations from each other.
Table clusters(std::size_t K, std::size_t d, std::size_t rows, double apart, unsigned seed = 1) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<> normal;
  std::vector<double> centres(K * d);
  for (double& centre : centres) centre = apart * normal(engine);
  Table table(d);
  std::vector<double> row(d);
  for (std::size_t t = 0; t < rows; ++t) {
    const std::size_t k = engine() % K;
    for (std::size_t j = 0; j < d; ++j)
      row[j] = centres[k * d + j] + normal(engine) / (1 + static_cast<double>(j % 3));
    table.append_row(row.data());
  }
  return table;
}

double mean_log_density(const Model& model, const Parameters& theta, const Block& rows) {
  Explanation seen;
  explain(model, theta, rows, seen);
  double sum = 0;
  for (const double value : seen.log_density) sum += value;
  return sum / static_cast<double>(rows.rows);
}

std::shared_ptr<const Model> full(std::size_t K) {
  return gaussian_mixture({.components = K, .covariance = Covariance::full});
}

TEST(Early, there_is_a_model_from_the_first_rows_on) {
  const Table rows = clusters(8, 3, 100, 4);
  Online online(full(8), Schema::numbered(3));
  EXPECT_EQ(online.rows_until_model(), 80U) << "ten rows a component";
  EXPECT_FALSE(online.has_model());
  feed(online, rows.block(), 1, 0, 79);
  EXPECT_EQ(online.rows_until_model(), 1U);
  EXPECT_THROW(online.reported(), Error);
  EXPECT_THROW(online.run(), Error);
  feed(online, rows.block(), 1, 79, 80);
  EXPECT_TRUE(online.provisional());
  EXPECT_FALSE(online.started());
  EXPECT_EQ(online.run().rows(), 80U);
  EXPECT_TRUE(online.reported().finite());
  EXPECT_TRUE(online.starts().empty());
  Online three(full(3), Schema::numbered(3));
  EXPECT_EQ(three.rows_until_model(), 50U);
  Online small(full(3), Schema::numbered(3), {.buffer = 20});
  EXPECT_EQ(small.rows_until_model(), 20U) << "a buffer is not waited for beyond its end";
}

// What is shown is a function of the rows and the seed: not of cuts, nor of who asked before. What is learned is not changed by it.
TEST(Early, who_asks_changes_nothing) {
  const Table table = clusters(3, 2, 3000, 3);
  const Block rows = table.block();
  const auto make = [] { return Online(full(3), two_columns(), {.seed = 5}); };
  Online curious = make();
  Online silent = make();
  std::size_t at = 0;
  for (const std::size_t moment : {50U, 99U, 100U, 237U, 999U, 1000U, 1003U, 1700U, 3000U}) {
    while (at < moment) {
      curious.learn(rows.slice(at++, 1));
      if (curious.has_model()) curious.reported();
    }
    Online late = make();
    feed(late, rows, 700, 0, moment - moment % 700);
    feed(late, rows, 700, moment - moment % 700, moment);
    ASSERT_TRUE(same_bits(curious.reported(), late.reported())) << moment;
    ASSERT_EQ(curious.provisional(), late.provisional()) << moment;
    ASSERT_TRUE(bytes(curious.save()) == bytes(late.save())) << moment;
    Online resumed = make();
    move_state(curious, resumed);
    ASSERT_TRUE(same_bits(curious.reported(), resumed.reported())) << moment;
  }
  feed(silent, rows, 3000, 0, 3000);
  curious.finish();
  silent.finish();
  EXPECT_TRUE(bytes(curious.save()) == bytes(silent.save()));
}

TEST(Early, it_is_never_degenerate) {
  // Fewer rows than columns, full covariances: they would have no inverse.
  for (const std::size_t d : {2U, 16U, 100U}) {
    const Table table = clusters(5, d, 2050, 2);
    const Block held = table.block().slice(1050, 1000);
    Online online(full(5), Schema::numbered(d), {.buffer = 5000});
    Online one(full(1), Schema::numbered(d), {.buffer = 5000});
    double last = -HUGE_VAL;
    for (std::size_t at = 0; at < 1050; at += 50) {
      online.learn(table.block().slice(at, 50));
      one.learn(table.block().slice(at, 50));
      const Parameters theta = online.reported();
      ASSERT_TRUE(theta.finite()) << d << " columns, " << at;
      if (at + 50 != 50 && at + 50 != 800) continue;
      const double now = mean_log_density(*full(5), theta, held);
      const double alike = mean_log_density(*full(1), one.reported(), held);
      EXPECT_GT(now, last) << "more rows say more";
      EXPECT_GT(now, alike - 0.1 * static_cast<double>(d))
          << d << " columns, " << at + 50 << " rows: no worse than one component";
      if (at + 50 == 800 && d <= 16) {  // ten rows a column for each component
        EXPECT_GT(now, alike + 0.1 * static_cast<double>(d)) << d;
      }
      last = now;
    }
  }
}

TEST(Early, rows_that_are_all_alike_give_a_model_too) {
  const std::vector<double> row{3, 0, -7};
  Online online(full(4), Schema::numbered(3));
  for (int t = 0; t < 100; ++t) online.learn(dense_block(row.data(), 1, 3));
  EXPECT_TRUE(online.reported().finite());
  const std::vector<double> zeros(3);
  Online counts(poisson_mixture({.components = 4}), Schema::numbered(3));
  for (int t = 0; t < 60; ++t) counts.learn(dense_block(zeros.data(), 1, 3));
  EXPECT_TRUE(counts.reported().finite());
}

TEST(Early, given_parameters_are_shown_at_once) {
  const Stream stream(30);
  Online online(*stream.model, two_columns());
  online.begin(stream.theta);
  online.learn(stream.table.block().slice(0, 1));
  const Parameters theta = online.reported();
  for (const std::string name : {"weights", "means", "covariances"})
    EXPECT_TRUE(std::equal(theta[name].begin(), theta[name].end(), stream.theta[name].begin()));
  EXPECT_TRUE(online.provisional());
}

/// Rows come one by one. No single one pays for more than its share and a piece.
struct Paid {
  explicit Paid(std::size_t K, std::size_t d, OnlineOptions options = {})
      : online(std::make_shared<const counting::Model>(K, visits, Covariance::full),
               Schema::numbered(d), std::move(options)) {}

  void learn(const Table& table, std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const std::uint64_t e_steps = visits->e_steps;
      const std::uint64_t starts = visits->starts;
      online.learn(table.block().slice(t, 1));
      most = std::max(most, visits->e_steps - e_steps);
      most_guessed = std::max(most_guessed, visits->starts - starts);
      if (!started && online.started()) started = t + 1;
    }
  }

  std::shared_ptr<Visits> visits = std::make_shared<Visits>();
  Online online;
  std::uint64_t most = 0;          // rows of E-steps in one call
  std::uint64_t most_guessed = 0;  // rows of first guesses in one call
  std::size_t started = 0;
};

TEST(Early, no_row_pays_for_the_search_alone) {
  for (const std::size_t d : {2U, 16U}) {
    const Table table = clusters(8, d, 12'000, 2);
    Paid paid(8, d, {.buffer = 1000 * (d / 8 + 1)});
    const std::uint64_t B = paid.online.buffer_size();
    paid.learn(table, 0, B);
    EXPECT_EQ(paid.visits->e_steps, 0U) << "nobody asked";
    paid.learn(table, B, 12'000);
    ASSERT_GT(paid.started, B);
    EXPECT_LE(paid.started, 3 * B) << "it ends when about as many rows have come";
    // A row's share of the budget, a slice of an E-step and, where it comes to that, a jump or what revives; steps of three racers.
    const double share =
        visits_within(2 * 16, static_cast<double>(B), paid.online.plan()) / static_cast<double>(B);
    const double m = static_cast<double>(paid.online.batch_size());
    EXPECT_LE(static_cast<double>(paid.most), share + 4096 + 2 * static_cast<double>(B) + 6 * m);
    EXPECT_LE(paid.most_guessed, 2 * B) << "a guess or two";
    EXPECT_GT(paid.visits->e_steps, 20 * B) << "all at once it would have been this";
  }
}

// A large model has small pieces: the E-step over its buffer is cut, too.
TEST(Early, an_e_step_over_the_buffer_is_more_than_one_piece) {
  const Table table = clusters(8, 40, 9000, 2);
  constexpr std::uint64_t B = 6000;
  Paid paid(8, 40, {.buffer = B, .starts = 2, .start_budget = 0.5, .racers = 1});
  paid.learn(table, 0, B);
  for (std::size_t t = B; t < B + 300 && !paid.started; ++t) paid.learn(table, t, t + 1);
  EXPECT_LT(paid.most, B / 2);
}

TEST(Early, paid_by_rows_or_at_once_it_is_the_same_model) {
  const Table table = clusters(4, 3, 9000, 2);
  for (const std::size_t threads : {1U, 3U}) {
    Online paid(full(4), Schema::numbered(3), {.seed = 2, .pool = ThreadPool(threads)});
    Online at_once(full(4), Schema::numbered(3), {.at_once = true, .seed = 2});
    feed(paid, table, 7);
    feed(at_once, table, 1000);
    EXPECT_TRUE(same_bits(paid.reported(), at_once.reported()));
    paid.finish();
    at_once.finish();
    EXPECT_TRUE(bytes(paid.save()) == bytes(at_once.save()));
  }
  // A stream that ends while starts are searched, or while rows wait.
  for (const std::size_t rows : {1000U, 1001U, 1400U, 2000U, 2100U}) {
    Online paid(full(4), Schema::numbered(3), {.seed = 2});
    Online at_once(full(4), Schema::numbered(3), {.at_once = true, .seed = 2});
    feed(paid, table.block(), 1, 0, rows);
    feed(at_once, table.block(), 1, 0, rows);
    paid.finish();
    at_once.finish();
    EXPECT_TRUE(bytes(paid.save()) == bytes(at_once.save())) << rows;
  }
}

TEST(Early, a_state_in_the_middle_of_the_search_has_the_same_future) {
  const Table table = clusters(8, 4, 9000, 1);
  const auto make = [] { return Online(full(8), Schema::numbered(4), {.seed = 3}); };
  Online straight = make();
  const std::size_t B = straight.buffer_size();
  std::size_t at = 0;
  std::size_t in_search = 0;
  while (!straight.started()) {
    straight.learn(table.block().slice(at++, 1));
    if (at < B || (at - B) % 97 > 0) continue;
    in_search += !straight.started();
    Online resumed = make();
    move_state(straight, resumed);
    Online copied = straight;
    Online reference = straight;
    for (Online* online : {&resumed, &copied, &reference})
      feed(*online, table.block(), 50, at, at + 2 * B);
    ASSERT_TRUE(bytes(resumed.save()) == bytes(reference.save())) << at;
    ASSERT_TRUE(bytes(copied.save()) == bytes(reference.save())) << at;
    ASSERT_EQ(resumed.provisional(), reference.provisional());
  }
  EXPECT_GT(in_search, 3U);
}

// … of which there may be more rows than a stream has until the search is over.
TEST(Early, rows_that_wait_are_bounded) {
  const Table table = clusters(3, 2, 6000, 1);
  Online online(full(3), two_columns(),
                {.buffer = 1000, .start_budget = std::numeric_limits<double>::infinity()});
  feed(online, table.block(), 333, 0, 4999);
  feed(online, table.block(), 1, 4999, 5000);
  EXPECT_TRUE(online.started()) << "four times as many as are in the buffer";
  EXPECT_GT(online.rows() + online.batch_size(), 5000U) << "nothing waits but for a mini-batch";
}

// Rows beyond `keep`, but so few that all of them are in the buffer: they used to end without any likelihood.
TEST(Early, an_input_that_ends_in_the_buffer_is_scored_kept_or_not) {
  const Table table = clusters(3, 2, 600, 2);
  for (const Method method : {Method::automatic, Method::online}) {
    Fit fit(full(3), {.method = method, .keep = 800});
    fit.compare_with(full(1));
    MemorySource source(two_columns(), table.block(), 100);
    const FitResult result = fit.run(source);
    EXPECT_EQ(result.method, Method::online);
    EXPECT_FALSE(result.progressive);
    ASSERT_TRUE(result.log_likelihood);
    EXPECT_NEAR(*result.log_likelihood,
                600 * mean_log_density(*full(3), result.parameters, table.block()), 1e-6);
    EXPECT_TRUE(result.entropy);
    EXPECT_TRUE(result.baseline);
  }
}

}  // namespace test_early
