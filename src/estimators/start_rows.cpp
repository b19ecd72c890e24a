// On how many rows starts are looked for.
#include <thalweg/estimators/starts.hpp>

#include <algorithm>

namespace thalweg {

std::uint64_t effective_parameters(const Plan& plan) {
  std::uint64_t spared = 0;
  for (const Piece& piece : plan.parameters->pieces()) {
    if (piece.domain != Domain::covariance || piece.constant) continue;
    const std::size_t d = std::max<std::size_t>(piece.shape.back(), 1);
    const std::size_t most = piece.size() / (d * d) * 4 * (d + 1);
    spared += std::max(piece.free_entries(), most) - most;
  }
  return plan.free_parameters - std::min<std::uint64_t>(spared, plan.free_parameters);
}

std::uint64_t stream_buffer(const Plan& plan, std::size_t columns) {
  constexpr std::uint64_t most = std::uint64_t{64} << 20U;  // bytes
  const std::uint64_t fit = most / (sizeof(double) * std::max<std::size_t>(columns, 1));
  return std::max(default_buffer(plan), std::min(15 * effective_parameters(plan), fit));
}

}  // namespace thalweg
