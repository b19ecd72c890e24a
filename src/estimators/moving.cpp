// The end of an iteration that has not ended, saved and reckoned with.
#include <thalweg/core/error.hpp>
#include <thalweg/estimators/moving.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace thalweg {
namespace {

std::uint64_t counted(const std::optional<std::size_t>& number) { return number ? *number + 1 : 0; }

std::optional<std::size_t> number(std::uint64_t count) {
  return count > 0 ? std::optional<std::size_t>(count - 1) : std::nullopt;
}

}  // namespace

/// What is left shrinks by the rate with every iteration, and parameters, whose errors it is the square of, by its root; they have to
/// stand within a hundred times the tolerance.
std::optional<double> Moving::iterations_left() const {
  if (!(rate > 0 && rate < 1) || !std::isfinite(left) || !(allowed > 0)) return std::nullopt;
  const double of_gap = left > 0 ? std::log(allowed / left) / std::log(rate) : 0;
  const double of_change = scaled > 0 ? 2 * std::log(100 * allowed / scaled) / std::log(rate) : 0;
  return std::ceil(std::max({of_gap, of_change, 0.0}));
}

void save(const Moving& moving, Archive& archive) {
  archive.put("parameter", std::vector<std::string>{moving.parameter});
  archive.put("at", std::vector<std::uint64_t>{counted(moving.component), counted(moving.row),
                                               counted(moving.column)});
  archive.put("numbers", std::vector<double>{moving.by, moving.scaled, moving.gain, moving.left,
                                             moving.rate, moving.allowed});
}

Moving load_moving(const Archive& archive) {
  const std::vector<std::string> names = archive.texts("parameter");
  const auto& at = archive.counts("at");
  const auto& numbers = archive.numbers("numbers");
  if (names.size() != 1 || at.size() != 3 || numbers.size() != 6)
    throw Error("saved fit is damaged");
  return {.parameter = names[0],
          .component = number(at[0]),
          .row = number(at[1]),
          .column = number(at[2]),
          .by = numbers[0],
          .scaled = numbers[1],
          .gain = numbers[2],
          .left = numbers[3],
          .rate = numbers[4],
          .allowed = numbers[5]};
}

}  // namespace thalweg
