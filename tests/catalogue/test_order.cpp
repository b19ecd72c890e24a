// Components in a canonical order: parameters, statistics, labels and marks go together.
#include <thalweg/catalogue/order.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/families/poisson.hpp>
#include <thalweg/models/chain.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace test_order {

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

/// States have no weights; they are ordered by what they emit, which is not how they follow each other.
TEST(ComponentOrder, of_a_chain) {
  Entry entry = find_entry("poisson");
  entry.name = "chain";
  entry.latent = Latent::states;
  entry.build = [](const ModelOptions& options, const Schema&) {
    return std::make_shared<const Chain<Poisson>>(Poisson{}, options.count("components"));
  };
  Fitted fitted = prepare(entry, {{"components", "3"}}, {{"a", "b"}});
  const auto fill = [&fitted](const char* name, const std::vector<double>& values) {
    std::ranges::copy(values, fitted.parameters[name].begin());
  };
  fill("start", {0.2, 0.5, 0.3});
  fill("transition", {0.1, 0.2, 0.7, 0.9, 0.05, 0.05, 0.5, 0.3, 0.2});
  fill("rates", {4, 1, 6, 2, 2, 3});
  EXPECT_THROW(component_order(fitted, ComponentOrder::weight), UsageError);
  EXPECT_EQ(component_order(fitted, ComponentOrder::first_mean), (Order{2, 0, 1}));
  reorder(fitted, {1, 2, 0});
  const auto moves = fitted.parameters["transition"];
  EXPECT_EQ(std::vector<double>(moves.begin(), moves.end()),
            (std::vector<double>{0.05, 0.05, 0.9, 0.3, 0.2, 0.5, 0.2, 0.7, 0.1}));
}

TEST(ComponentOrder, names) {
  EXPECT_EQ(parse_component_order("weight"), ComponentOrder::weight);
  EXPECT_EQ(parse_component_order("first-mean"), ComponentOrder::first_mean);
  EXPECT_EQ(parse_component_order("none"), ComponentOrder::none);
  EXPECT_THROW(parse_component_order("mean"), UsageError);
}

}  // namespace test_order
