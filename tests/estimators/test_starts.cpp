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

TEST_F(Search, BeingAskedChangesNothing) {
  const auto asked = starts([] { return false; });
  const auto alone = starts({});
  ASSERT_EQ(asked.size(), alone.size());
  const auto values = asked.front().theta.values();
  EXPECT_TRUE(std::equal(values.begin(), values.end(), alone.front().theta.values().begin()));
}

}  // namespace test_starts
