// In which order a pass over rows in memory visits them.
#pragma once

#include <thalweg/data/block.hpp>
#include <thalweg/data/units.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thalweg {

/// Keeps what is drawn for an order apart from rows that are simulated with the same seed.
inline constexpr std::uint64_t order_salt = 0x6f72646572696e67;

/// The places of all rows, their units permuted as (seed, pass) alone says; rows of a unit stay together, in their order.
THALWEG_API std::vector<std::size_t> shuffled_places(const Block& rows, Unit unit,
                                                     std::uint64_t seed, std::uint32_t pass);

}  // namespace thalweg
