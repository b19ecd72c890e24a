// Splits the bytes of one file into rows of fields, as RFC 4180 quotes them.
#pragma once

#include "bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

struct CsvRow {
  std::string text;               // all fields, unquoted, one after the other
  std::vector<std::size_t> ends;  // where each field ends in `text`
  std::uint64_t line = 0;         // physical line, from 1, on which the row starts
  std::size_t file = 0;           // set by CsvReader
  bool quoted = false;            // some field was quoted

  std::size_t size() const { return ends.size(); }
  std::size_t bytes() const { return text.size() + ends.size(); }
  std::string_view operator[](std::size_t j) const {
    const std::size_t begin = j == 0 ? 0 : ends[j - 1];
    return std::string_view(text).substr(begin, ends[j] - begin);
  }
  std::vector<std::string> fields() const;
  bool blank() const;  // a line of nothing but spaces
  void clear();
};

class CsvSplitter {
 public:
  CsvSplitter(std::unique_ptr<Bytes> bytes, std::string name, char delimiter,
              std::size_t row_bytes);

  bool next(CsvRow& row);  // false at the end; blank lines are skipped
  std::uint64_t bytes_used() const { return bytes_before_ + at_; }
  std::uint64_t bytes_taken() const { return bytes_->taken(); }           // before unpacking
  bool idle() const { return at_ == end_ && !ended_ && bytes_->idle(); }  // nothing to read yet

 private:
  bool split(CsvRow& row);
  bool more();  // false at the end of the file
  void skip_byte_order_mark();
  [[noreturn]] void refuse_length(const CsvRow& row, std::uint64_t quote_line) const;

  std::unique_ptr<Bytes> bytes_;
  std::string name_;
  char delimiter_;
  std::size_t row_bytes_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
  bool after_return_ = false;  // the last row ended in CR: a LF belongs to it
  std::uint64_t bytes_before_ = 0;
  std::uint64_t line_ = 1;
};

}  // namespace thalweg
