// Every instruction set that this machine has gives the same answers.
#include "kernels/quadratic.hpp"
#include "tiles.hpp"
#include <thalweg/families/gaussian.hpp>
#include <thalweg/kernels/features.hpp>
#include <thalweg/models/mixture.hpp>

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace test_targets {

using namespace thalweg::kernels;

struct Answer {
  std::vector<double> scores, posterior, log_sum, sums;
};

Answer answer(std::size_t D, std::size_t K, std::size_t rows) {
  const auto features = tiles::random_tile(D, 1);
  const auto psi = tiles::random_tile(K, 2);
  Answer a;
  a.scores.resize(K * tile_stride);
  tile_fill(psi.data(), K, rows, a.scores.data());
  tile_scores(psi.data(), D, K, features.data(), rows, a.scores.data());
  a.posterior = a.scores;
  a.log_sum.resize(tile_stride);
  tile_softmax(a.posterior.data(), K, rows, a.log_sum.data());
  a.sums.resize(D * K);
  tile_accumulate(features.data(), a.posterior.data(), D, K, rows, a.sums.data());
  return a;
}

/// Runs with one target only; the machine's own choice returns afterwards.
template <class Use>
void with_target(std::int64_t target, Use&& use) {
  hwy::GetChosenTarget().Update(target);
  use();
  hwy::GetChosenTarget().DeInit();
}

std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> all{HWY_EMU128};  // the baseline: always there
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1)
    all.push_back(rest & -rest);
  return all;
}

TEST(Targets, agree_on_every_shape) {
  for (const std::size_t D : {1U, 2U, 3U, 5U, 9U, 17U})
    for (const std::size_t K : {1U, 2U, 4U, 7U, 32U})
      for (const std::size_t rows : {1U, 15U, 33U, 128U}) {
        const Answer own = answer(D, K, rows);
        const auto size =
            tiles::scores(tiles::random_tile(K, 2), D, K, tiles::random_tile(D, 1), rows).size;
        for (const std::int64_t target : targets())
          with_target(target, [&] {
            SCOPED_TRACE(hwy::TargetName(target));
            const Answer other = answer(D, K, rows);
            for (std::size_t t = 0; t < rows; ++t) {
              ASSERT_NEAR(other.log_sum[t], own.log_sum[t], 1e-12 * (1 + std::abs(own.log_sum[t])));
              for (std::size_t k = 0; k < K; ++k) {
                const std::size_t i = k * tile_stride + t;
                const auto scale = static_cast<double>(size[k * rows + t]);
                ASSERT_NEAR(other.scores[i], own.scores[i], 1e-12 * scale);
                ASSERT_NEAR(other.posterior[i], own.posterior[i],
                            1e-12 * (1 + scale) * own.posterior[i]);
              }
            }
            for (std::size_t i = 0; i < D * K; ++i)
              ASSERT_NEAR(other.sums[i], own.sums[i], 1e-12 * (1 + std::abs(own.sums[i])));
          });
      }
}

struct WideAnswer {
  std::vector<double> z, squares, pairs, distance, outer;
};

WideAnswer wide_answer(std::size_t d, std::size_t rows) {
  const std::size_t triangle = d * (d + 1) / 2;
  const auto data = tiles::random_tile(d, 4);  // rows × d fits
  const auto shift = tiles::random_tile(4, 5);
  const auto scale = tiles::random_tile(4, 6);
  WideAnswer a{std::vector<double>(d * tile_stride), std::vector<double>(d * tile_stride),
               std::vector<double>(triangle * tile_stride), std::vector<double>(tile_stride),
               std::vector<double>(triangle)};
  tile_standardise(data.data(), d, rows, d, shift.data(), scale.data(), a.z.data());
  tile_squares(a.z.data(), d, rows, a.squares.data());
  tile_pair_products(a.z.data(), d, rows, a.pairs.data());
  std::vector<double> work(std::max(mahalanobis_work(d), outer_work(d)));
  const auto factor = tiles::random_factor(d, 7);
  tile_mahalanobis(a.z.data(), d, rows, shift.data(), factor.data(), work.data(),
                   a.distance.data());
  const auto weights = tiles::random_weights(8);
  tile_outer(a.z.data(), weights.data(), d, rows, work.data(), a.outer.data());
  return a;
}

