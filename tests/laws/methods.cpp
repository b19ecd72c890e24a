// What some estimators ask of a model beside the contract: moments, tangents, statistics of posteriors, and the domain of S.
#include "laws.hpp"
#include "outcome.hpp"

#include <cmath>

namespace laws {
namespace {

const Tangent& tangent_of(const Subject& subject) { return *capability<Tangent>(*subject.model); }

}  // namespace

bool tells_moments(const Subject& subject) {
  return capability<Tangent>(*subject.model) != nullptr;
}
bool makes_statistics(const Subject& subject) {
  return capability<Components>(*subject.model) != nullptr;
}

/// By simulation: the mean over drawn rows of E[s | Y] at the truth is E[s].
void moments(const Trial& trial) {
  const Subject& subject = trial.subject;
  constexpr std::size_t groups = 40;
  constexpr std::size_t group_rows = 5000;
  Statistic told(subject.plan.statistic);
  tangent_of(subject).moments(subject.example.truth, told);
  std::vector<double> sum(told.size());
  std::vector<double> squares(told.size());
  for (std::size_t g = 0; g < groups; ++g) {
    const Table table = subject.draw(group_rows, 300 + g);
    Sums sums(subject.plan.statistic);
    expect(*subject.model, subject.example.truth, table.block(), sums);
    for (std::size_t i = 0; i < told.size(); ++i) {
      const double delta = sums.data()[i] / group_rows - told.data()[i];
      sum[i] += delta;
      squares[i] += delta * delta;
    }
  }
  for (std::size_t i = 0; i < told.size(); ++i) {
    const double mean = sum[i] / groups;
    const double standard_error = std::sqrt((squares[i] / groups - mean * mean) / groups);
    EXPECT_LE(std::abs(mean), 5.5 * standard_error + 1e-14) << "entry " << i << " of S";
  }
  Parameters again = subject.blurred(subject.draw(500, 1).block());
  const Parameters theta = again;
  tangent_of(subject).moments(theta, told);
  maximise(*subject.model, told, {.rows = 1, .floor = 0}, again);
  EXPECT_TRUE(close(again, theta, 1e-11));
}

/// Central differences of theta-bar at the moments, in the direction of a few rows.
void tangent(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(503, 302);
  const Parameters theta = subject.blurred(table.block());
  Statistic eta(subject.plan.statistic);
  tangent_of(subject).moments(theta, eta);
  // Held, one weight leaves the sum of the others alone, which then changes in S.
  const Fixed one_weight = Fixed::parse("weights[0]");
  const bool mixture = subject.plan.parameters->find("weights") != nullptr;
  for (std::size_t t = 0; t + 7 <= table.rows(); t += 71) {
    const Fixed* fixed = mixture && t % 2 == 1 ? &one_weight : nullptr;
    Sums sums(subject.plan.statistic);
    expect(*subject.model, theta, table.block().slice(t, 7), sums);
    Statistic dS = mean(sums);
    for (std::size_t i = 0; i < dS.size(); ++i) dS.data()[i] -= eta.data()[i];
    Parameters told(subject.plan.parameters);
    tangent_of(subject).tangent(theta, dS, {.fixed = fixed}, told);
    constexpr double h = 1e-5;
    Parameters ends[2] = {theta, theta};
    for (const int side : {0, 1}) {
      Statistic S = eta;
      for (std::size_t i = 0; i < S.size(); ++i) S.data()[i] += (side == 0 ? -h : h) * dS.data()[i];
      maximise(*subject.model, S, {.rows = 1, .floor = 0, .fixed = fixed}, ends[side]);
    }
    for (std::size_t i = 0; i < told.size(); ++i) {
      const double slope = (ends[1].data()[i] - ends[0].data()[i]) / (2 * h);
      EXPECT_TRUE(close(told.data()[i], slope, 1e-6)) << "entry " << i << ", rows from " << t;
    }
  }
}

void gathered(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(803, 303);
  const Parameters theta = subject.blurred(table.block());
  for (const std::size_t n : {1U, 15U, 16U, 17U, 128U, 129U, 803U}) {
    const Block rows = table.block().slice(0, n);
    Sums expected(subject.plan.statistic);
    expect(*subject.model, theta, rows, expected);
    Explanation seen;
    explain(*subject.model, theta, rows, seen);
    Sums made(subject.plan.statistic);
    capability<Components>(*subject.model)->gather(theta, rows, seen.posterior.data(), made);
    EXPECT_TRUE(close(made, expected, 1e-12)) << n << " rows";
    EXPECT_EQ(made.weight, expected.weight);
  }
}

void domain(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw(803, 304);
  const Parameters theta = subject.blurred(table.block());
  const Piece* factors = subject.plan.statistic->find("score_products");
  const std::size_t first = factors ? factors->offset : 0;
  for (const std::size_t n : {1U, 2U, 7U, 803U}) {  // one row: its variances are zero
    Sums sums(subject.plan.statistic);
    expect(*subject.model, theta, table.block().slice(0, n), sums);
    const Statistic S = mean(sums);
    EXPECT_TRUE(valid(*subject.model, theta, S)) << n << " rows";
    for (const double wrong : {-1.0, std::nan(""), HUGE_VAL}) {
      Statistic other = S;
      other.data()[first] = wrong;  // the share of the first component, or E z² of the first factor
      EXPECT_FALSE(valid(*subject.model, theta, other)) << wrong;
      other = S;
      other.data()[other.size() - 1] = wrong;  // the last moment of the last one
      EXPECT_FALSE(valid(*subject.model, theta, other)) << wrong;
    }
  }
}

}  // namespace laws
