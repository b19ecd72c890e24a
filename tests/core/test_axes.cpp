// What follows from the axes of a layout's pieces: shares of components, tables of levels, some of the columns.
#include "core/change.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace test_axes {

using namespace thalweg;

Piece by_component(const char* name, std::size_t K) {
  return {.name = name,
          .shape = {K},
          .axes = {Axis::component},
          .meaning = Meaning::probability,
          .domain = Domain::simplex};
}

Piece pairs(std::size_t K) {
  return {.name = "moves",
          .shape = {K, K},
          .axes = {Axis::component, Axis::component},
          .meaning = Meaning::probability,
          .domain = Domain::distributions,
          .parts = {K}};
}

Piece tables(std::size_t K, std::vector<std::size_t> levels) {
  const std::size_t width = std::accumulate(levels.begin(), levels.end(), std::size_t{0});
  return {.name = "tables",
          .shape = {K, width},
          .axes = {Axis::component, Axis::other},
          .domain = Domain::distributions,
          .parts = std::move(levels)};
}

TEST(Axes, shares_of_a_mixture_are_of_all_rows) {
  const Layout mixture(std::vector<Piece>{tables(3, {2}), by_component("weights", 3)});
  ASSERT_NE(row_shares(mixture), nullptr);
  EXPECT_EQ(row_shares(mixture)->name, "weights");
  EXPECT_EQ(component_probabilities(mixture), row_shares(mixture));
}

TEST(Axes, where_components_follow_each_other_a_start_says_nothing_of_all_rows) {
  const Layout chain(std::vector<Piece>{by_component("start", 3), pairs(3)});
  EXPECT_EQ(row_shares(chain), nullptr);
  ASSERT_NE(component_probabilities(chain), nullptr);
  EXPECT_EQ(component_probabilities(chain)->name, "start");
  EXPECT_EQ(level_tables(chain), nullptr) << "transitions stand for no columns";
}

TEST(Axes, a_model_that_names_none_has_shares_by_its_simplex) {
  const Layout own(std::vector<Piece>{{.name = "level", .shape = {}},
                                      {.name = "parts", .shape = {2}, .domain = Domain::simplex}});
  EXPECT_EQ(row_shares(own)->name, "parts");
  EXPECT_EQ(row_shares(Layout(std::vector<Piece>{{.name = "weights", .shape = {2}}})), nullptr);
}

TEST(Axes, columns_are_picked_wherever_they_are) {
  const auto layout = [](std::size_t d, std::vector<std::size_t> levels) {
    return std::make_shared<const Layout>(std::vector<Piece>{
        by_component("weights", 2),
        {.name = "means", .shape = {2, d}, .axes = {Axis::component, Axis::column}},
        {.name = "products", .shape = {d, d}, .axes = {Axis::column, Axis::column}},
        {.name = "loadings", .shape = {d, 2}, .axes = {Axis::column, Axis::other}},
        tables(2, std::move(levels)),
        {.name = "level", .shape = {}}});
  };
  Parameters whole(layout(3, {2, 1, 3}));
  std::iota(whole.values().begin(), whole.values().end(), 0.0);
  Parameters part(layout(2, {3, 2}));
  pick_columns(whole, {2, 0}, part);
  const auto expect = [&](const char* name, const std::vector<double>& values) {
    const auto found = part[name];
    EXPECT_EQ(std::vector<double>(found.begin(), found.end()), values) << name;
  };
  expect("weights", {0, 1});
  expect("means", {4, 2, 7, 5});
  expect("products", {16, 14, 10, 8});
  expect("loadings", {21, 22, 17, 18});
  expect("tables", {26, 27, 28, 23, 24, 32, 33, 34, 29, 30});
  expect("level", {35});
}

}  // namespace test_axes
