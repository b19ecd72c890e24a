// The slowest direction of EM by power iteration.
#include <thalweg/core/capabilities.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/slowest.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace thalweg {

Slowest slowest_direction(const Model& model, const Plan& plan, const Parameters& theta,
                          const Block& rows, const Regularisation& told, const ThreadPool& pool,
                          int iterations) {
  const Regularisation regularisation = settled_at(model, told, theta);
  const double weight = rows.total_weight();
  const auto aligned = [&](Parameters at) {
    Statistic unused(plan.statistic);
    if (!regularisation.fixed && !regularisation.prior) align(model, at, unused);
    return at;
  };
  const auto map = [&](const Statistic& S) {
    Parameters at = theta;
    maximise(model, S, regularisation.context(weight), at);
    at = aligned(std::move(at));
    return mean(expect_all(model, at, plan, rows, pool).sums());
  };
  const Parameters maximum = aligned(theta);
  const Statistic center = mean(expect_all(model, maximum, plan, rows, pool).sums());
  const auto length = [&](const std::vector<double>& v) {
    double squares = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double x = v[i] / (1e-3 + std::abs(center.data()[i]));  // shares and squares alike
      squares += x * x;
    }
    return std::sqrt(squares);
  };
  // One EM step away from here points along the slow directions already; noise keeps every direction in play.
  Random random(1, 0, 0);
  const Statistic image = map(center);
  std::vector<double> v(center.size());
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = (image.data()[i] - center.data()[i]) +
           1e-3 * (random.uniform() - 0.5) * std::abs(center.data()[i]);
  Slowest slowest;
  double step = 1e-4 / std::max(length(v), 1e-300);
  for (int i = 0; i < iterations; ++i) {
    Statistic forward = center;
    Statistic backward = center;
    for (std::size_t j = 0; j < v.size(); ++j) {
      forward.data()[j] += step * v[j];
      backward.data()[j] -= step * v[j];
    }
    const Statistic a = map(forward);
    const Statistic b = map(backward);
    std::vector<double> next(v.size());
    for (std::size_t j = 0; j < v.size(); ++j) next[j] = (a.data()[j] - b.data()[j]) / (2 * step);
    const double rate = length(next) / length(v);
    if (!std::isfinite(rate) || !(rate > 0)) return {};
    const double change = std::abs(rate - slowest.rate);
    slowest.rate = std::min(rate, 1.0);
    v = std::move(next);
    step = 1e-4 / std::max(length(v), 1e-300);
    if (i > 5 && change < 1e-5 * (1 - slowest.rate)) break;
  }
  return slowest;
}

double forgotten(const Schedule& schedule, std::uint64_t first, std::uint64_t last,
                 double removed) {
  double left = 0;  // its logarithm
  for (std::uint64_t k = first + 1; k <= last && left > -50; ++k) {
    const double gamma = schedule.rate(k, 1, 1, real(k));  // equal batches
    left += std::log1p(-std::min(gamma * removed, 1 - 1e-16));
  }
  return -std::expm1(left);
}

}  // namespace thalweg
