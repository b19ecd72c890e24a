// Fisher–Yates from the identity, so that an order does not depend on those before it.
#include "core/row_order.hpp"

#include <thalweg/core/random.hpp>
#include <thalweg/data/slices.hpp>

#include <numeric>
#include <utility>

namespace thalweg {

std::vector<std::size_t> shuffled_places(const Block& rows, Unit unit, std::uint64_t seed,
                                         std::uint32_t pass) {
  const Units units(rows, unit);
  std::vector<std::size_t> order(units.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed ^ order_salt, 0, pass);
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random.index(left)]);
  if (unit == Unit::row) return order;
  std::vector<std::size_t> places;
  places.reserve(rows.rows);
  for (const std::size_t u : order)
    for (std::size_t t = units.begin(u); t < units.begin(u + 1); ++t) places.push_back(t);
  return places;
}

}  // namespace thalweg
