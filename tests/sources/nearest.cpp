// Suggestions for mistyped names.
#include "core/nearest.hpp"

#include <gtest/gtest.h>

namespace thalweg {
namespace nearest {

const std::vector<std::string> models = {"gaussian", "poisson", "bernoulli", "gamma", "beta"};

TEST(NearestName, FindsTheClosest) {
  EXPECT_EQ(nearest_name("gausian", models), "gaussian");
  EXPECT_EQ(nearest_name("poison", models), "poisson");
  EXPECT_EQ(nearest_name("bernuolli", models), "bernoulli");
  EXPECT_EQ(nearest_name("gama", models), "gamma");
}

TEST(NearestName, IgnoresCase) { EXPECT_EQ(nearest_name("POISSON", models), "poisson"); }

TEST(NearestName, CountsASwapAsOneEdit) {
  EXPECT_EQ(nearest_name("abdc", {"ab", "abcd"}), "abcd");
  EXPECT_EQ(nearest_name("ebta", models), "beta");
}

TEST(NearestName, TakesTheBeginningOfAName) {
  EXPECT_EQ(nearest_name("gauss", models), "gaussian");
  EXPECT_EQ(nearest_name("be", {"gamma", "bernoulli"}), "bernoulli");
}

TEST(NearestName, PrefersTheExactAndTheFirst) {
  EXPECT_EQ(nearest_name("ab", {"abc", "AB"}), "AB");
  EXPECT_EQ(nearest_name("c9", {"c1", "c2"}), "c1");
}

TEST(NearestName, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("tree", models), std::nullopt);
  EXPECT_EQ(nearest_name("z", {"x", "y"}), std::nullopt);
  EXPECT_EQ(nearest_name("", models), std::nullopt);
  EXPECT_EQ(nearest_name("gamma", {}), std::nullopt);
}

}  // namespace nearest
}  // namespace thalweg
