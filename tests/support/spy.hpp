// Rows that carry all there is, and a spy that writes down what arrives of them: whoever passes rows on may lose nothing and cut no
// unit.
#pragma once

#include <thalweg/data/table.hpp>
#include <thalweg/data/units.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <vector>

namespace spy {

/// All that one row carries.
struct Row {
  std::vector<double> values;
  std::vector<std::uint32_t> columns;  // of the entries, where the row is sparse
  double weight = 1;
  std::optional<double> label = {};
  bool begins = false;  // a unit
  std::uint64_t number = 0;

  bool operator==(const Row&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    out << "row " << row.number << (row.begins ? " |" : "  ");
    for (const double value : row.values) out << ' ' << value;
    return out << " weight " << row.weight << " label " << row.label.value_or(-1);
  }
};

inline Row row_of(const thalweg::Block& block, std::size_t t) {
  Row row;
  if (block.is_sparse()) {
    const thalweg::SparseRows& from = block.sparse;
    row.values.assign(from.values + from.starts[t], from.values + from.starts[t + 1]);
    row.columns.assign(from.columns + from.starts[t], from.columns + from.starts[t + 1]);
  } else {
    row.values.assign(block.row(t), block.row(t) + block.columns);
  }
  row.weight = block.weight(t);
  if (block.side.label && !std::isnan(block.side.label[t])) row.label = block.side.label[t];
  row.begins = block.side.unit_start && block.side.unit_start[t] != 0;
  row.number = block.number(t);
  return row;
}

/// What arrived, row by row, and in which pieces.
struct Notes {
  std::vector<Row> rows;
  std::vector<std::size_t> pieces;  // rows of each
  std::size_t cuts = 0;             // pieces that began inside a unit

  void take(const thalweg::Block& piece) {
    if (piece.rows > 0 && !row_of(piece, 0).begins) ++cuts;
    for (std::size_t t = 0; t < piece.rows; ++t) rows.push_back(row_of(piece, t));
    pieces.push_back(piece.rows);
  }
  bool operator==(const Notes&) const = default;
};

inline std::vector<Row> rows_of(const thalweg::Block& block) {
  Notes notes;
  notes.take(block);
  return notes.rows;
}

enum class Form { dense, sparse };

/// Units of these lengths, of three columns: weights that are constant within a unit, 0 among them; labels, some unknown; numbers
/// with gaps between units.
inline thalweg::Table rows(const std::vector<std::size_t>& units, Form form = Form::dense) {
  thalweg::Table table(3);
  std::uint64_t number = 100;
  for (std::size_t u = 0; u < units.size(); ++u, number += 5)
    for (std::size_t t = 0; t < units[u]; ++t, ++number) {
      const auto x = static_cast<double>(number);
      const double values[] = {x, -x, 0.5 * x};
      const std::size_t starts[] = {0, number % 4};
      const std::uint32_t columns[] = {0, 1, 2};
      const auto weight = static_cast<double>(u % 3);
      const double label = number % 3 == 0 ? NAN : static_cast<double>(number % 2);
      const std::uint8_t begins = t == 0;
      thalweg::Block row = thalweg::dense_block(values, 1, 3);
      if (form == Form::sparse) {
        row.values = nullptr;
        row.sparse = {.starts = starts, .columns = columns, .values = values};
      }
      row.side = {.weight = &weight, .label = &label, .unit_start = &begins};
      row.first = number;
      table.append(row);
    }
  return table;
}

}  // namespace spy
