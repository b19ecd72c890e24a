// A statistic moved into another gauge is the one that would have been taken there.
#include "normals.hpp"

#include <gtest/gtest.h>

namespace test_gaussian_gauge {

using namespace normals;

Statistic taken(const Twin& twin, const Parameters& theta, const Block& rows) {
  Sums sums(twin.model.plan(Schema::numbered(twin.e.d)).statistic);
  expect(twin.model, theta, rows, sums);
  return mean(sums);
}

TEST(GaussianGauge, moving_a_statistic_is_exact) {
  for (const Covariance kind : kinds)
    for (const std::size_t d : {1U, 2U, 5U}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << ", " << d << " columns");
      const Twin twin = make(kind, 3, d, 5);
      const Table table = draw(twin, 400, 3);
      Parameters here = twin.theta;
      Parameters there = twin.theta;
      for (std::size_t j = 0; j < d; ++j) {
        here["shift"][j] = 9 + 0.5 * static_cast<double>(j);
        there["shift"][j] = 11 - 0.3 * static_cast<double>(j);
        const double stretch = kind == Covariance::spherical ? 1 : 1 + static_cast<double>(j);
        here["scale"][j] = 1.5 * stretch;
        there["scale"][j] = 0.7 / stretch;
      }
      const Statistic expected = taken(twin, there, table.block());
      Statistic moved = taken(twin, here, table.block());
      const Statistic before = moved;
      regauge(twin.model, here, there, moved);
      for (std::size_t i = 0; i < moved.size(); ++i)
        ASSERT_NEAR(moved.data()[i], expected.data()[i],
                    1e-10 * std::max(1.0, std::abs(expected.data()[i])))
            << i;
      EXPECT_EQ(moved.weight, expected.weight);
      regauge(twin.model, there, here, moved);  // and back
      for (std::size_t i = 0; i < moved.size(); ++i)
        ASSERT_NEAR(moved.data()[i], before.data()[i], 1e-10) << i;
      Statistic stays = before;
      regauge(twin.model, here, here, stays);
      for (std::size_t i = 0; i < stays.size(); ++i)
        ASSERT_NEAR(stays.data()[i], before.data()[i], 1e-15) << i;
    }
}

// The M-step says the same in any gauge.
TEST(GaussianGauge, the_m_step_does_not_notice) {
  for (const Covariance kind : kinds) {
    const Twin twin = make(kind, 3, 4, 6);
    const Table table = draw(twin, 400, 4);
    Parameters here = twin.theta;
    Parameters there = twin.theta;
    calibrate(twin.model, table.block(), here);
    calibrate(twin.model, table.block().slice(0, 20), there);
    Statistic S = taken(twin, here, table.block());
    maximise(twin.model, S, {.rows = 400}, here);
    regauge(twin.model, here, there, S);
    maximise(twin.model, S, {.rows = 400}, there);
    for (const char* piece : {"weights", "means", "covariances"})
      for (std::size_t i = 0; i < here[piece].size(); ++i)
        EXPECT_NEAR(here[piece][i], there[piece][i], 1e-11 * std::abs(here[piece][i]) + 1e-12)
            << piece << " " << i;
  }
}

}  // namespace test_gaussian_gauge
