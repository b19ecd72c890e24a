// Files that an earlier program wrote stay readable: version 1 is a public contract.
#include "source_tree.hpp"
#include <thalweg/catalogue/fitted.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace test_golden {

using namespace thalweg;

std::string golden(const std::string& name) { return source_tree() / "tests/golden" / name; }

std::vector<double> values(const Parameters& theta, const char* piece) {
  return {theta[piece].begin(), theta[piece].end()};
}

TEST(Golden, PoissonOfVersionOne) {
  const Fitted fitted = read_fitted(golden("poisson_v1.json"));
  EXPECT_EQ(fitted.entry->name, "poisson");
  EXPECT_EQ(fitted.options.count("components"), 2U);
  EXPECT_EQ(fitted.schema.columns, std::vector<std::string>{"deaths"});
  EXPECT_EQ(values(fitted.parameters, "weights"),
            (std::vector{0.3598856392984573, 0.6401143607015427}));
  EXPECT_EQ(values(fitted.parameters, "rates"),
            (std::vector{1.256090838451217, 2.663403941076209}));
  EXPECT_EQ(fitted.statistic->weight, 1096);
  EXPECT_EQ((*fitted.statistic)["sums"][1], 1.7048831);
  EXPECT_EQ(fitted.training->log_likelihood, -1989.945859);
  EXPECT_EQ(fitted.training->progressive_mean_log_likelihood, std::nullopt);
  EXPECT_EQ(fitted.training->events[Event::floor_reached], 2U);
  EXPECT_TRUE(fitted.training->converged);
}

TEST(Golden, DiagonalGaussianOfVersionOne) {
  const Fitted fitted = read_fitted(golden("gaussian_diag_v1.json"));
  EXPECT_EQ(fitted.options.text("covariance"), "diag");
  EXPECT_EQ(fitted.schema.columns, (std::vector<std::string>{"eruptions", "waiting"}));
  EXPECT_EQ(values(fitted.parameters, "means"), (std::vector{2.0379, 54.4929, 4.2911, 79.9857}));
  EXPECT_EQ(values(fitted.parameters, "covariances"),
            (std::vector{0.0703, 33.7562, 0.1681, 35.7732}));
  EXPECT_EQ(values(fitted.parameters, "shift"), (std::vector{4.0, 76.0}));
  EXPECT_EQ(values(fitted.parameters, "scale"), (std::vector{1.7031, 17.791}));
  EXPECT_FALSE(fitted.statistic.has_value());
  EXPECT_EQ(fitted.training->seed, 18446744073709551615U);
  EXPECT_EQ(fitted.training->progressive_mean_log_likelihood, -4.2);
  EXPECT_EQ(fitted.training->step, "1/n");
}

TEST(Golden, PpcaOfVersionOne) {
  const Fitted fitted = read_fitted(golden("ppca_v1.json"));
  EXPECT_EQ(fitted.options.count("rank"), 1U);
  EXPECT_EQ(fitted.options.text("mstep"), "expanded");
  EXPECT_EQ(values(fitted.parameters, "mean"), (std::vector{3.487783088235294, 70.8970588235294}));
  EXPECT_EQ(values(fitted.parameters, "loadings"),
            (std::vector{1.026946933632058, 13.560991703888758}));
  EXPECT_EQ(fitted.parameters["noise_variance"][0], 0.24331888595300033);
  EXPECT_EQ(fitted.parameters["scale"][0], 12.637086892935727);
  EXPECT_EQ((*fitted.statistic)["products"].size(), 2U);
  EXPECT_EQ(fitted.training->method, "exact");
}

TEST(Golden, CategoricalOfVersionOne) {
  const Fitted fitted = read_fitted(golden("categorical_v1.json"));
  EXPECT_EQ(fitted.schema.columns, (std::vector<std::string>{"transport", "housing", "pet"}));
  EXPECT_EQ(fitted.schema.levels,
            (std::vector<std::vector<std::string>>{
                {"car", "bicycle", "bus"}, {"flat", "house"}, {"dog", "none", "cat", "several"}}));
  EXPECT_EQ(fitted.parameters["probabilities"].size(), 2U * 9U);
  EXPECT_EQ(fitted.parameters["probabilities"][0], 0.14803625059022582);
  EXPECT_EQ(fitted.parameters["probabilities"][17], 0.18026546492252998);
  EXPECT_EQ((*fitted.statistic)["counts"].size(), 2U * 9U);
}

TEST(Golden, WrittenAgainTheyAreTheSameFiles) {
  for (const char* name :
       {"poisson_v1.json", "gaussian_diag_v1.json", "ppca_v1.json", "categorical_v1.json"}) {
    std::ifstream in(golden(name));
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    EXPECT_EQ(to_json(to_file(read_fitted(golden(name)))), text) << name;
  }
}

}  // namespace test_golden
