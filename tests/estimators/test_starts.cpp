// The search for starts ends when it is asked to, with something that can be used.
#include "runs.hpp"

namespace test_starts {

using namespace runs;

struct Search : ::testing::Test {
  Table table = samples::table(samples::draw(samples::source_poisson(), 2000, 1));
  std::shared_ptr<const PoissonMixture> model =
      std::make_shared<const PoissonMixture>(Poisson{}, 3);

  std::vector<Start> starts(const std::function<bool()>& stop) const {
    return find_starts(model, Schema::numbered(1), table.block(), {.seed = 3, .stop = stop});
  }
};

TEST_F(Search, StopsAtOnce) {
  const std::vector<Start> found = starts([] { return true; });
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(std::isfinite(found.front().record.after_short_em));
  EXPECT_NEAR(found.front().statistic.weight, 2000, 1e-9);
}

TEST_F(Search, AsksOftenAndKeepsTheBestSoFar) {
  int asked = 0;
  const auto whole = starts([&asked] { return ++asked < 0; });
  EXPECT_GT(asked, 50);
  const int most = asked;
  asked = 0;
  const auto part = starts([&asked, most] { return ++asked > most / 2; });
  EXPECT_LE(part.front().record.after_short_em, whole.front().record.after_short_em);
  EXPECT_GT(part.front().record.after_short_em, part.back().record.at_start);
  EXPECT_LT(asked, most);
}

TEST_F(Search, GoesOnWhileStartsEndAtNewPlaces) {
  const auto found = [this](bool confirmed, std::uint64_t seed) {
    return find_starts(model, Schema::numbered(1), table.block(),
                       {.starts = 1, .confirmed = confirmed, .jumps = 0, .seed = seed});
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<Start> one = found(false, seed);
    const std::vector<Start> some = found(true, seed);
    EXPECT_EQ(one.size(), 1U);
    ASSERT_GE(some.size(), 7U) << "one place is known to be the only one after so many";
    // A start that is alone gets all iterations, which moves it by less than what sets two places apart.
    EXPECT_GE(some.front().record.after_short_em, one.front().record.after_short_em - 5e-5);
    std::size_t places = 0;
    for (const Start& start : some) places += start.record.repeats ? 0 : 1;
    EXPECT_LT(2 * places, some.size() + 2) << "most of them ended where another had";
  }
}

TEST_F(Search, BeingAskedChangesNothing) {
  const auto asked = starts([] { return false; });
  const auto alone = starts({});
  ASSERT_EQ(asked.size(), alone.size());
  const auto values = asked.front().theta.values();
  EXPECT_TRUE(std::equal(values.begin(), values.end(), alone.front().theta.values().begin()));
}

}  // namespace test_starts
