// Rows that are the same in everything become one, with their weights added.

#include "distinct.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace thalweg {
namespace {

constexpr std::size_t first_look = 4096;  // rows after which a hopeless case is given up

template <class Value>
std::string_view bytes(const Value* begin, std::size_t count) {
  return {reinterpret_cast<const char*>(begin), count * sizeof(Value)};
}

std::size_t mixed(std::size_t hash, std::size_t value) {
  return hash ^ (value * 0x9e3779b97f4a7c15U);
}

/// What makes two rows the same: their cells or entries, and all that stands beside them but the weight.
struct Key {
  std::string_view values;
  std::string_view columns;  // of the entries of a sparse row
  Beside<OneOf> side;

  bool operator==(const Key& other) const {
    bool same = values == other.values && columns == other.columns;
    for_side_columns([&same](auto a, auto b) { same = same && hashed(a) == hashed(b); }, side,
                     other.side);
    return same;
  }
  /// A number for a value; every NaN is the same "unknown".
  template <class Value>
  static std::uint64_t hashed(Value value) {
    if constexpr (std::is_same_v<Value, double>) {
      return std::isnan(value) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(value);
    } else {
      return value;
    }
  }
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::size_t hash = std::hash<std::string_view>{}(key.values);
    if (!key.columns.empty()) hash = mixed(hash, std::hash<std::string_view>{}(key.columns));
    for_side_columns([&hash](auto value) { hash = mixed(hash, Key::hashed(value)); }, key.side);
    return hash;
  }
};

Key key_of(const Block& rows, std::size_t t) {
  Key key{.values = {}, .columns = {}, .side = absent_side};
  if (rows.is_sparse()) {
    const std::size_t begin = rows.sparse.starts[t];
    const std::size_t count = rows.sparse.starts[t + 1] - begin;
    key.values = bytes(rows.sparse.values + begin, count);
    key.columns = bytes(rows.sparse.columns + begin, count);
  } else {
    key.values = bytes(rows.row(t), rows.columns);
  }
  for_side_columns(
      [t](auto& value, const auto* column) {
        if (column) value = column[t];
      },
      key.side, rows.side);
  key.side.weight = absent_side.weight;
  return key;
}

/// Whether the row is a unit by itself.
bool alone(const Block& rows, std::size_t t, Unit unit) {
  return begins_unit(rows, t, unit) && (t + 1 == rows.rows || begins_unit(rows, t + 1, unit));
}

}  // namespace

std::optional<Table> distinct_rows(const Block& given, Unit unit) {
  Block rows = given;
  if (unit == Unit::row) rows.side.unit_start = nullptr;  // marks mean nothing to such a model
  std::unordered_map<Key, std::size_t, KeyHash> places;
  std::vector<std::size_t> firsts;
  std::vector<double> weights;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    std::size_t place = firsts.size();
    if (alone(rows, t, unit)) place = places.emplace(key_of(rows, t), place).first->second;
    if (place == firsts.size()) {
      firsts.push_back(t);
      weights.push_back(0);
    }
    weights[place] += rows.weight(t);
    const bool hopeless = t + 1 == first_look && 2 * firsts.size() > first_look;
    if (hopeless || 2 * firsts.size() > rows.rows) return std::nullopt;
  }
  Table table(rows.columns);
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    Block row = rows.slice(firsts[i], 1);
    row.side.weight = &weights[i];
    table.append(row);
  }
  return table;
}

}  // namespace thalweg
