// What tables have in common that are not read in chunks: the columns that were picked, and the rows of the current block.
#pragma once

#include "columns.hpp"
#include "fault_rule.hpp"
#include <thalweg/sources/table_source.hpp>

#include <string>
#include <vector>

namespace thalweg {

class PickedTable : public TableSource {
 public:
  const Schema& schema() const override { return schema_; }
  const std::vector<std::string>& text_columns() const override { return picked_.text; }
  const std::vector<std::string>& label_names() const override { return labels_.names(); }
  const std::vector<std::string>& raw_header() const override { return names_; }
  using TableSource::raw;
  const std::vector<std::string>& raw(std::size_t row_in_block) const override {
    return text_[row_in_block];
  }
  const Faults& faults() const override { return rule_.faults(); }

 protected:
  explicit PickedTable(const TableOptions& options);

  /// Once names_ are known.
  void pick(const Columns& columns);

  void clear_rows();
  Block kept_rows(std::size_t rows) const;  // with what stands beside them

  TableOptions options_;
  std::vector<std::string> names_;  // of all columns of the file
  PickedColumns picked_;
  Schema schema_;
  FaultRule rule_;
  Labels labels_;
  CellReader cells_;

  std::vector<double> values_;  // rows × columns; empty for sparse blocks
  std::vector<double> weights_;
  std::vector<double> known_;  // components by label
  std::vector<std::vector<std::string>> text_;
};

}  // namespace thalweg
