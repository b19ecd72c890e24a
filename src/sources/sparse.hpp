// Rows that are mostly zeros, as text: documents ("docs") and libsvm lines, "label index:value index:value …".
#pragma once

#include "line_table.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// docs begin with a line "documents words entries", count words from 0, and -1 is no label. libsvm has no such line; its
/// indices count from 1, or from 0 where one of the first rows has an index 0. Index i is column c<i>; the column "label"
/// is no data. Rows are made dense unless options.sparse asks for Block.sparse.
class SparseSource final : public LineTable {
 public:
  SparseSource(const std::vector<std::string>& files, const TableOptions& options, bool documents);

  bool has_header() const override { return documents_; }
  bool save_position(Archive& archive) const override;
  void load_position(const Archive& archive) override;

 private:
  struct Entry {
    std::uint64_t column;  // of the file, counted from 0
    double value;
    bool operator<(const Entry& other) const { return column < other.column; }
  };

  bool take(const Line& line) override;
  void begin_block() override;
  void finish_block(Block& block) override;
  void at_end() override;
  void at_beginning() override;

  void read_opening(const Line& line);
  void check_count() const;
  void find_width();
  bool read_entries(const Line& line, std::string_view rest);
  bool read_entry(const Line& line, std::string_view token);
  bool lose(const Line& line, std::string_view token, const std::string& kind,
            const std::string& expected);
  void append(std::string_view label);

  bool documents_;
  std::uint64_t width_ = 0;
  std::uint64_t first_index_ = 0;
  std::uint64_t announced_ = 0;  // documents of the current file
  std::uint64_t seen_ = 0;       // of them
  std::size_t file_ = 0;
  std::vector<std::int64_t> data_place_;  // of every column; -1: not picked
  std::vector<Entry> entries_;            // of the row under way

  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> sparse_values_;
};

}  // namespace thalweg
