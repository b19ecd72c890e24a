// Components that rows can hardly tell apart: distances beside Kullback–Leibler divergences that are written out.
#include "core/alike.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace test_alike {

using namespace thalweg;
using Groups = std::vector<std::vector<std::size_t>>;

Piece shares(std::size_t K) {
  return {.name = "shares",
          .shape = {K},
          .axes = {Axis::component},
          .meaning = Meaning::probability,
          .domain = Domain::simplex};
}

Piece places(std::size_t K, std::size_t d) {
  return {.name = "places",
          .shape = {K, d},
          .axes = {Axis::component, Axis::column},
          .meaning = Meaning::location};
}

Piece spreads(std::vector<std::size_t> shape, std::vector<Axis> axes) {
  const bool matrix = shape.size() > 1 && shape[shape.size() - 1] == shape[shape.size() - 2] &&
                      axes.back() == Axis::column;
  return {.name = "spreads",
          .shape = std::move(shape),
          .axes = std::move(axes),
          .meaning = Meaning::spread,
          .domain = matrix ? Domain::covariance : Domain::positive};
}

Parameters with(std::vector<Piece> pieces, const std::vector<double>& values) {
  Parameters theta(std::make_shared<const Layout>(std::move(pieces)));
  std::copy(values.begin(), values.end(), theta.data());
  return theta;
}

TEST(Alike, normal_components_by_their_divergence) {
  for (const double h : {1e-3, 1e-2, 0.04}) {
    const double v = 3;
    const double w = v * (1 + h);
    const Parameters theta =
        with({shares(2), places(2, 1), spreads({2, 1}, {Axis::component, Axis::column})},
             {0.2, 0.8, 7, 7 + h * std::sqrt(v), v, w});
    const double divergence = 0.5 * (v / w - 1 + std::log(w / v) + h * h * v / w);
    EXPECT_NEAR(apart(theta, 0, 1), std::sqrt(2 * divergence), 0.1 * h);
    EXPECT_EQ(apart(theta, 0, 1), apart(theta, 1, 0));
  }
}

TEST(Alike, a_narrow_direction_tells_them_apart) {
  const auto theta = [](double x, double y) {
    const std::vector<double> narrow = {1, 0.9999, 0.9999, 1};  // x - y has the variance 0.0002
    std::vector<double> values = {0.5, 0.5, 0, 0, x, y};
    for (int k = 0; k < 2; ++k) values.insert(values.end(), narrow.begin(), narrow.end());
    return with({shares(2), places(2, 2),
                 spreads({2, 2, 2}, {Axis::component, Axis::column, Axis::column})},
                values);
  };
  EXPECT_EQ(alike_components(theta(0.03, 0.03)), (Groups{{0, 1}}));
  EXPECT_EQ(alike_components(theta(0.01, -0.01)), Groups()) << "0.02 / sqrt(0.0002) = 1.4";
  EXPECT_NEAR(apart(theta(0.01, -0.01), 0, 1), std::sqrt(2.0), 0.01);
}

TEST(Alike, matrices_by_their_divergence) {
  // Turned by a small angle: KL = ½ (tr S^-1 T - d) with equal determinants.
  const double angle = 0.01;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const std::vector<double> values = {
      0.5, 0.5, 1, 2, 1, 2, 4, 0, 0, 1, 4 * c * c + s * s, 3 * c * s, 3 * c * s, 4 * s * s + c * c};
  const Parameters theta = with(
      {shares(2), places(2, 2), spreads({2, 2, 2}, {Axis::component, Axis::column, Axis::column})},
      values);
  const double divergence = 0.5 * (values[10] / 4 + values[13] - 2);
  EXPECT_NEAR(apart(theta, 0, 1), std::sqrt(2 * divergence), 1e-4);
}

