// One row of a text table, split into fields as RFC 4180 quotes them: the careful way, for any row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// How the text of a table is cut into rows and fields.
struct CsvSyntax {
  char delimiter = ',';
  std::size_t row_bytes = 0;  // no row is longer

  bool ends_field(char c) const { return c == delimiter || c == '\n' || c == '\r'; }
  /// Blank as far as a row of one field goes.
  bool is_space(char c) const { return (c == ' ' || c == '\t') && c != delimiter; }
};

struct CsvRow {
  std::string text;               // all fields, unquoted, one after the other
  std::vector<std::size_t> ends;  // where each field ends in `text`
  std::uint64_t line = 0;         // on which the row starts

  std::size_t size() const { return ends.size(); }
  std::string_view operator[](std::size_t j) const {
    const std::size_t begin = j == 0 ? 0 : ends[j - 1];
    return std::string_view(text).substr(begin, ends[j] - begin);
  }
};

/// What cannot be a row.
struct CsvRowError {
  std::uint64_t line;
  std::string reason;
};

/// Walks over the rows of a text that begins at a row's start.
class CsvRows {
 public:
  CsvRows(std::string_view text, CsvSyntax syntax, std::uint64_t line)
      : at_(text.data()), end_(text.data() + text.size()), syntax_(syntax), line_(line) {}

  /// The next row that is not blank; false at the end. A quote that stays open and a row that is too long are a CsvRowError.
  bool next(CsvRow& row);

  bool skip_blank();        // a line of nothing but spaces
  void split(CsvRow& row);  // the row that begins here

  bool ended() const { return at_ == end_; }
  const char* at() const { return at_; }
  const char* end() const { return end_; }
  std::uint64_t line() const { return line_; }
  void go_to(const char* at, std::uint64_t line) {
    at_ = at;
    line_ = line;
  }

 private:
  [[noreturn]] void refuse_length(const char* begin, std::uint64_t line) const;

  const char* at_;
  const char* end_;
  CsvSyntax syntax_;
  std::uint64_t line_;
};

}  // namespace thalweg
