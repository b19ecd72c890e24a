// Step sizes: their laws, their text, and what is refused.
#include <thalweg/core/error.hpp>
#include <thalweg/core/schedule.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace test_schedule {

using thalweg::Schedule;
using thalweg::UsageError;

double plain(const Schedule& schedule, std::uint64_t k) {
  return schedule.rate(k, 1, 1, static_cast<double>(k));
}

TEST(Schedule, power_law) {
  for (const double alpha : {0.51, 0.6, 0.9, 1.0}) {
    const Schedule schedule = Schedule::power(alpha);
    EXPECT_EQ(plain(schedule, 1), 1.0);
    for (const std::uint64_t k : {2U, 10U, 12345U, 4000000000U}) {
      const double expected = std::pow(static_cast<double>(k), -alpha);
      EXPECT_NEAR(plain(schedule, k), expected, 1e-14 * expected);
    }
  }
  EXPECT_DOUBLE_EQ(plain(Schedule::power(0.7, 100), 25), std::pow(125.0, -0.7));
  EXPECT_EQ(Schedule::power().exponent(), 0.6);
}

TEST(Schedule, the_other_laws) {
  EXPECT_DOUBLE_EQ(plain(Schedule::reciprocal(), 8), 0.125);
  EXPECT_EQ(plain(Schedule::constant(0.01), 1), 0.01);
  EXPECT_EQ(plain(Schedule::constant(0.01), 1000000), 0.01);
  const auto mine =
      Schedule::custom([](std::uint64_t k) { return 2.0 / (2.0 + static_cast<double>(k)); });
  EXPECT_EQ(plain(mine, 2), 0.5);
  EXPECT_EQ(mine.kind(), Schedule::Kind::custom);
}

// What is left of S_1 after a hundred steps: online EM forgets its start (figures of the theory notes).
TEST(Schedule, forgets_the_start) {
  const auto left = [](double alpha) {
    double product = 1;
    for (std::uint64_t k = 2; k <= 100; ++k) product *= 1 - plain(Schedule::power(alpha), k);
    return product;
  };
  EXPECT_NEAR(left(0.6), 4.49e-7, 0.005e-7);
  EXPECT_NEAR(left(0.9), 2.50e-3, 0.005e-3);
}

TEST(Schedule, a_batch_of_e_usual_ones_moves_as_far_as_e_steps) {
  for (const Schedule& schedule : {Schedule::power(0.6), Schedule::constant(0.03)}) {
    const double gamma = plain(schedule, 50);
    double left = 1;
    for (int e = 1; e <= 5; ++e) {
      left *= 1 - gamma;
      EXPECT_NEAR(schedule.rate(50, e * 8.0, 8.0, 400), 1 - left, 1e-14);
    }
    const double half = schedule.rate(50, 4.0, 8.0, 400);
    EXPECT_NEAR((1 - half) * (1 - half), 1 - gamma, 1e-14);
  }
  EXPECT_EQ(Schedule::power(0.6).rate(1, 3, 8, 3), 1.0) << "the first step has no S_0 to keep";
}

// At one fixed theta, 1/n makes S the weighted mean: w_t / (w_1 + … + w_t).
TEST(Schedule, reciprocal_counts_weight) {
  EXPECT_DOUBLE_EQ(Schedule::reciprocal().rate(7, 2.5, 1, 10), 0.25);
  EXPECT_DOUBLE_EQ(Schedule::reciprocal().rate(1, 2.5, 1, 2.5), 1.0);
}

TEST(Schedule, text_round_trip) {
  for (const char* text : {"0.6", "0.51", "1", "0.6,offset=100", "0.75,offset=2.5", "1/n",
                           "constant:0.01", "constant:1"})
    EXPECT_EQ(Schedule::parse(text).text(), text);
  EXPECT_DOUBLE_EQ(plain(Schedule::parse("0.6,offset=100"), 4), std::pow(104.0, -0.6));
  EXPECT_EQ(Schedule::parse("1.0").text(), "1");
  EXPECT_EQ(Schedule::parse("0.6,offset=0").text(), "0.6");
}

TEST(Schedule, refuses_what_makes_no_sense) {
  for (const char* text : {"0.5",
                           "0.3",
                           "0",
                           "-0.6",
                           "1.0001",
                           "2",
                           "nan",
                           "inf",
                           "",
                           " ",
                           "0.6 ",
                           "fast",
                           "1/N",
                           "1/k",
                           "0.6,",
                           "0.6,100",
                           "0.6,offset=",
                           "0.6,offset=-1",
                           "0.6,offset=nan",
                           "0.6,offset=inf",
                           "0.6,Offset=1",
                           "constant:",
                           "constant:0",
                           "constant:1.1",
                           "constant:-0.1",
                           "constant:nan",
                           "custom"})
    EXPECT_THROW(Schedule::parse(text), UsageError) << '"' << text << '"';
  for (const double alpha : {0.5, 1.0 + 1e-12, -1.0, std::nan("")})
    EXPECT_THROW(Schedule::power(alpha), UsageError) << alpha;
}

TEST(Schedule, the_refusal_says_what_would_do) {
  try {
    Schedule::parse("0.4");
    FAIL() << "must throw";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("(0.5, 1]"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("0.4"), std::string::npos) << error.what();
  }
}

}  // namespace test_schedule
