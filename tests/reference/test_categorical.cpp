// Latent classes of a real table: columns of two levels are Bernoulli columns, whose recorded fits they must repeat.
#include "fits.hpp"
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/sources/table_source.hpp>

namespace test_categorical {

using namespace thalweg;

/// Which brands 2218 households bought: 484 patterns with their frequencies.
struct Whiskey {
  Table rows;
  Schema schema;
};

Whiskey read_whiskey(const std::string& path) {
  const auto source = open_table({path}, {.all_categorical = true, .weight_column = "freq"});
  Whiskey whiskey{Table(source->schema().width()), source->schema()};
  for (const Block& block : *source) whiskey.rows.append(block);
  return whiskey;
}

/// theta = 0.98 (column mean + row) / 2 + 0.01 for the recorded rows, as the probability of "1".
Parameters recorded_start(const Whiskey& data, const std::vector<std::size_t>& picked,
                          const Plan& plan) {
  Parameters theta(plan.parameters);
  const Block rows = data.rows.block();
  for (std::size_t k = 0; k < picked.size(); ++k) {
    theta["weights"][k] = 1.0 / static_cast<double>(picked.size());
    for (std::size_t j = 0; j < rows.columns; ++j) {
      const auto& levels = data.schema.levels[j];
      const auto one = static_cast<double>(std::ranges::find(levels, "1") - levels.begin());
      double mean = 0;
      for (std::size_t t = 0; t < rows.rows; ++t)
        if (rows.row(t)[j] == one) mean += rows.weight(t) / rows.total_weight();
      const double own = rows.row(picked[k])[j] == one ? 1 : 0;
      const double p = 0.98 * 0.5 * (mean + own) + 0.01;
      const std::size_t at = (k * rows.columns + j) * 2;
      theta["probabilities"][at + static_cast<std::size_t>(one)] = p;
      theta["probabilities"][at + 1 - static_cast<std::size_t>(one)] = 1 - p;
    }
  }
  return theta;
}

TEST(ReferenceCategorical, whiskey) {
  const auto folder = reference::folder("whiskey");
  if (folder.empty()) GTEST_SKIP() << reference::missing("whiskey");
  const Whiskey data = read_whiskey(folder / "data.csv");
  ASSERT_EQ(data.rows.block().total_weight(), 2218);
  int tried = 0;
  const auto fits = reference::fits("whiskey");
  for (const auto& [name, entry] : fits.items()) {
    if (!name.starts_with("bernoulli_K")) continue;
    SCOPED_TRACE(name);
    ++tried;
    const std::size_t K = entry.at("K");
    const auto model = categorical_mixture(
        {.components = K, .levels = std::vector<std::size_t>(data.schema.width(), 2)});
    const Plan plan = model->plan(data.schema);
    EXPECT_EQ(plan.free_parameters, entry.at("n_params").get<std::size_t>());
    Batch batch(model, data.schema, {.tolerance = 1e-11, .max_iterations = 50000});
    batch.begin(recorded_start(data, entry.at("start").at("rows"), plan));
    batch.run(data.rows.block());
    EXPECT_TRUE(batch.converged());
    EXPECT_NEAR(batch.log_likelihood(), entry.at("loglik").get<double>(), 1e-6 * 2218);
  }
  EXPECT_EQ(tried, 4);
}

}  // namespace test_categorical
