#include <thalweg/data/distinct.hpp>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace thalweg {
namespace {

constexpr std::size_t first_look = 4096;  // rows after which a hopeless case is given up

std::string_view bytes_of(const double* row, std::size_t columns) {
  return {reinterpret_cast<const char*>(row), columns * sizeof(double)};
}

/// Every row with its label behind it: equal values may have different labels.
std::vector<double> joined(const Block& rows) {
  std::vector<double> all;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    all.insert(all.end(), rows.row(t), rows.row(t) + rows.columns);
    all.push_back(rows.side.label[t]);
  }
  return all;
}

}  // namespace

std::optional<Table> distinct_rows(const Block& rows) {
  const std::vector<double> with_labels = rows.side.label ? joined(rows) : std::vector<double>();
  const auto bytes = [&](std::size_t t) {
    return rows.side.label ? bytes_of(with_labels.data() + t * (rows.columns + 1), rows.columns + 1)
                           : bytes_of(rows.row(t), rows.columns);
  };
  std::unordered_map<std::string_view, std::size_t> places;
  std::vector<std::size_t> firsts;
  std::vector<double> weights;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    const auto [place, is_new] = places.emplace(bytes(t), firsts.size());
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
