// Diagonal Gaussian mixtures of real data: the first five iterations and the maximum from recorded starts.
#include "fits.hpp"

namespace {

using fits::expect_fit;
using samples::GaussianMixture;

// Old Faithful, Azzalini & Bowman (1990). Reference: EM in double precision from rows 9 and 257 (from 0), checked with
// scikit-learn 1.2.1.
TEST(ReferenceGaussian, faithful) {
  const textbook::Data data = reference::columns(reference::shipped("faithful.csv"), 0, 1);
  ASSERT_EQ(data.rows.size(), 272U);
  expect_fit(GaussianMixture({}, 2), data, reference::gaussian_start(data, {9, 257}),
             {-1731.315200484138, -1516.4473541679492, -1515.495682949642, -1511.2210959526828,
              -1491.9065231568684, -1412.1283864423974},
             -1147.8063525378107);
}

struct Case {
  const char* set;
  const char* entry;
  std::size_t first, last;  // columns of the file
};

class ReferenceGaussianSets : public ::testing::TestWithParam<Case> {};

TEST_P(ReferenceGaussianSets, iterations_and_maximum) {
  const Case& c = GetParam();
  const auto folder = reference::folder(c.set);
  if (folder.empty()) GTEST_SKIP() << reference::missing(c.set);
  const auto entry = reference::fits(c.set).at(c.entry);
  const textbook::Data data = reference::columns(folder / "data.csv", c.first, c.last);
  ASSERT_EQ(data.rows.size(), entry.at("n").get<std::size_t>());
  ASSERT_EQ(data.rows[0].size(), entry.at("d").get<std::size_t>());
  const auto start = reference::gaussian_start(data, entry.at("start").at("rows"));
  const std::vector<double> path = entry.at("loglik_at_start_and_after_1_to_5_EM_iterations");
  expect_fit(GaussianMixture({}, start.K()), data, start, path, entry.at("loglik"));
  const auto slow =
      fits::textbook_path(start, data);  // the textbook agrees with the reference as well
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(slow[i], path[i], 1e-9 * std::abs(path[i]));
}

INSTANTIATE_TEST_SUITE_P(Data, ReferenceGaussianSets,
                         ::testing::Values(Case{"faithful", "gmm_diag_K2", 0, 1},
                                           Case{"iris", "gmm_diag_K3", 0, 3},
                                           Case{"wine", "gmm_diag_K3", 0, 12},
                                           Case{"wdbc", "gmm_diag_K3", 2, 31}),
                         [](const auto& c) { return std::string(c.param.set); });

}  // namespace
