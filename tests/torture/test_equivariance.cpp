// Shifting and rescaling the data shifts and rescales the fit, whatever the method.
#include "ways.hpp"

#include <gtest/gtest.h>

namespace test_equivariance {

using namespace torture;
using samples::Gaussians;
using textbook::Real;

constexpr std::size_t d = 3;
constexpr std::size_t n = 3000;
constexpr Real close = 1e-6L;

/// y_j -> factor_j y_j + shift_j.
struct Affine {
  std::array<double, d> factor{1, 1, 1};
  std::array<double, d> shift{};
};

/// Three correlated clusters of spread 1, on a grid of 2^-20 so that a shift by 1e6 loses no digit.
Gaussians truth(Shape shape) {
  Gaussians theta{{0.5L, 0.3L, 0.2L},
                  {{0, 0, 0}, {4, 1, -2}, {-1, 5, 3}},
                  {{{1, 0.5L, 0}, {0.5L, 1, -0.3L}, {0, -0.3L, 1.2L}},
                   {{0.8L, -0.4L, 0.1L}, {-0.4L, 1.5L, 0}, {0.1L, 0, 0.7L}},
                   {{1.3L, 0, 0.6L}, {0, 0.6L, 0}, {0.6L, 0, 1}}}};
  textbook::constrain(theta.covariances, theta.weights, shape);
  return theta;
}

textbook::Data grid_rows(Shape shape) {
  textbook::Data data = samples::draw(truth(shape), n, 5);
  for (auto& y : data.rows)
    for (double& x : y) x = std::round(x * 0x1p20) * 0x1p-20;
  return data;
}

textbook::Data moved(textbook::Data data, const Affine& map) {
  for (auto& y : data.rows)
    for (std::size_t j = 0; j < d; ++j) y[j] = y[j] * map.factor[j] + map.shift[j];
  return data;
}

Gaussians moved(Gaussians theta, const Affine& map) {
  for (std::size_t k = 0; k < theta.K(); ++k)
    for (std::size_t i = 0; i < d; ++i) {
      theta.means[k][i] = theta.means[k][i] * map.factor[i] + map.shift[i];
      for (std::size_t j = 0; j < d; ++j)
        theta.covariances[k][i][j] *= Real(map.factor[i]) * map.factor[j];
    }
  return theta;
}

enum class How { automatic, online, batch, given_batch, textbook };

Gaussians fit(const textbook::Data& data, Shape shape, How how, const Affine& map) {
  const Table rows = samples::table(data);
  const auto model = samples::gaussian_model(shape, 3);
  FitOptions options;
  if (how == How::online || how == How::textbook) options.method = Method::online;
  if (how == How::batch || how == How::given_batch) options.method = Method::batch;
  if (how == How::given_batch) options.batch.max_iterations = 20;
  if (how == How::textbook) options.online = {.buffer = 0, .warmup = 50};
  Fit fit(model, options);
  if (how == How::given_batch || how == How::textbook) {
    Gaussians start = truth(shape);
    for (auto& mean : start.means) mean[0] += 0.5L;
    fit.begin(samples::parameters(*model, moved(start, map), shape, rows.block()));
  }
  samples::ListSource source(rows, 500);
  return samples::gaussians(fit.run(source).parameters, shape);
}

/// Heaviest first: which of two equal maxima with other names wins is a matter of rounding.
Gaussians sorted(const Gaussians& theta) {
  std::array<std::size_t, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return theta.weights[a] > theta.weights[b]; });
  Gaussians out;
  for (const std::size_t k : order) {
    out.weights.push_back(theta.weights[k]);
    out.means.push_back(theta.means[k]);
    out.covariances.push_back(theta.covariances[k]);
  }
  return out;
}

/// Differences in units of each component's own spread.
void expect_same(const Gaussians& a, const Gaussians& b) {
  for (std::size_t k = 0; k < a.K(); ++k) {
    EXPECT_LT(std::abs(a.weights[k] - b.weights[k]), close) << k;
    for (std::size_t i = 0; i < d; ++i) {
      const Real sd = std::sqrt(a.covariances[k][i][i]);
      EXPECT_LT(std::abs(a.means[k][i] - b.means[k][i]), close * sd) << k << " " << i;
      for (std::size_t j = 0; j < d; ++j)
        EXPECT_LT(std::abs(a.covariances[k][i][j] - b.covariances[k][i][j]),
                  close * sd * std::sqrt(a.covariances[k][j][j]))
            << k << " " << i << " " << j;
    }
  }
}

void expect_equivariant(Shape shape, const Affine& map) {
  const textbook::Data data = grid_rows(shape);
  for (const How how : {How::automatic, How::online, How::batch, How::given_batch, How::textbook}) {
    SCOPED_TRACE("way " + std::to_string(static_cast<int>(how)));
    expect_same(sorted(moved(fit(data, shape, how, {}), map)),
                sorted(fit(moved(data, map), shape, how, map)));
  }
}

class Equivariance : public ::testing::TestWithParam<Shape> {};

TEST_P(Equivariance, data_far_from_zero) {
  expect_equivariant(GetParam(), {.shift = {1e6, 1e6, 1e6}});
  expect_equivariant(GetParam(), {.shift = {-1e6, 0, 1e3}});
}

TEST_P(Equivariance, a_common_factor) {
  for (const double factor : {1e-9, 1e9})
    expect_equivariant(GetParam(), {{factor, factor, factor}});
}

/// Not for spherical: one variance for all columns does not follow them.
class ColumnEquivariance : public ::testing::TestWithParam<Shape> {};

TEST_P(ColumnEquivariance, a_factor_for_each_column) {
  expect_equivariant(GetParam(), {.factor = {1e-9, 1, 1e9}});
  expect_equivariant(GetParam(), {.factor = {1e9, -1, 1e-5}, .shift = {1e15, 1e6, 0}});
}

INSTANTIATE_TEST_SUITE_P(All, Equivariance, ::testing::ValuesIn(samples::shapes),
                         [](const auto& shape) { return textbook::name(shape.param); });
INSTANTIATE_TEST_SUITE_P(All, ColumnEquivariance,
                         ::testing::Values(Shape::full, Shape::tied, Shape::diag),
                         [](const auto& shape) { return textbook::name(shape.param); });

}  // namespace test_equivariance
