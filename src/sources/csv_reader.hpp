// Several text tables as one stream of rows: headers agree, every row is as wide as the first.
#pragma once

#include "csv_splitter.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

struct TableOptions;

class CsvReader {
 public:
  CsvReader(const std::vector<std::string>& files, const TableOptions& options);
  CsvReader(std::istream& in, const std::string& name, const TableOptions& options);

  const std::vector<std::string>& names() const { return names_; }
  bool has_header() const { return has_header_; }
  std::string place(std::size_t file, std::uint64_t line) const;
  const std::string& first_name() const { return inputs_.front().name; }

  /// The row that `next` will give after i others; null when there are not so many.
  const CsvRow* look_ahead(std::size_t i);
  const CsvRow* next();  // valid until the next call; null at the end

  bool rewind();
  bool idle() const { return ahead_.empty() && splitter_->idle(); }  // `next` would wait
  std::optional<double> share_read() const;

 private:
  void begin(const TableOptions& options);
  void open(std::size_t file);
  bool read(CsvRow& row);
  [[noreturn]] void refuse_empty(bool header) const;
  void check_header(const CsvRow& row) const;
  void check_width(const CsvRow& row) const;

  std::vector<Input> inputs_;
  std::istream* stream_ = nullptr;  // read in place of a file
  std::optional<char> delimiter_;
  std::size_t row_bytes_;
  std::function<bool()> stop_;
  bool has_header_ = false;
  std::vector<std::string> names_;
  std::size_t file_ = 0;
  std::optional<CsvSplitter> splitter_;  // of the current file
  bool fresh_ = false;                   // nothing was read from the current file yet
  std::deque<CsvRow> ahead_;
  CsvRow current_;
};

}  // namespace thalweg
