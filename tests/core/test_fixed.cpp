// What --fix says, which parameters it holds, and what it refuses.
#include <thalweg/core/error.hpp>
#include <thalweg/core/fixed.hpp>

#include <gtest/gtest.h>

namespace test_fixed {

using namespace thalweg;

/// Three components in two columns.
Layout layout(bool tied = false) {
  Piece covariances{.name = "covariances",
                    .shape = {3, 2, 2},
                    .axes = {Axis::component, Axis::column, Axis::column},
                    .domain = Domain::covariance};
  if (tied) {
    covariances.shape = {2, 2};
    covariances.axes = {Axis::column, Axis::column};
  }
  return Layout(
      {{.name = "weights", .shape = {3}, .axes = {Axis::component}, .domain = Domain::simplex},
       {.name = "means", .shape = {3, 2}, .axes = {Axis::component, Axis::column}},
       covariances,
       {.name = "shift", .shape = {2}, .constant = true}});
}

std::string refusal(const std::string& text, const Layout& parameters, std::size_t K = 3) {
  try {
    Fixed::parse(text).check(parameters, K);
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "taken";
}

TEST(Fixed, nothing_is_held_by_default) {
  EXPECT_TRUE(Fixed().empty());
  EXPECT_TRUE(Fixed::parse("").empty());
  EXPECT_FALSE(Fixed().holds("means", 0));
  EXPECT_EQ(Fixed().free_entries(layout(), 3), 0U);
}

TEST(Fixed, holds_whole_pieces_and_single_components) {
  const Fixed fixed = Fixed::parse("means,covariances[2],covariances[0]");
  EXPECT_FALSE(fixed.empty());
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(fixed.holds("means", k));
    EXPECT_EQ(fixed.holds("covariances", k), k != 1);
    EXPECT_FALSE(fixed.holds("weights", k));
    EXPECT_FALSE(fixed.holds("mean", k));
  }
  EXPECT_EQ(refusal("means,covariances[2],covariances[0]", layout()), "taken");
}

TEST(Fixed, a_whole_piece_wins_over_one_component_in_any_order) {
  for (const char* text : {"means,means[1]", "means[1],means"})
    for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(Fixed::parse(text).holds("means", k)) << text;
}

TEST(Fixed, is_told_in_words_that_say_the_same) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(Fixed::parse("means[10],weights,means[2],means[2]").words(),
            (Words{"means[2]", "means[10]", "weights"}));
  EXPECT_EQ(Fixed::parse("means[1],means").words(), (Words{"means"})) << "the whole is enough";
  EXPECT_EQ(Fixed().words(), Words());
  EXPECT_EQ(Fixed::parse("weights,means[2],means[0]"), Fixed::parse("means[0],means[2],weights"));
  EXPECT_NE(Fixed::parse("means[0]"), Fixed::parse("means[1]"));
}

TEST(Fixed, follows_the_components_to_their_new_places) {
  const Fixed fixed = Fixed::parse("means[0],weights,covariances[1]");
  // New component 0 is the old 2, 1 the old 0, 2 the old 1: no permutation that is its own inverse.
  EXPECT_EQ(fixed.relabelled({2, 0, 1}), Fixed::parse("means[1],weights,covariances[2]"));
  EXPECT_EQ(fixed.relabelled({0, 1, 2}), fixed);
}

TEST(Fixed, what_is_no_parameter_is_refused) {
  for (const char* text : {"means[", "means[]", "means[x]", "means[-1]", "means[1.5]", "means[1",
                           "means[1]]", "means[1]x", "means[99999999999999999999]"})
    EXPECT_THROW(Fixed::parse(text), UsageError) << text;
  EXPECT_NE(refusal("meens", layout()).find("did you mean means?"), std::string::npos);
  for (const char* text : {"shift", "rates", "means,,weights", "[1]", " means", "means[3]"})
    EXPECT_NE(refusal(text, layout()), "taken") << text;
}

TEST(Fixed, a_tied_covariance_has_no_part_for_a_component) {
  EXPECT_EQ(refusal("covariances", layout(true)), "taken");
  EXPECT_NE(refusal("covariances[0]", layout(true)), "taken");
  // Not even where it has as many rows as there are components.
  EXPECT_NE(refusal("covariances[0]", layout(true), 2), "taken");
}

TEST(Fixed, counts_the_free_parameters_it_holds) {
  const auto held = [](const char* text, bool tied = false) {
    return Fixed::parse(text).free_entries(layout(tied), 3);
  };
  EXPECT_EQ(held("means"), 6U);
  EXPECT_EQ(held("means[1]"), 2U);
  EXPECT_EQ(held("means[1],means[1]"), 2U) << "said twice, held once";
  EXPECT_EQ(held("means[0],means[2],covariances[0]"), 4U + 3U);
  EXPECT_EQ(held("covariances"), 9U);
  EXPECT_EQ(held("covariances", true), 3U);
  EXPECT_EQ(held("weights"), 2U);
  EXPECT_EQ(held("weights[0]"), 1U);
  EXPECT_EQ(held("weights[0],weights[2]"), 2U);
  EXPECT_EQ(held("weights[0],weights[1],weights[2]"), 2U) << "they sum to 1";
  EXPECT_EQ(held("weights,means,covariances"), 2U + 6U + 9U);
}

}  // namespace test_fixed
