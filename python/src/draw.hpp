// Rows drawn from a fitted model.
#pragma once

#include <thalweg/catalogue/fitted.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace thalweg::python {

/// Row t has a random stream of its own, (seed, t). With counts, so many rows of each component in turn.
std::vector<double> draw_rows(Fitted fitted, std::size_t rows, std::uint64_t seed,
                              const std::optional<std::vector<std::size_t>>& counts,
                              const std::function<bool()>& stop);

}  // namespace thalweg::python
