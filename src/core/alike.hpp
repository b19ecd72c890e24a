// Components that rows could hardly tell apart, found from the axes and meanings of the pieces.
#pragma once

#include <thalweg/core/statistic.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <vector>

namespace thalweg {

/// Components no farther apart are alike: between normal ones a twentieth of a standard deviation, where a row says 0.00125 nat of
/// which of them it comes from.
inline constexpr double alike_within = 0.05;

/// How far apart components k and l are: about the square root of twice the Kullback–Leibler divergence between what they emit, and
/// between where they lead. Their shares do not count.
THALWEG_API double apart(const Parameters& theta, std::size_t k, std::size_t l);

/// Groups of components that are alike, each with the smallest number first; none of a single one.
THALWEG_API std::vector<std::vector<std::size_t>> alike_components(const Parameters& theta);

}  // namespace thalweg