TEST(Targets, agree_on_features_and_quadratic_forms) {
  for (const std::size_t d : {1U, 2U, 3U, 6U, 17U, 37U, 100U})
    for (const std::size_t rows : {1U, 15U, 33U, 127U}) {
      const WideAnswer own = wide_answer(d, rows);
      const auto size = tiles::outer(own.z, tiles::random_weights(8), d, rows).size;
      for (const std::int64_t target : targets())
        with_target(target, [&] {
          SCOPED_TRACE(hwy::TargetName(target));
          const WideAnswer other = wide_answer(d, rows);
          ASSERT_EQ(other.z, own.z);  // one operation at a time rounds alike everywhere
          ASSERT_EQ(other.squares, own.squares);
          ASSERT_EQ(other.pairs, own.pairs);
          for (std::size_t t = 0; t < rows; ++t)
            ASSERT_NEAR(other.distance[t], own.distance[t], 1e-12 * own.distance[t]);
          for (std::size_t p = 0; p < own.outer.size(); ++p)
            ASSERT_NEAR(other.outer[p], own.outer[p], 1e-12 * static_cast<double>(size[p]));
        });
    }
}

// The whole E-step of a mixture, as a user meets it: every kind of covariance, linear and Cholesky form, narrow and wide.
TEST(Targets, agree_on_an_e_step) {
  using thalweg::Covariance;
  for (const Covariance kind :
       {Covariance::full, Covariance::tied, Covariance::diag, Covariance::spherical})
    for (const std::size_t d : {1U, 2U, 5U, 40U})
      for (const double tight : {1.0, 1e-8}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << ", " << d << " columns");
        const thalweg::Mixture model(thalweg::Gaussian(kind), 3);
        const auto data = tiles::random_tile(2 * d, 3);
        const thalweg::Block block = thalweg::dense_block(data.data(), data.size() / d, d);
        thalweg::Random random(1);
        thalweg::Parameters theta =
            model.start(model.plan(thalweg::Schema::numbered(d)), block, random);
        const std::size_t part = kind == Covariance::tied ? theta["covariances"].size()
                                                          : theta["covariances"].size() / 3;
        for (double& v : theta["covariances"].first(part)) v *= tight;  // squared deviations
        const thalweg::Plan plan = model.plan(thalweg::Schema::numbered(d));
        thalweg::Sums own(plan.statistic);
        const double log_likelihood = expect(model, theta, block, own);
        for (const std::int64_t target : targets())
          with_target(target, [&] {
            SCOPED_TRACE(hwy::TargetName(target));
            thalweg::Sums other(plan.statistic);
            EXPECT_NEAR(expect(model, theta, block, other), log_likelihood,
                        1e-12 * std::abs(log_likelihood));
            for (std::size_t i = 0; i < own.size(); ++i)
              ASSERT_NEAR(other.data()[i], own.data()[i],
                          1e-12 * static_cast<double>(block.rows * d));
          });
      }
}

// Wild and broken scores are handled by each target, not by luck of one.
TEST(Targets, agree_on_scores_that_are_wild) {
  const double infinity = HUGE_VAL;
  const std::vector<double> values{-1e300, 1e300, -1e5,         700,      -700,
                                   -745,   0,     std::nan(""), infinity, -infinity};
  for (const std::int64_t target : targets())
    with_target(target, [&] {
      SCOPED_TRACE(hwy::TargetName(target));
      for (const double a : values)
        for (const double b : values) {
          std::vector<double> scores(2 * tile_stride, 0.0);
          std::vector<double> log_sum(tile_stride);
          scores[5] = a;
          scores[tile_stride + 5] = b;
          const bool finite = std::isfinite(a) && std::isfinite(b);
          const long double expected = finite ? tiles::log_sum(scores, 2, 5) : 0;
          tile_softmax(scores.data(), 2, 16, log_sum.data());
          ASSERT_EQ(std::isfinite(log_sum[5]), finite) << a << " " << b;
          if (finite) {
            ASSERT_NEAR(log_sum[5], static_cast<double>(expected),
                        1e-12 * (1 + std::abs(static_cast<double>(expected))));
          }
          ASSERT_NEAR(log_sum[4], std::log(2.0), 1e-15) << "the neighbour is untouched";
        }
    });
}

}  // namespace test_targets
