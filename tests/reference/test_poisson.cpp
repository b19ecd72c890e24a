// Poisson mixtures of real counts: iterations as in the textbook, the maximum as recorded.
#include "fits.hpp"

namespace test_poisson {

using samples::PoissonMixture;

struct Case {
  const char* set;
  const char* column;
};

class ReferencePoisson : public ::testing::TestWithParam<Case> {};

TEST_P(ReferencePoisson, iterations_and_maximum) {
  const Case& c = GetParam();
  const auto folder = reference::folder(c.set);
  if (folder.empty()) GTEST_SKIP() << reference::missing(c.set);
  const textbook::Data data = reference::column(folder / "data.csv", c.column);
  // Equal counts have equal posteriors: the frequency table has the same likelihood and costs the textbook less.
  const textbook::Data table = samples::histogram(data);
  const nlohmann::json entries = reference::fits(c.set);
  int tried = 0;
  for (const auto& [name, entry] : entries.items()) {
    if (!name.starts_with("poisson_K")) continue;
    SCOPED_TRACE(name);
    ++tried;
    ASSERT_EQ(static_cast<double>(data.rows.size()), entry.at("n").get<double>());
    const auto start = reference::poisson_start(entry.at("start").at("means"));
    const auto path = fits::textbook_path(start, table);
    const PoissonMixture model({}, start.K());
    fits::expect_fit(model, table, start, path, entry.at("loglik"));
    if (tried == 1)
      fits::expect_fit(model, data, start, path, entry.at("loglik"));  // the rows themselves
  }
  EXPECT_GT(tried, 0);
}

INSTANTIATE_TEST_SUITE_P(Data, ReferencePoisson,
                         ::testing::Values(Case{"earthquakes", "count"}, Case{"azpro", "los"},
                                           Case{"nmes1988", "visits"}, Case{"bikeshare", "cnt"}),
                         [](const auto& c) { return std::string(c.param.set); });

}  // namespace test_poisson
