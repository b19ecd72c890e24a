// Tables as text: RFC 4180 with the liberties of real files, in constant memory for any length.
#pragma once

#include <thalweg/sources/table_source.hpp>

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace thalweg {

class CsvReader;
struct CsvRow;

/// One or several files as one stream; "-" is standard input. Fields may be quoted, with delimiters, doubled quotes and
/// line ends inside; lines end in LF, CRLF or CR; blank lines are skipped; spaces around names and numbers are ignored.
/// Empty, NA and NaN (any case) mean missing and are read as NaN; infinities and numbers too large for a double are
/// refused. A header field without a name is called c<index>, counted from 0; the same name twice is an Error as soon as
/// a column of that name is used.
///
/// Which columns are numeric is decided by their first cell that is not missing among the first 1024 rows, whatever the
/// block size; a column without such a cell counts as numeric. A block ends early when a pipe has nothing more to read.
class THALWEG_API CsvSource final : public TableSource {
 public:
  explicit CsvSource(const std::vector<std::string>& files,
                     const TableOptions& options = {});  // none: stdin
  explicit CsvSource(std::istream& in, const TableOptions& options = {},
                     const std::string& name = "<stream>");
  CsvSource(CsvSource&&) noexcept;
  CsvSource& operator=(CsvSource&&) noexcept;
  ~CsvSource() override;

  const Schema& schema() const override { return schema_; }
  bool next(Block& block) override;
  bool rewind() override;  // regular files only
  std::optional<double> share_read() const override;
  std::string where(std::uint64_t row) const override;

  bool has_header() const override;
  bool header_detected() const override { return !options_.header; }
  const std::vector<std::string>& text_columns() const override { return text_columns_; }
  const std::vector<std::string>& label_names() const override { return labels_.names(); }
  const std::vector<std::string>& raw_header() const override;
  const std::vector<std::string>& raw(std::size_t row_in_block) const override {
    return text_[row_in_block];
  }
  const Faults& faults() const override { return faults_; }

 private:
  const CsvRow* next_row();

  struct Place {
    std::size_t file;
    std::uint64_t line;
  };

  explicit CsvSource(std::unique_ptr<CsvReader> reader, TableOptions options);

  TableOptions options_;
  std::unique_ptr<CsvReader> reader_;
  Schema schema_;
  std::vector<std::size_t> fields_;    // of the row: one for each column of the schema
  std::optional<std::size_t> weight_;  // of the row
  std::optional<std::size_t> label_;   // of the row
  Labels labels_;
  Faults faults_;
  std::vector<std::string> text_columns_;
  bool stopped_ = false;        // by options_.stop
  std::uint64_t read_ = 0;      // rows before the current block
  std::vector<double> values_;  // rows × columns
  std::vector<double> weights_;
  std::vector<double> known_;  // components by label
  std::vector<Place> places_;  // one a row
  std::vector<std::vector<std::string>> text_;
};

/// `for (const Block& block : csv("events.csv")) …`
THALWEG_API CsvSource csv(const std::string& file, const TableOptions& options = {});

}  // namespace thalweg
