// The usual prior of a mixture: components alike and of equal share.
#pragma once

#include <thalweg/core/family.hpp>

#include <cstddef>
#include <vector>

namespace thalweg {

/// S_0, D × K: of each component what the family says of the data as a whole. theta: weights, then the family's part, whose
/// constants count.
template <Family F>
void mixture_prior(const F& family, const double* theta, Extent e, const Block& buffer,
                   double* S_0) {
  std::vector<double> whole(family.width(e));
  family.prior_features(buffer, theta + e.K, e, whole.data());
  for (std::size_t j = 0; j < whole.size(); ++j)
    for (std::size_t k = 0; k < e.K; ++k) S_0[j * e.K + k] = whole[j] / static_cast<double>(e.K);
}

}  // namespace thalweg
