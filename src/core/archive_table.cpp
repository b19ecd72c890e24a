// A table in a saved state: values (or the entries of sparse rows) under its name, and beside them what else the rows carry, each
// under a name of its own and only where there is something, but for the weights, which older versions ask for.
#include <thalweg/core/archive.hpp>
#include <thalweg/core/error.hpp>

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace thalweg {
namespace {

using Counts = std::vector<std::uint64_t>;

template <class Value>
using NameOf = const char*;
constexpr Beside<NameOf> side_names = {
    .weight = "/weights", .label = "/labels", .unit_start = "/units"};

[[noreturn]] void refuse(const std::string& name) {
  throw Error("saved state \"" + name + "\" is not a table");
}

/// Counts as what they were before; one that is too large is damage.
template <class Value>
std::vector<Value> narrowed(const Counts& counts, std::uint64_t most, const std::string& name) {
  std::vector<Value> values;
  values.reserve(counts.size());
  for (const std::uint64_t count : counts) {
    if (count > most) refuse(name);
    values.push_back(static_cast<Value>(count));
  }
  return values;
}

template <class Value>
const Value* pointer(const std::vector<Value>& values) {
  return values.empty() ? nullptr : values.data();
}

/// Starts that begin with 0, never fall and end with the number of entries.
bool are_starts(const std::vector<std::size_t>& starts, std::size_t entries) {
  for (std::size_t t = 1; t < starts.size(); ++t)
    if (starts[t] < starts[t - 1]) return false;
  return starts.front() == 0 && starts.back() == entries;
}

}  // namespace

void Archive::put(const std::string& name, const Table& table) {
  const Block rows = table.block();
  put(name, table.values());
  put(name + "/columns", std::uint64_t{table.columns()});
  put(name + "/weights", table.weights());
  for_side_columns(
      [&](const auto& column, const char* beside) {
        if (column.empty()) return;
        if constexpr (std::is_same_v<decltype(column), const std::vector<double>&>) {
          put(name + beside, column);
        } else {
          put(name + beside, Counts(column.begin(), column.end()));
        }
      },
      table.side(), side_names);
  if (rows.is_sparse()) {
    const SparseRows& sparse = rows.sparse;
    put(name + "/starts", Counts(sparse.starts, sparse.starts + rows.rows + 1));
    put(name + "/entries", Counts(sparse.columns, sparse.columns + table.values().size()));
  }
  if (rows.first != 0) put(name + "/first", rows.first);
  if (rows.numbers) put(name + "/numbers", Counts(rows.numbers, rows.numbers + rows.rows));
}

void Archive::get(const std::string& name, Table& table) const {
  const std::vector<double>& values = numbers(name);
  numbers(name + "/weights");  // every table has them
  const auto columns = static_cast<std::size_t>(count(name + "/columns"));
  if (table.columns() != 0 && columns != 0 && columns != table.columns())
    throw Error("saved state \"" + name + "\" has " + std::to_string(columns) +
                " columns, this model has " + std::to_string(table.columns()));
  table = Table(columns);
  const auto optional_counts = [&](const char* beside) {
    const auto found = counts_.find(name + beside);
    return found == counts_.end() ? Counts{} : found->second;
  };
  const auto starts = narrowed<std::size_t>(optional_counts("/starts"), values.size(), name);
  if (values.empty() && starts.empty()) return;

  Block block{.columns = columns, .values = nullptr};
  std::vector<std::uint32_t> entries;
  if (starts.empty()) {
    if (columns == 0 || values.size() % columns != 0) refuse(name);
    block = dense_block(values.data(), values.size() / columns, columns);
  } else {
    entries = narrowed<std::uint32_t>(optional_counts("/entries"), columns - 1, name);
    if (columns == 0 || entries.size() != values.size() || !are_starts(starts, values.size()))
      refuse(name);
    block.rows = starts.size() - 1;
    block.sparse = {.starts = starts.data(), .columns = entries.data(), .values = values.data()};
  }
  OwnedSideColumns side;
  for_side_columns(
      [&](auto& column, const char* beside, const auto*& shown) {
        using Value = typename std::remove_reference_t<decltype(column)>::value_type;
        if constexpr (std::is_same_v<Value, double>) {
          if (const auto found = numbers_.find(name + beside); found != numbers_.end())
            column = found->second;
        } else {
          column =
              narrowed<Value>(optional_counts(beside), std::numeric_limits<Value>::max(), name);
        }
        if (!column.empty() && column.size() != block.rows) refuse(name);
        shown = pointer(column);
      },
      side, side_names, block.side);
  block.number_from(counts_.contains(name + "/first") ? count(name + "/first") : 0);
  const Counts row_numbers = optional_counts("/numbers");
  if (!row_numbers.empty() && row_numbers.size() != block.rows) refuse(name);
  block.numbers = pointer(row_numbers);
  table.append(block);
}

}  // namespace thalweg
