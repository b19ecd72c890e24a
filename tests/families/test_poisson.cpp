// The Poisson family: floors, counts of every size.
#include "samples.hpp"

#include <gtest/gtest.h>

namespace test_poisson {

using namespace thalweg;
using samples::PoissonMixture;

TEST(Poisson, domain) {
  const Poisson poisson;
  for (const double y : {0.0, 1.0, 17.0, 1e15, 0x1.0p53}) EXPECT_TRUE(poisson.contains(y, 0)) << y;
  for (const double y : {-1.0, 0.5, 1e300, HUGE_VAL, -HUGE_VAL, std::nan("")})
    EXPECT_FALSE(poisson.contains(y, 0)) << y;
}

TEST(Poisson, densities_sum_to_one) {
  const PoissonMixture model({}, 2);
  const Parameters theta = samples::parameters(model, samples::source_poisson());
  std::vector<double> counts(60);
  for (std::size_t y = 0; y < counts.size(); ++y) counts[y] = static_cast<double>(y);
  Explanation out;
  explain(model, theta, dense_block(counts.data(), counts.size(), 1), out);
  double total = 0;
  for (const double x : out.log_density) total += std::exp(x);
  EXPECT_NEAR(total, 1.0, 1e-14);
}

// E log f of the source's mixture is -1.581295 (theory notes).
TEST(Poisson, entropy_of_the_sources_mixture) {
  const textbook::Theta truth = samples::source_poisson();
  const PoissonMixture model({}, 2);
  std::vector<double> counts(60);
  for (std::size_t y = 0; y < counts.size(); ++y) counts[y] = static_cast<double>(y);
  Explanation out;
  explain(model, samples::parameters(model, truth), dense_block(counts.data(), counts.size(), 1),
          out);
  double entropy = 0;
  for (const double x : out.log_density) entropy += std::exp(x) * x;
  EXPECT_NEAR(entropy, -1.581295, 5e-7);
}

TEST(Poisson, columns_of_zeros_reach_the_floor_and_are_counted) {
  const PoissonMixture model({}, 2);
  textbook::Data data = samples::draw(samples::three_poissons(), 200, 3);
  for (auto& row : data.rows) row[1] = 0;
  const Table table = samples::table(data);
  Random random(1);
  Parameters theta =
      model.start(model.plan(Schema::numbered(table.block().columns)), table.block(), random);
  Sums sums(model.plan(Schema::numbered(2)).statistic);
  EXPECT_TRUE(std::isfinite(expect(model, theta, table.block(), sums)));
  Events events;
  maximise(model, mean(sums), {.events = &events}, theta);
  EXPECT_EQ(events[Event::floor_reached], 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_GT(theta["rates"][k * 2 + 1], 0.0);
    EXPECT_LT(theta["rates"][k * 2 + 1], 1e-9);
  }
  const double surprise = 5;  // a count where only zeros were seen: unlikely, not impossible
  const std::vector<double> row{1, surprise};
  Explanation out;
  explain(model, theta, dense_block(row.data(), 1, 2), out);
  EXPECT_TRUE(std::isfinite(out.log_density[0]));
}

TEST(Poisson, large_counts_keep_their_digits) {
  const textbook::Theta theta{
      .kind = textbook::Kind::poisson, .weights = {0.4L, 0.6L}, .first = {{1e6}, {1.002e6L}}};
  const PoissonMixture model({}, 2);
  const textbook::Data data = samples::draw(theta, 300, 4);
  const Table table = samples::table(data);
  Explanation out;
  explain(model, samples::parameters(model, theta), table.block(), out);
  for (std::size_t t = 0; t < 300; ++t)
    EXPECT_NEAR(out.log_density[t], static_cast<double>(textbook::log_density(theta, data.rows[t])),
                1e-8);
}

}  // namespace test_poisson
