// Rows that are owned, and the block that shows them.
#include <thalweg/data/table.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace thalweg {

void Table::refuse(const Block& block) const {
  if (block.columns != columns_)
    throw std::invalid_argument("rows of " + std::to_string(block.columns) +
                                " columns cannot join a table of " + std::to_string(columns_));
  throw std::invalid_argument("a table holds dense or sparse rows, not both");
}

void Table::append_entries(const Block& block) {
  const SparseRows& from = block.sparse;
  const std::size_t begin = from.starts[0];
  const std::size_t end = from.starts[block.rows];
  if (starts_.empty()) starts_.push_back(0);
  const std::size_t before = values_.size();
  for (std::size_t t = 1; t <= block.rows; ++t) starts_.push_back(before + from.starts[t] - begin);
  if (begin == end) return;  // rows without entries may stand on no arrays at all
  values_.insert(values_.end(), from.values + begin, from.values + end);
  entry_columns_.insert(entry_columns_.end(), from.columns + begin, from.columns + end);
}

/// Numbers that follow each other are not stored, however the blocks gave them.
void Table::append_numbers(const Block& block) {
  if (!block.has_numbers()) {
    const std::uint64_t last = numbers_.back();
    for (std::size_t t = 1; t <= block.rows; ++t) numbers_.push_back(last + t);
    return;
  }
  if (numbers_.empty()) {
    std::size_t follow = 0;
    while (follow < block.rows && block.number(follow) == first_ + rows_ + follow) ++follow;
    if (follow == block.rows) return;
    for (std::size_t t = 0; t < rows_; ++t) numbers_.push_back(first_ + t);
  }
  for (std::size_t t = 0; t < block.rows; ++t) numbers_.push_back(block.number(t));
}

void Table::replace(std::size_t row, const Block& block, std::size_t t) {
  if (block.columns != columns_ || sparse() || block.is_sparse()) refuse(block);
  std::copy_n(block.row(t), columns_,
              values_.begin() + static_cast<std::ptrdiff_t>(row * columns_));
  for_side_columns(
      [this, row, t](auto& column, const auto* values, auto otherwise) {
        if (!values && column.empty()) return;
        column.resize(rows_, otherwise);
        column[row] = values ? values[t] : otherwise;
      },
      side_, block.side, absent_side);
  for (std::size_t i = numbers_.size(); i < rows_; ++i) numbers_.push_back(first_ + i);
  numbers_[row] = block.number(t);
  if (row == 0) first_ = block.number(t);
  numbered_ = true;
}

void Table::clear() {
  rows_ = 0;
  first_ = 0;
  numbered_ = false;
  values_.clear();
  starts_.clear();
  entry_columns_.clear();
  for_side_columns([](auto& column) { column.clear(); }, side_);
  numbers_.clear();
}

}  // namespace thalweg
