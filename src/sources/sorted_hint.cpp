// Follows the columns and labels of the first rows: do they only rise, only fall, or come in runs?
#include "sorted_hint.hpp"

#include <algorithm>
#include <cmath>

namespace thalweg {

SortedHint::SortedHint(const Schema& schema) : names_(schema.columns), columns_(schema.width()) {}

void SortedHint::see(const Block& block) {
  if (seen_ >= rows_looked_at || !block.values || block.number(0) != seen_) return;
  const auto follow = [](Column& column, double value) {
    if (std::isnan(value)) return;
    if (column.begun && value != column.last) {
      ++column.steps;
      (value > column.last ? column.rises : column.falls) = true;
    }
    column.begun = true;
    column.last = value;
  };
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(block.rows, rows_looked_at - seen_));
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t j = 0; j < columns_.size(); ++j) follow(columns_[j], block.row(t)[j]);
    if (!block.side.label) continue;
    follow(labels_, block.side.label[t]);
    labelled_ += std::isnan(block.side.label[t]) ? 0 : 1;
  }
  seen_ += count;
}

std::optional<std::string> SortedHint::found() const {
  if (seen_ < fewest_rows) return std::nullopt;
  const std::string over = " the first " + std::to_string(seen_) + " rows";
  // A column that changes seldom says little: constants, and switches that were thrown once.
  const std::uint64_t many = seen_ / 20;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const Column& column = columns_[j];
    if (column.steps < many || (column.rises && column.falls)) continue;
    return "column \"" + names_[j] + "\" never " + (column.rises ? "falls" : "rises") + " in" +
           over;
  }
  // Mixed labels change every few rows, even where one of them is a hundredth of all.
  if (labelled_ >= fewest_rows && labels_.steps > 0 && labels_.steps < labelled_ / 200)
    return "labels come in long runs in" + over;
  return std::nullopt;
}

}  // namespace thalweg
