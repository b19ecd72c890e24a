// Probabilistic PCA on the tables that break mixture programs, by every way to fit: finite, valid, honest, readable from a file.
#include "ppcas.hpp"
#include "ways.hpp"
#include <thalweg/catalogue/factors.hpp>

#include <gtest/gtest.h>

namespace test_ppca {

using namespace torture;
using textbook::Real;

constexpr std::array more_ways{
    Way{.name = "exact", .method = Method::exact},
    Way{.name = "exact_no_floor", .method = Method::exact, .floor = 0},
};

/// In long double; docs/models/ppca.md lets rows further than 1e140 scales from the medians count as that far.
Real true_likelihood(const Parameters& theta, const Block& rows) {
  const textbook::Factors at = ppcas::factors(theta);
  const textbook::Matrix sigma = textbook::covariance(at);
  const Real scale = theta["scale"][0];
  const textbook::Vector origin(at.d());
  Real sum = 0;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    Real norm = 0;
    const auto from_shift = [&](std::size_t j) { return Real(rows.row(t)[j]) - theta["shift"][j]; };
    for (std::size_t j = 0; j < at.d(); ++j) norm += std::pow(from_shift(j) / scale, Real(2));
    const Real factor = norm > 1e280L ? std::sqrt(1e280L / norm) : 1;
    std::vector<double> x;
    for (std::size_t j = 0; j < at.d(); ++j)
      x.push_back(static_cast<double>(from_shift(j) * factor + theta["shift"][j] - at.mean[j]));
    sum += rows.weight(t) * std::max<Real>(textbook::log_normal(origin, sigma, x), -1e300L);
  }
  return sum;
}

std::string trouble_with(const Recipe& recipe, const Way& way, std::size_t rank, bool expanded) {
  const Table rows = table(recipe);
  const auto model = ppca({.rank = rank, .expanded = expanded});
  const Schema schema = Schema::numbered(rows.columns());
  const FitResult result = fit_in(way, recipe, rows, model, rank + 2, {});
  const Parameters& theta = result.parameters;
  if (!theta.finite() || !(theta["noise_variance"][0] > 0)) return "parameters are not valid";
  const Block block = rows.block();
  const Real truth = true_likelihood(theta, block);
  const double n = block.total_weight();
  const double evaluated = expect_all(*model, theta, model->plan(schema), block).log_likelihood();
  std::string faults = wrong_likelihood(evaluated, {truth, truth}, n, way.relative());
  if (result.log_likelihood)
    faults += wrong_likelihood(*result.log_likelihood, {truth, truth}, n, way.relative());
  Fitted fitted =
      prepare(find_entry("ppca"),
              {{"rank", std::to_string(rank)}, {"mstep", expanded ? "expanded" : "plain"}}, schema);
  fitted.parameters = theta;
  const Fitted again = from_file(model_from_json(to_json(to_file(fitted)), "file"), "file");
  if (!std::ranges::equal(again.parameters.values(), theta.values()))
    faults += "changed in its file; ";
  return faults;
}

class TorturePpca : public ::testing::TestWithParam<unsigned> {};

TEST_P(TorturePpca, every_fit_is_sound) {
  std::vector<Way> all(ways.begin(), ways.end());
  all.insert(all.end(), more_ways.begin(), more_ways.end());
  for (const std::size_t rank : {1U, 2U, 3U})
    for (const bool expanded : {true, false})
      for (const Way& way : all)
        for (const std::size_t more : {2U, 6U, 120U})  // fewer rows than columns, too
          for (unsigned seed = 1; seed <= 3; ++seed) {
            const Recipe recipe{.seed = seed,
                                .components = 3,
                                .more_rows = more,
                                .columns = 4 + more % 5,
                                .troubles = GetParam()};
            EXPECT_EQ(trouble_with(recipe, way, rank, expanded), "")
                << "rank " << rank << (expanded ? "" : " plain") << " " << way << " " << recipe;
          }
}

INSTANTIATE_TEST_SUITE_P(Each, TorturePpca, ::testing::ValuesIn(named_troubles),
                         [](const auto& trouble) { return name_of_troubles(trouble.param); });

// Every row the same, and every column constant but one.
TEST(TorturePpca, nothing_varies) {
  for (const double value : {0.0, 3.7, -1e9, 1e-9, 1e150}) {
    Table rows(3);
    const std::vector<double> y(3, value);
    for (int t = 0; t < 20; ++t) rows.append_row(y.data());
    for (const Way& way : ways) {
      if (way.textbook) continue;
      samples::ListSource source(rows, 7);
      const FitResult result = Fit(ppca({.rank = 1}), {.method = way.method}).run(source);
      EXPECT_TRUE(result.parameters.finite()) << value << way;
      EXPECT_GT(result.parameters["noise_variance"][0], 0);
      EXPECT_TRUE(result.events.any()) << "a repair that was not counted";
    }
  }
}

}  // namespace test_ppca
