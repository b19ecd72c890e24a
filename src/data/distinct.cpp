#include <thalweg/data/distinct.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace thalweg {
namespace {

constexpr std::size_t first_look = 4096;  // rows after which a hopeless case is given up

/// What makes two rows the same: their bytes and their label.
struct Key {
  std::string_view bytes;
  std::uint64_t label;  // of all ones where it is unknown
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    return std::hash<std::string_view>{}(key.bytes) ^ (key.label * 0x9e3779b97f4a7c15U);
  }
};

Key key_of(const Block& rows, std::size_t t) {
  const double label = rows.side.label ? rows.side.label[t] : NAN;
  return {{reinterpret_cast<const char*>(rows.row(t)), rows.columns * sizeof(double)},
          std::isnan(label) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(label)};
}

}  // namespace

std::optional<Table> distinct_rows(const Block& rows) {
  std::unordered_map<Key, std::size_t, KeyHash> places;
  std::vector<std::size_t> firsts;
  std::vector<double> weights;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    const auto [place, is_new] = places.emplace(key_of(rows, t), firsts.size());
    if (is_new) {
      firsts.push_back(t);
      weights.push_back(0);
    }
    weights[place->second] += rows.weight(t);
    const bool hopeless = t + 1 == first_look && 2 * firsts.size() > first_look;
    if (hopeless || 2 * firsts.size() > rows.rows) return std::nullopt;
  }
  Table table(rows.columns);
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    Block row = rows.slice(firsts[i], 1);
    row.side = {.weight = &weights[i], .label = row.side.label};
    table.append(row);
  }
  return table;
}

}  // namespace thalweg
