// Keeps what was picked of a table, and the rows of its current block.
#include "picked_table.hpp"

#include <thalweg/core/error.hpp>

namespace thalweg {

PickedTable::PickedTable(const TableOptions& options)
    : options_(options),
      rule_(options.on_error),
      labels_(options.labels),
      cells_(rule_, names_, labels_) {
  if (options_.block_rows == 0) throw UsageError("a block needs at least one row");
}

void PickedTable::pick(const Columns& columns) {
  picked_ = pick_columns(columns, options_);
  for (const std::size_t column : picked_.data) schema_.columns.push_back(names_[column]);
}

void PickedTable::clear_rows() {
  values_.clear();
  weights_.clear();
  known_.clear();
  text_.clear();
}

Block PickedTable::kept_rows(std::size_t rows) const {
  Block block = dense_block(values_.data(), rows, schema_.width());
  if (picked_.weight) block.side.weight = weights_.data();
  if (picked_.label) block.side.label = known_.data();
  return block;
}

}  // namespace thalweg
