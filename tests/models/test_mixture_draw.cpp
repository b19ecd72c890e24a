// Simulated rows have the moments that the parameters promise (bounds of five standard deviations).
#include "mixtures.hpp"

namespace test_mixture_draw {

using namespace mixtures;

template <class M>
class Draws : public MixtureTest<M> {};
TYPED_TEST_SUITE(Draws, Both);

TYPED_TEST(Draws, have_the_mixtures_moments) {
  constexpr std::size_t draws = 60000;
  const textbook::Theta truth = Twin<TypeParam>::truth();
  const Parameters theta = samples::parameters(this->model_, truth);
  const bool poisson = truth.kind == textbook::Kind::poisson;
  std::array<double, 2> mean{}, variance{}, sum{}, squares{};
  double covariance = 0;
  for (std::size_t j = 0; j < 2; ++j)
    for (std::size_t k = 0; k < 3; ++k)
      mean[j] += static_cast<double>(truth.weights[k] * truth.first[k][j]);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto w = static_cast<double>(truth.weights[k]);
    std::array<double, 2> delta{};
    for (std::size_t j = 0; j < 2; ++j) {
      delta[j] = static_cast<double>(truth.first[k][j]) - mean[j];
      variance[j] += w * (delta[j] * delta[j] +
                          static_cast<double>(poisson ? truth.first[k][j] : truth.variances[k][j]));
    }
    covariance += w * delta[0] * delta[1];
  }
  double product = 0;
  for (std::size_t t = 0; t < draws; ++t) {
    Random random(7, t);
    std::array<double, 2> y{};
    draw(this->model_, theta, random, y.data());
    for (std::size_t j = 0; j < 2; ++j) {
      sum[j] += y[j];
      squares[j] += (y[j] - mean[j]) * (y[j] - mean[j]);
    }
    product += (y[0] - mean[0]) * (y[1] - mean[1]);
  }
  const double root = std::sqrt(static_cast<double>(draws));
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(sum[j] / draws, mean[j], 5 * std::sqrt(variance[j]) / root);
    // sd of a square is at most sqrt(kurtosis - 1) variances; these mixtures stay below kurtosis 7
    EXPECT_NEAR(squares[j] / draws, variance[j], 5 * std::sqrt(6.0) * variance[j] / root);
  }
  EXPECT_NEAR(product / draws, covariance, 5 * std::sqrt(6 * variance[0] * variance[1]) / root);
}

TYPED_TEST(Draws, come_from_the_components_in_proportion) {
  constexpr std::size_t draws = 30000;
  textbook::Theta apart = Twin<TypeParam>::truth();
  for (std::size_t k = 0; k < 3; ++k)
    for (auto& m : apart.first[k]) m = 1000 * textbook::Real(k + 1);
  const Parameters theta = samples::parameters(this->model_, apart);
  std::array<double, 3> counts{};
  for (std::size_t t = 0; t < draws; ++t) {
    Random random(8, t);
    std::array<double, 2> y{};
    draw(this->model_, theta, random, y.data());
    ++counts.at(static_cast<std::size_t>(std::lround(y[0] / 1000)) - 1);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const auto w = static_cast<double>(apart.weights[k]);
    EXPECT_NEAR(counts[k] / draws, w, 5 * std::sqrt(w * (1 - w) / draws));
  }
}

TYPED_TEST(Draws, lie_in_the_domain_and_depend_on_row_and_seed_only) {
  const Parameters theta = samples::parameters(this->model_, Twin<TypeParam>::truth());
  std::array<double, 2> one{}, two{};
  for (std::uint64_t t = 0; t < 1000; ++t) {
    Random a(1, t);
    Random b(1, t);
    draw(this->model_, theta, a, one.data());
    draw(this->model_, theta, b, two.data());
    EXPECT_EQ(one, two);
    EXPECT_NO_THROW(admit(this->model_, this->schema_, dense_block(one.data(), 1, 2)));
  }
}

// The score at the maximum of a large sample vanishes: here the numerical derivative of log f against Fisher's identity,
// d/d rate_kj log f = r_k (y_j / rate_kj - 1), d/d mean_kj log f = r_k (y_j - mean_kj) / variance_kj.
TYPED_TEST(Draws, density_and_posterior_satisfy_fishers_identity) {
  const textbook::Theta truth = Twin<TypeParam>::truth();
  const Parameters theta = samples::parameters(this->model_, truth);
  const char* piece = truth.kind == textbook::Kind::poisson ? "rates" : "means";
  Explanation here, up, down;
  const Block rows = this->table_.block().slice(0, 50);
  explain(this->model_, theta, rows, here);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j < 2; ++j) {
      constexpr double h = 1e-5;
      Parameters moved = theta;
      moved[piece][k * 2 + j] += h;
      explain(this->model_, moved, rows, up);
      moved[piece][k * 2 + j] -= 2 * h;
      explain(this->model_, moved, rows, down);
      for (std::size_t t = 0; t < rows.rows; ++t) {
        const double m = theta[piece][k * 2 + j];
        const double v =
            truth.kind == textbook::Kind::poisson ? m : theta["covariances"][k * 2 + j];
        const double score = here.posterior[t * 3 + k] * (rows.row(t)[j] - m) / v;
        EXPECT_NEAR((up.log_density[t] - down.log_density[t]) / (2 * h), score,
                    1e-7 * (1 + std::abs(score)));
      }
    }
}

}  // namespace test_mixture_draw
