// The usual prior of a mixture: components alike and of equal share.
#pragma once

#include <thalweg/core/family.hpp>

#include <cstddef>
#include <vector>

namespace thalweg {

/// S_0, D × K: of each component what the family says of the data as a whole, else what the rows say. theta: weights, then the
/// family's part, whose constants count.
template <Family F>
void mixture_prior(const F& family, const double* theta, Extent e, const Block& buffer,
                   double* S_0) {
  std::vector<double> s(family.width(e), 1.0);
  std::vector<double> whole(s.size());
  if constexpr (requires { family.prior_features(e, s.data()); }) {
    whole[0] = 1;
    family.prior_features(e, whole.data() + 1);
  } else {
    const double total = buffer.total_weight();
    for (std::size_t t = 0; t < buffer.rows; ++t) {
      family.features(theta + e.K, e, buffer.row(t), s.data() + 1, 1);
      for (std::size_t j = 0; j < s.size(); ++j) whole[j] += buffer.weight(t) / total * s[j];
    }
  }
  for (std::size_t j = 0; j < s.size(); ++j)
    for (std::size_t k = 0; k < e.K; ++k) S_0[j * e.K + k] = whole[j] / static_cast<double>(e.K);
}

}  // namespace thalweg
