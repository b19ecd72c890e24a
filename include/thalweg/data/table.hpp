// Rows that are owned and can grow: start buffers, kept data, half-filled mini-batches.
#pragma once

#include <thalweg/data/block.hpp>

#include <cstddef>
#include <limits>
#include <vector>

namespace thalweg {

class Table {
 public:
  Table() = default;
  explicit Table(std::size_t columns) : columns_(columns) {}

  std::size_t rows() const { return columns_ ? values_.size() / columns_ : 0; }
  std::size_t columns() const { return columns_; }
  bool empty() const { return values_.empty(); }
  bool weighted() const { return !weights_.empty(); }
  bool labelled() const { return !labels_.empty(); }

  /// Bytes that one more row costs.
  std::size_t bytes_a_row() const {
    return (columns_ + (weighted() ? 1 : 0) + (labelled() ? 1 : 0)) * sizeof(double);
  }

  /// Room for so many rows, so that values need not move while they come.
  void reserve(std::size_t rows) { values_.reserve(rows * columns_); }

  void append(const Block& block) {
    if (columns_ == 0) columns_ = block.columns;
    const std::size_t before = rows();
    if (block.rows == 0) return;
    if (block.stride == columns_) {
      values_.insert(values_.end(), block.values, block.values + block.rows * columns_);
    } else {
      for (std::size_t t = 0; t < block.rows; ++t)
        values_.insert(values_.end(), block.row(t), block.row(t) + columns_);
    }
    append_side(weights_, block.side.weight, block.rows, before, 1.0);
    append_side(labels_, block.side.label, block.rows, before, unknown);
  }

  void append_row(const double* values, double weight = 1.0) {
    Block row = dense_block(values, 1, columns_);
    if (weighted() || weight != 1.0) row.side.weight = &weight;
    append(row);
  }

  void clear() {
    values_.clear();
    weights_.clear();
    labels_.clear();
  }

  Block block() const {
    Block whole = dense_block(values_.data(), rows(), columns_);
    if (weighted()) whole.side.weight = weights_.data();
    if (labelled()) whole.side.label = labels_.data();
    return whole;
  }

  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& weights() const { return weights_; }
  const std::vector<double>& labels() const { return labels_; }

 private:
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  /// A side column begins with the first block that has it; rows without it get what its absence means.
  static void append_side(std::vector<double>& column, const double* values, std::size_t rows,
                          std::size_t before, double otherwise) {
    if (!values && column.empty()) return;
    column.resize(before, otherwise);
    if (values) {
      column.insert(column.end(), values, values + rows);
    } else {
      column.resize(before + rows, otherwise);
    }
  }

  std::size_t columns_ = 0;
  std::vector<double> values_;   // rows × columns
  std::vector<double> weights_;  // one a row, or empty when every row counts once
  std::vector<double> labels_;   // one a row, NaN where unknown, or empty when none is known
};

}  // namespace thalweg
