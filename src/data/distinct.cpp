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

}  // namespace

std::optional<Table> distinct_rows(const Block& rows) {
  std::unordered_map<std::string_view, std::size_t> places;
  std::vector<std::size_t> firsts;
  std::vector<double> weights;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    const auto [place, is_new] = places.emplace(bytes_of(rows.row(t), rows.columns), firsts.size());
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
    row.side = {.weight = &weights[i]};
    table.append(row);
  }
  return table;
}

}  // namespace thalweg
