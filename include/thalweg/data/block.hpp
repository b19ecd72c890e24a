// A window on consecutive rows. It owns nothing: a Table, a source or the caller's arrays stand behind it.
#pragma once

#include <thalweg/data/side_columns.hpp>

#include <cstddef>
#include <cstdint>

namespace thalweg {

/// Rows that are mostly zeros, in compressed form: row t holds entries starts[t] … starts[t+1]-1.
struct SparseRows {
  const std::size_t* starts = nullptr;
  const std::uint32_t* columns = nullptr;
  const double* values = nullptr;
};

struct Block {
  std::size_t rows = 0;
  std::size_t columns = 0;
  const double* values = nullptr;  // rows × columns, row by row; a missing cell is NaN
  std::size_t stride = 0;          // doubles from one row to the next
  SideColumns side = {};
  SparseRows sparse = {};
  std::uint64_t first = 0;  // absolute number of the first row; the others follow …
  const std::uint64_t* numbers = nullptr;  // … but where this gives the number of each
  bool numbered = false;  // … and this tells a first row 0 from one that nobody has numbered

  const double* row(std::size_t t) const { return values + t * stride; }
  bool is_sparse() const { return sparse.starts != nullptr; }
  double weight(std::size_t t) const { return side.weight ? side.weight[t] : 1.0; }
  bool has_numbers() const { return numbered || first != 0 || numbers; }
  std::uint64_t number(std::size_t t) const { return numbers ? numbers[t] : first + t; }

  double total_weight() const {
    if (!side.weight) return static_cast<double>(static_cast<std::int64_t>(rows));
    double sum = 0;
    for (std::size_t t = 0; t < rows; ++t) sum += side.weight[t];
    return sum;
  }

  /// Moves the window `count` rows ahead.
  void advance(std::size_t count) {
    const auto ahead = [count](auto*& pointer) {
      if (pointer) pointer += count;
    };
    values += count * stride;
    first += count;
    for_side_columns(ahead, side);
    ahead(sparse.starts);
    ahead(numbers);
  }

  /// The same for a block that has nothing but values and weights: textbook mode does it for every row.
  void advance_plain(std::size_t count) {
    values += count * stride;
    first += count;
    if (side.weight) side.weight += count;
  }
  bool has_more_than_weights() const {
    return side.label || side.unit_start || sparse.starts || numbers;
  }

  /// The rows follow each other from this number on.
  void number_from(std::uint64_t row) {
    first = row;
    numbers = nullptr;
    numbered = true;
  }

  /// The rows begin … begin+count-1 of this block.
  Block slice(std::size_t begin, std::size_t count) const {
    Block part = *this;
    part.rows = count;
    part.advance(begin);
    return part;
  }
};

/// Bytes of a copy of the rows with all that they carry.
inline std::uint64_t bytes_of(const Block& block) {
  std::uint64_t row = block.numbers ? sizeof(std::uint64_t) : 0;
  for_side_columns([&row](const auto* column) { row += column ? sizeof(*column) : 0; }, block.side);
  if (!block.is_sparse()) return block.rows * (row + block.columns * sizeof(double));
  const std::uint64_t entries = block.sparse.starts[block.rows] - block.sparse.starts[0];
  return block.rows * (row + sizeof(std::size_t)) +
         entries * (sizeof(double) + sizeof(std::uint32_t));
}

/// A block over an array of `rows` × `columns` doubles, row by row.
inline Block dense_block(const double* values, std::size_t rows, std::size_t columns) {
  return {.rows = rows, .columns = columns, .values = values, .stride = columns};
}

}  // namespace thalweg
