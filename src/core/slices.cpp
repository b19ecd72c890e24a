// Slices of a block shared by threads.
#include "core/slices.hpp"

#include <algorithm>
#include <utility>

namespace thalweg {
namespace {

/// Slices between two meetings of the pool: many, for whoever is done first waits there, but their sums share a few megabytes.
std::size_t slices_in_a_wave(const ThreadPool* pool, const Sums& sums) {
  if (!pool || pool->size() == 1) return 1;
  constexpr std::size_t megabytes = 8;
  const std::size_t fit = (megabytes << 20U) / (sizeof(double) * (sums.size() + 1)) / pool->size();
  return pool->size() * std::clamp<std::size_t>(fit, 2, 32);
}

}  // namespace

void expect_in_slices(const Prepared& prepared, const Block& block, const ThreadPool* pool,
                      Sums& sums, std::vector<Sums>& parts, double& log_likelihood, Unit unit,
                      const Work& work, std::size_t slice) {
  const Pieces slices(block, slice, unit);
  const std::size_t wave = std::min(slices.size(), slices_in_a_wave(pool, sums));
  if (parts.size() < wave || parts.front().size() != sums.size())
    parts.assign(wave, Sums(sums.shared_layout()));
  std::vector<double> scores(wave);
  const bool shared = work.events && wave > 1;
  std::vector<Events> events(shared ? wave : 0);  // of each slice, for threads do not share one
  for (std::size_t begin = 0; begin < slices.size(); begin += wave) {
    const std::size_t count = std::min(wave, slices.size() - begin);
    const auto task = [&](std::size_t i) {
      parts[i].clear();
      Work here = work;
      if (shared) here.events = &events[i];
      if (work.log_density) here.log_density = work.log_density + slices.begin(begin + i);
      scores[i] = prepared.expect(slices[begin + i], parts[i], here);
    };
    if (pool) {
      pool->run(count, task);
    } else {
      for (std::size_t i = 0; i < count; ++i) task(i);
    }
    for (std::size_t i = 0; i < count; ++i) {
      log_likelihood += scores[i];
      sums.add(parts[i]);
      if (shared) work.events->add(std::exchange(events[i], Events()));
    }
  }
}

}  // namespace thalweg
