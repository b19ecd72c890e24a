// Rows that are owned and can grow: start buffers, kept data, half-filled mini-batches. A table keeps all that a block can show.
#pragma once

#include <thalweg/data/block.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thalweg {

class THALWEG_API Table {
 public:
  Table() = default;
  explicit Table(std::size_t columns) : columns_(columns) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  bool empty() const { return rows_ == 0; }
  bool weighted() const { return !side_.weight.empty(); }
  bool labelled() const { return !side_.label.empty(); }
  bool sparse() const { return !starts_.empty(); }

  /// Bytes that one more row costs, where rows are dense.
  std::size_t bytes_a_row() const {
    std::size_t bytes = columns_ * sizeof(double) + (numbers_.empty() ? 0 : sizeof(std::uint64_t));
    for_side_columns(
        [&bytes](const auto& column) { bytes += column.empty() ? 0 : sizeof(column[0]); }, side_);
    return bytes;
  }

  /// Room for so many rows, so that values need not move while they come.
  void reserve(std::size_t rows) { values_.reserve(rows * columns_); }

  /// Throws std::invalid_argument where the rows have another width or form (dense, sparse) than those that are there. Rows that nobody
  /// has numbered take the numbers after the last one.
  void append(const Block& block) {
    if (columns_ == 0) columns_ = block.columns;
    if (block.rows == 0) return;
    if (block.columns != columns_ || (rows_ > 0 && sparse() != block.is_sparse())) refuse(block);
    if (block.is_sparse()) {
      append_entries(block);
    } else if (block.stride == columns_) {
      values_.insert(values_.end(), block.values, block.values + block.rows * columns_);
    } else {
      for (std::size_t t = 0; t < block.rows; ++t)
        values_.insert(values_.end(), block.row(t), block.row(t) + columns_);
    }
    for_side_columns(
        [this, &block](auto& column, const auto* values, auto otherwise) {
          append_side(column, values, block.rows, otherwise);
        },
        side_, block.side, absent_side);
    if (rows_ == 0) first_ = block.number(0);
    numbered_ = numbered_ || block.has_numbers();
    const bool follows = !block.has_numbers() || (!block.numbers && block.first == first_ + rows_);
    if (!follows || !numbers_.empty()) append_numbers(block);
    rows_ += block.rows;
  }

  /// A dense row, which takes the number after the last one.
  void append_row(const double* values, double weight = 1.0) {
    Block row = dense_block(values, 1, columns_);
    if (weighted() || weight != 1.0) row.side.weight = &weight;
    append(row);
  }

  /// Dense rows: one of them gives its place to row t of the block.
  void replace(std::size_t row, const Block& block, std::size_t t);

  /// Forgets all rows but not the width.
  void clear();

  Block block() const {
    Block whole = dense_block(values_.data(), rows_, columns_);
    if (sparse()) show_entries(whole);
    for_side_columns(
        [](auto& shown, const auto& column) {
          if (!column.empty()) shown = column.data();
        },
        whole.side, side_);
    whole.first = first_;
    whole.numbered = numbered_;
    if (!numbers_.empty()) whole.numbers = numbers_.data();
    return whole;
  }

  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& weights() const { return side_.weight; }
  const std::vector<double>& labels() const { return side_.label; }
  const OwnedSideColumns& side() const { return side_; }

 private:
  [[noreturn]] void refuse(const Block& block) const;
  void append_entries(const Block& block);
  void append_numbers(const Block& block);

  /// A side column begins with the first block that has it; rows without it get what its absence means.
  template <class Value>
  void append_side(std::vector<Value>& column, const Value* values, std::size_t rows,
                   Value otherwise) {
    if (!values && column.empty()) return;
    column.resize(rows_, otherwise);
    if (values) {
      column.insert(column.end(), values, values + rows);
    } else {
      column.resize(rows_ + rows, otherwise);
    }
  }

  void show_entries(Block& whole) const {
    whole.values = nullptr;
    whole.stride = 0;
    whole.sparse = {
        .starts = starts_.data(), .columns = entry_columns_.data(), .values = values_.data()};
  }

  std::size_t columns_ = 0;
  std::size_t rows_ = 0;
  std::vector<double> values_;                // rows × columns, or the entries of sparse rows
  std::vector<std::size_t> starts_;           // rows + 1 where rows are sparse, else none
  std::vector<std::uint32_t> entry_columns_;  // of each entry
  OwnedSideColumns side_;                     // each one a row, or empty
  bool numbered_ = false;                     // somebody gave numbers
  std::uint64_t first_ = 0;                   // of the first row …
  std::vector<std::uint64_t> numbers_;        // … and of all, where they do not follow each other
};

}  // namespace thalweg