TEST(Alike, one_covariance_for_all_and_one_number_for_all_columns) {
  const Parameters tied =
      with({shares(3), places(3, 1), spreads({1, 1}, {Axis::column, Axis::column})},
           {0.2, 0.3, 0.5, 0, 0.04, 1, 1});
  EXPECT_EQ(alike_components(tied), (Groups{{0, 1}}));
  const Parameters round = with({shares(3), places(3, 2), spreads({3}, {Axis::component})},
                                {0.2, 0.3, 0.5, 0, 0, 5, 5, 5.2, 5.2, 1, 100, 100});
  EXPECT_NEAR(apart(round, 1, 2), std::sqrt(2 * 0.2 * 0.2 / 100), 1e-9);
  EXPECT_EQ(alike_components(round), (Groups{{1, 2}}));
}

TEST(Alike, rates_and_probabilities_by_their_divergence) {
  const Piece rates{.name = "rates",
                    .shape = {2, 1},
                    .axes = {Axis::component, Axis::column},
                    .meaning = Meaning::rate,
                    .domain = Domain::positive};
  const Parameters counts = with({shares(2), rates}, {0.5, 0.5, 9, 9.1});
  const double divergence = 9 * std::log(9 / 9.1) - 9 + 9.1;
  EXPECT_NEAR(apart(counts, 0, 1), std::sqrt(2 * divergence), 1e-3);
  const Piece tables{.name = "tables",
                     .shape = {2, 3},
                     .axes = {Axis::component, Axis::other},
                     .meaning = Meaning::probability,
                     .domain = Domain::distributions};
  const std::vector<double> p = {0.2, 0.3, 0.5};
  const std::vector<double> q = {0.21, 0.3, 0.49};
  double between = 0;
  for (std::size_t i = 0; i < 3; ++i) between += p[i] * std::log(p[i] / q[i]);
  const Parameters levels =
      with({shares(2), tables}, {0.5, 0.5, p[0], p[1], p[2], q[0], q[1], q[2]});
  EXPECT_NEAR(apart(levels, 0, 1), std::sqrt(2 * between), 1e-3);
}

TEST(Alike, states_by_where_they_lead_too) {
  const auto chain = [](const std::vector<double>& moves) {
    const Piece pairs{.name = "moves",
                      .shape = {3, 3},
                      .axes = {Axis::component, Axis::component},
                      .meaning = Meaning::probability,
                      .domain = Domain::distributions};
    Piece start = shares(3);
    start.name = "start";
    std::vector<double> values = {1, 0, 0};
    values.insert(values.end(), moves.begin(), moves.end());
    for (const double rate : {4.0, 4.0, 9.0}) values.push_back(rate);
    return with({start, pairs,
                 Piece{.name = "rates",
                       .shape = {3, 1},
                       .axes = {Axis::component, Axis::column},
                       .meaning = Meaning::rate,
                       .domain = Domain::positive}},
                values);
  };
  EXPECT_EQ(alike_components(chain({0.6, 0.2, 0.2, 0.1, 0.7, 0.2, 0.3, 0.3, 0.4})),
            (Groups{{0, 1}}))
      << "to which of the two it goes on, no row can show";
  EXPECT_EQ(alike_components(chain({0.6, 0.2, 0.2, 0.1, 0.3, 0.6, 0.3, 0.3, 0.4})), Groups());
}

TEST(Alike, numbers_without_a_meaning_have_to_agree_closely) {
  const Piece shapes{.name = "shapes",
                     .shape = {3, 1},
                     .axes = {Axis::component, Axis::column},
                     .domain = Domain::positive};
  EXPECT_EQ(alike_components(with({shares(3), shapes}, {0.3, 0.3, 0.4, 50, 50.01, 51})),
            (Groups{{0, 1}}));
}

TEST(Alike, models_that_name_no_axes_have_none) {
  EXPECT_EQ(alike_components(with({Piece{.name = "means", .shape = {2}}}, {1, 1})), Groups());
}

}  // namespace test_alike
