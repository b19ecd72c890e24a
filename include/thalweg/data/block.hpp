// A window on consecutive rows. It owns nothing: a Table, a source or the caller's arrays stand behind it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thalweg {

/// Columns beside the data, one number a row; a null pointer means "not there".
struct SideColumns {
  const double* weight = nullptr;  // how many times the row counts
  const double* label = nullptr;   // known component, NaN where unknown
  const double* target = nullptr;  // response of a regression
  const double* offset = nullptr;  // known part of a linear predictor
  const double* group = nullptr;   // rows of one group share their latent variable
};

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
  const std::uint8_t* sequence_start = nullptr;  // 1 where a new sequence begins
  std::uint64_t first = 0;                       // absolute number of the first row

  const double* row(std::size_t t) const { return values + t * stride; }
  double weight(std::size_t t) const { return side.weight ? side.weight[t] : 1.0; }

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
    advance_plain(count);
    ahead(side.label);
    ahead(side.target);
    ahead(side.offset);
    ahead(side.group);
    ahead(sparse.starts);
    ahead(sequence_start);
  }

  /// The same for a block that has nothing but values and weights: textbook mode does it for every row.
  void advance_plain(std::size_t count) {
    values += count * stride;
    first += count;
    if (side.weight) side.weight += count;
  }
  bool has_more_than_weights() const {
    return side.label || side.target || side.offset || side.group || sparse.starts ||
           sequence_start;
  }

  /// The rows begin … begin+count-1 of this block.
  Block slice(std::size_t begin, std::size_t count) const {
    Block part = *this;
    part.rows = count;
    part.advance(begin);
    return part;
  }
};

/// use(part) for every run of rows that count: a row of weight 0 is as if it were not there.
template <class Use>
void for_rows_that_count(const Block& block, Use&& use) {
  if (!block.side.weight) return use(block);
  for (std::size_t begin = 0; begin < block.rows;) {
    std::size_t end = begin;
    while (end < block.rows && block.side.weight[end] != 0) ++end;
    if (end > begin) use(block.slice(begin, end - begin));
    begin = end + 1;
  }
}

/// A block over an array of `rows` × `columns` doubles, row by row.
inline Block dense_block(const double* values, std::size_t rows, std::size_t columns) {
  return {.rows = rows, .columns = columns, .values = values, .stride = columns};
}

}  // namespace thalweg
