// The E-step over a block in slices of fixed size, shared by a crew: sums are added in the order of the rows, so that neither
// the number of threads nor who was first changes a bit.
#pragma once

#include <thalweg/core/crew.hpp>
#include <thalweg/core/statistic.hpp>
#include <thalweg/data/block.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace thalweg {

inline constexpr std::size_t slice_rows = 4096;

/// Slices between two meetings of the crew: many, for whoever is done first waits there, but their sums share a few megabytes.
inline std::size_t slices_in_a_wave(const Crew* crew, const Sums& sums) {
  if (!crew || crew->size() == 1) return 1;
  constexpr std::size_t megabytes = 8;
  const std::size_t fit = (megabytes << 20U) / (sizeof(double) * (sums.size() + 1)) / crew->size();
  return crew->size() * std::clamp<std::size_t>(fit, 2, 32);
}

/// sums and log_likelihood gain, slice by slice, what the block gives. `parts` is scratch paper.
template <class M>
void expect_in_slices(const M& model, const Parameters& theta, const Block& block, const Crew* crew,
                      Sums& sums, std::vector<Sums>& parts, double& log_likelihood) {
  const std::size_t slices = (block.rows + slice_rows - 1) / slice_rows;
  const std::size_t wave = std::min(slices, slices_in_a_wave(crew, sums));
  if (parts.size() < wave || parts.front().size() != sums.size())
    parts.assign(wave, Sums(sums.shared_layout()));
  std::vector<double> scores(wave);
  for (std::size_t begin = 0; begin < slices; begin += wave) {
    const std::size_t count = std::min(wave, slices - begin);
    const auto task = [&](std::size_t i) {
      const std::size_t first = (begin + i) * slice_rows;
      parts[i].clear();
      scores[i] = model.expect(theta, block.slice(first, std::min(slice_rows, block.rows - first)),
                               parts[i]);
    };
    if (crew) {
      crew->run(count, task);
    } else {
      for (std::size_t i = 0; i < count; ++i) task(i);
    }
    for (std::size_t i = 0; i < count; ++i) {
      log_likelihood += scores[i];
      sums.add(parts[i]);
    }
  }
}

}  // namespace thalweg
