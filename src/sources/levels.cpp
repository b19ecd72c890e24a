// Counts the cells of unknown levels by column, and saves the counts with a fit.
#include "cell.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/table_source.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {

const UnknownLevels& TableSource::unknown_levels() const {
  static const UnknownLevels none;
  return none;
}

void UnknownLevels::add(const std::string& column, std::string_view level) {
  auto found = std::ranges::find(columns_, column, &Column::name);
  if (found == columns_.end()) found = columns_.insert(found, {.name = column});
  ++found->cells;
  std::vector<std::string>& first = found->first;
  if (first.size() == shown) return;
  std::string name = in_quotes(level);  // on one line, and not too long
  name = name.substr(1, name.size() - 2);
  if (std::ranges::find(first, name) == first.end()) first.push_back(std::move(name));
}

std::uint64_t UnknownLevels::cells() const {
  std::uint64_t sum = 0;
  for (const Column& column : columns_) sum += column.cells;
  return sum;
}

void UnknownLevels::save(Archive& archive) const {
  std::vector<std::string> names;
  std::vector<std::uint64_t> counts;
  for (const Column& column : columns_) {
    names.push_back(column.name);
    names.insert(names.end(), column.first.begin(), column.first.end());
    counts.push_back(column.cells);
    counts.push_back(column.first.size());
  }
  archive.put("unknown/names", names);
  archive.put("unknown/counts", std::move(counts));
}

void UnknownLevels::load(const Archive& archive) {
  const std::vector<std::string> names = archive.texts("unknown/names");
  const std::vector<std::uint64_t>& counts = archive.counts("unknown/counts");
  columns_.clear();
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < counts.size(); i += 2) {
    if (counts[i + 1] > shown || names.size() - at < 1 + counts[i + 1])
      throw Error("saved state \"unknown\" does not fit together");
    Column& column = columns_.emplace_back(Column{.name = names[at++], .cells = counts[i]});
    for (std::uint64_t l = 0; l < counts[i + 1]; ++l) column.first.push_back(names[at++]);
  }
}

}  // namespace thalweg
