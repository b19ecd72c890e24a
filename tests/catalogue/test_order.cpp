// Components in a canonical order: parameters, statistics, labels and marks go together.
#include <thalweg/catalogue/order.hpp>
#include <thalweg/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace thalweg;

using Order = std::vector<std::size_t>;

Fitted counts() {
  Fitted fitted = prepare(find_entry("poisson"), {{"components", "4"}}, {{"a", "b"}});
  std::ranges::copy(std::vector<double>{0.2, 0.3, 0.2, 0.3}, fitted.parameters["weights"].begin());
  std::ranges::copy(std::vector<double>{4, 1, 3, 2, 2, 3, 3, 4},
                    fitted.parameters["rates"].begin());
  fitted.statistic.emplace(fitted.plan.statistic);
  std::ranges::copy(std::vector<double>{0.2, 0.3, 0.2, 0.3},
                    (*fitted.statistic)["weights"].begin());
  fitted.training.emplace();
  fitted.training->labels = {"zero", "one"};
  fitted.training->events.count(Event::floor_reached, {.component = 3, .column = 1});
  return fitted;
}

TEST(ComponentOrder, ties_keep_their_order) {
  EXPECT_EQ(component_order(counts(), ComponentOrder::none), (Order{0, 1, 2, 3}));
  EXPECT_EQ(component_order(counts(), ComponentOrder::weight), (Order{1, 3, 0, 2}));
  EXPECT_EQ(component_order(counts(), ComponentOrder::first_mean), (Order{2, 1, 3, 0}));
}

TEST(ComponentOrder, everything_goes_along) {
  Fitted fitted = counts();
  reorder(fitted, {1, 3, 0, 2});
  const auto rates = fitted.parameters["rates"];
  EXPECT_EQ(std::vector<double>(rates.begin(), rates.end()),
            (std::vector<double>{3, 2, 3, 4, 4, 1, 2, 3}));
  EXPECT_EQ((*fitted.statistic)["weights"][0], 0.3);
  EXPECT_EQ(fitted.training->labels, (std::vector<std::string>{"one", "", "zero", ""}));
  const Marks marks = fitted.training->events.components(Event::floor_reached);
  EXPECT_TRUE(marks.has(1));
  EXPECT_FALSE(marks.has(3));
  EXPECT_TRUE(fitted.training->events.columns(Event::floor_reached).has(1));
}

TEST(ComponentOrder, names) {
  EXPECT_EQ(parse_component_order("weight"), ComponentOrder::weight);
  EXPECT_EQ(parse_component_order("first-mean"), ComponentOrder::first_mean);
  EXPECT_EQ(parse_component_order("none"), ComponentOrder::none);
  EXPECT_THROW(parse_component_order("mean"), UsageError);
}

}  // namespace
