// Averages of the iterates against the textbook's, and the words that ask for them.
#include "runs.hpp"

namespace test_averaging {

using namespace runs;

class Averages : public ::testing::Test {
 protected:
  static constexpr std::size_t n = 1000;

  Recursion run(Averaging average, std::size_t m) {
    Recursion recursion(
        model_, two_columns(),
        {.step = Schedule::power(0.6), .batch_size = m, .warmup = 5, .average = average});
    recursion.begin(samples::parameters(model_, start_));
    feed(recursion, samples::table(data_), 77);
    recursion.finish();
    return recursion;
  }

  textbook::Path slow(std::size_t m) {
    return textbook::online(start_, data_, textbook::power(0.6L, m, 5));
  }

  PoissonMixture model_{{}, 3};
  textbook::Theta start_ = samples::off(samples::three_poissons());
  textbook::Data data_ = samples::draw(samples::three_poissons(), n, 3);
};

void expect_equal(const Recursion& run, const textbook::Statistic& average) {
  EXPECT_LT(statistic_difference(run.reported_statistic(), average), 1e-11);
  const auto theta = textbook::maximise(average, textbook::Kind::poisson);
  EXPECT_LT(samples::difference(samples::theta(run.reported()), theta), 1e-10);
}

TEST_F(Averages, polynomial) {
  for (const std::size_t m : {1U, 8U, 300U})
    for (const std::size_t eta : {0U, 1U, 3U})
      expect_equal(run({.eta = static_cast<double>(eta)}, m), textbook::polynomial(slow(m), eta));
}

TEST_F(Averages, from_a_row_on) {
  for (const std::size_t m : {1U, 8U})
    for (const std::uint64_t from : {0U, 1U, 500U, 996U})
      expect_equal(run({.kind = Averaging::Kind::from, .from_row = from}, m),
                   textbook::mean_from(slow(m), from));
}

TEST_F(Averages, half_is_from_half_the_length) {
  const Averaging half = Averaging{.kind = Averaging::Kind::half}.resolve(n);
  EXPECT_EQ(half.kind, Averaging::Kind::from);
  EXPECT_EQ(half.from_row, n / 2);
  expect_equal(run(half, 1), textbook::mean_from(slow(1), n / 2));
  EXPECT_THROW((Averaging{.kind = Averaging::Kind::half}.resolve(std::nullopt)), UsageError);
  EXPECT_EQ(Averaging{}.resolve(std::nullopt).kind, Averaging::Kind::polynomial);
}

TEST_F(Averages, off_reports_the_last_iterate) {
  const auto last = run({.kind = Averaging::Kind::off}, 1);
  EXPECT_TRUE(same_bits(last.reported(), last.parameters()));
  EXPECT_TRUE(same_bits(last.reported_statistic(), last.statistic()));
}

TEST_F(Averages, before_it_begins_the_last_iterate_is_reported) {
  const auto early = run({.kind = Averaging::Kind::from, .from_row = n}, 1);
  EXPECT_TRUE(same_bits(early.reported(), early.parameters()));
}

TEST_F(Averages, averaging_changes_no_iterate) {
  EXPECT_TRUE(
      same_bits(run({.kind = Averaging::Kind::off}, 3).parameters(), run({}, 3).parameters()));
}

TEST_F(Averages, of_the_parameters) {
  const textbook::Path path = slow(1);
  const auto mean =
      run({.kind = Averaging::Kind::from, .from_row = 400, .of = Averaging::Of::parameters}, 1);
  const auto decayed = run({.eta = 1, .of = Averaging::Of::parameters}, 1);
  textbook::Theta plain = path.theta.back();
  textbook::Theta linear = plain;
  const auto average = [&path](auto entry, auto weight) {
    textbook::Real sum = 0;
    textbook::Real total = 0;
    for (std::size_t t = 0; t < path.theta.size(); ++t) {
      sum += weight(t) * entry(path.theta[t]);
      total += weight(t);
    }
    return sum / total;
  };
  const auto late = [](std::size_t t) { return textbook::Real(t + 1 > 400 ? 1 : 0); };
  const auto growing = [](std::size_t t) {
    return textbook::Real(t + 1);
  };  // eta = 1: weights in proportion to j
  for (std::size_t k = 0; k < 3; ++k) {
    const auto weight = [k](const textbook::Theta& theta) { return theta.weights[k]; };
    plain.weights[k] = average(weight, late);
    linear.weights[k] = average(weight, growing);
    for (std::size_t j = 0; j < 2; ++j) {
      const auto rate = [k, j](const textbook::Theta& theta) { return theta.first[k][j]; };
      plain.first[k][j] = average(rate, late);
      linear.first[k][j] = average(rate, growing);
    }
  }
  EXPECT_LT(samples::difference(samples::theta(mean.reported()), plain), 1e-10);
  EXPECT_LT(samples::difference(samples::theta(decayed.reported()), linear), 1e-10);
}

TEST(Averaging, text_round_trip) {
  for (const char* text :
       {"auto", "poly:3", "poly:0", "poly:1.5", "half", "from:10000", "from:0", "off"})
    EXPECT_EQ(Averaging::parse(text).text(), text);
  EXPECT_EQ(Averaging{}.text(), "poly:3");
}

TEST(Averaging, refuses_what_makes_no_sense) {
  for (const char* text :
       {"", "poly", "poly:", "poly:-1", "poly:nan", "poly:inf", "poly:x", "from",
        "from:", "from:-1", "from:1.5", "half:2", "on", "Off", " off", "poly:3 "})
    EXPECT_THROW(Averaging::parse(text), UsageError) << '"' << text << '"';
}

}  // namespace test_averaging
