// Named pieces of one vector: offsets, entry names, access by name.
#include <thalweg/core/error.hpp>
#include <thalweg/core/statistic.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace test_layout {

using thalweg::Layout;
using thalweg::Parameters;
using thalweg::Piece;

std::shared_ptr<const Layout> layout() {
  return std::make_shared<const Layout>(
      std::vector<Piece>{{.name = "weights", .shape = {2}},
                         {.name = "means", .shape = {2, 3}},
                         {.name = "shift", .shape = {3}, .constant = true},
                         {.name = "level", .shape = {}}});
}

TEST(Layout, pieces_lie_side_by_side) {
  const auto l = layout();
  EXPECT_EQ(l->size(), 2U + 6U + 3U + 1U);
  EXPECT_EQ(l->find("weights")->offset, 0U);
  EXPECT_EQ(l->find("means")->offset, 2U);
  EXPECT_EQ(l->find("shift")->offset, 8U);
  EXPECT_EQ(l->find("level")->offset, 11U);
  EXPECT_EQ(l->find("level")->size(), 1U);
  EXPECT_EQ(l->find("mean"), nullptr);
  EXPECT_EQ(Layout().size(), 0U);
}

TEST(Layout, entry_names_skip_constants_and_run_last_index_fastest) {
  const std::vector<std::string> expected{"weights[0]",  "weights[1]",  "means[0][0]",
                                          "means[0][1]", "means[0][2]", "means[1][0]",
                                          "means[1][1]", "means[1][2]", "level"};
  EXPECT_EQ(layout()->entry_names(), expected);
}

TEST(Named, pieces_are_found_by_name) {
  Parameters theta(layout());
  EXPECT_EQ(theta.size(), 12U);
  for (const double x : theta.values()) EXPECT_EQ(x, 0.0);
  theta["means"][4] = 7;
  EXPECT_EQ(theta.data()[6], 7.0);
  const Parameters& fixed = theta;
  EXPECT_EQ(fixed["means"][4], 7.0);
  EXPECT_EQ(fixed["means"].size(), 6U);
}

TEST(Named, an_unknown_name_is_an_error_that_names_the_known) {
  Parameters theta(layout());
  try {
    theta["mean"];
    FAIL() << "must throw";
  } catch (const thalweg::Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("\"mean\""), std::string::npos) << what;
    EXPECT_NE(what.find("means"), std::string::npos) << what;
  }
}

TEST(Named, a_piece_of_a_temporary_outlives_it) {
  const auto made = [] {
    Parameters theta(layout());
    theta["means"][1] = 2;
    return theta;
  };
  double sum = 0;
  for (const double mean : made()["means"]) sum += mean;
  EXPECT_EQ(sum, 2);
}

TEST(Named, all_values_of_a_temporary_outlive_it) {
  const auto made = [] {
    Parameters theta(layout());
    theta["means"][1] = 2;
    return theta;
  };
  static_assert(std::same_as<decltype(made().values()), std::vector<double>>);
  static_assert(std::same_as<decltype(std::declval<Parameters&>().values()), std::span<double>>);
  static_assert(
      std::same_as<decltype(std::declval<const Parameters&>().values()), std::span<const double>>);
  double sum = 0;
  for (const double value : made().values()) sum += value;
  EXPECT_EQ(sum, 2);
}

TEST(Named, knows_whether_it_is_finite) {
  Parameters theta(layout());
  EXPECT_TRUE(theta.finite());
  theta["level"][0] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(theta.finite());
  theta["level"][0] = std::nan("");
  EXPECT_FALSE(theta.finite());
}

}  // namespace test_layout
