#include <thalweg/estimators/slowest.hpp>

namespace thalweg {

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
