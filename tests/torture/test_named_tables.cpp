// Each trouble alone, by every covariance type and every way to fit: where a random table fails, this says why.
#include "ways.hpp"

#include <gtest/gtest.h>

namespace test_named_tables {

using namespace torture;

class TortureNamed : public ::testing::TestWithParam<unsigned> {};

TEST_P(TortureNamed, every_fit_is_sound) {
  for (const Shape shape : samples::shapes)
    for (const Way& way : ways)
      for (unsigned seed = 1; seed <= 3; ++seed) {
        const Recipe recipe{.seed = seed, .troubles = GetParam()};
        EXPECT_EQ(trouble_with(recipe, way, shape), "") << shape << " " << way << " " << recipe;
      }
}

// Rows from one a component on: fewer are refused by name, as few as that are fitted.
TEST_P(TortureNamed, as_few_rows_as_components) {
  for (const Shape shape : samples::shapes)
    for (const Way& way : ways)
      for (std::size_t more = 0; more < 4; ++more) {
        const Recipe recipe{.components = 2 + more % 2, .more_rows = more, .troubles = GetParam()};
        EXPECT_EQ(trouble_with(recipe, way, shape), "") << shape << " " << way << " " << recipe;
      }
}

INSTANTIATE_TEST_SUITE_P(Each, TortureNamed, ::testing::ValuesIn(named_troubles),
                         [](const auto& trouble) { return name_of_troubles(trouble.param); });

/// Two clear clusters, and one absurd row where asked for.
Table two_clusters(bool absurd) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Table rows(2);
  for (int t = 0; t < 200; ++t) {
    const std::vector<double> y{normal(random) + (t % 2 == 0 ? 0 : 8), normal(random)};
    rows.append_row(y.data());
  }
  const std::vector<double> y{1e150, 0};
  if (absurd) rows.append_row(y.data());
  return rows;
}

// One row at 1e150 takes a component for itself; the others describe the rest as if it were not there.
TEST(Torture, an_outlier_swallows_nothing) {
  for (const Shape shape : samples::shapes) {
    if (shape == Shape::tied) continue;  // one covariance for all: the outlier's is everybody's
    const auto fit = [shape](const Table& rows, std::size_t K) {
      samples::ListSource source(rows, 50);
      return Fit(samples::gaussian_model(shape, K), {}).run(source).parameters;
    };
    const auto clean = plain(two_clusters(false).block());
    const auto calm =
        textbook::log_likelihood(samples::gaussians(fit(two_clusters(false), 2), shape), clean);
    const auto hard =
        textbook::log_likelihood(samples::gaussians(fit(two_clusters(true), 3), shape), clean);
    EXPECT_GT(hard / 200, calm / 200 - 0.02) << shape;
  }
}

}  // namespace test_named_tables
