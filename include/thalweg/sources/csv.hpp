// Tables as text: RFC 4180 with the liberties of real files, in constant memory for any length.
#pragma once

#include <thalweg/core/source.hpp>
#include <thalweg/sources/labels.hpp>

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace thalweg {

class CsvReader;
struct CsvRow;

struct CsvOptions {
  std::optional<char> delimiter = {};  // unset: a tab for files that end in .tsv, else a comma
  std::optional<bool> header = {};     // unset: a first line of numbers and missing cells is data
  std::vector<std::string> columns = {};  // in this order; empty: all numeric ones
  std::string weight_column = {};  // taken out of the data columns; empty: every row counts once
  std::string label_column = {};   // likewise; a missing cell: the row's component is unknown
  LabelOptions labels = {};        // how its cells become components
  bool by_position =
      false;  // where names are missing on one side, the j-th of `columns` is the j-th field
  bool keep_text = false;             // keeps the fields of the current block for `raw`
  std::size_t block_rows = 8192;      // a block of very long rows ends earlier
  std::size_t row_bytes = 1U << 26U;  // a longer row is refused: most likely a quote was left open
  std::function<bool()> stop =
      {};  // asked while a pipe is silent; true ends the input before the row under way
};

/// One or several files as one stream; "-" is standard input. Fields may be quoted, with delimiters, doubled quotes and
/// line ends inside; lines end in LF, CRLF or CR; blank lines are skipped; spaces around names and numbers are ignored.
/// Empty, NA and NaN (any case) mean missing and are read as NaN; infinities and numbers too large for a double are
/// refused. A header field without a name is called c<index>, counted from 0; the same name twice is an Error as soon as
/// a column of that name is used.
///
/// Which columns are numeric is decided by their first cell that is not missing among the first 1024 rows, whatever the
/// block size; a column without such a cell counts as numeric. A block ends early when a pipe has nothing more to read.
class THALWEG_API CsvSource final : public Source {
 public:
  explicit CsvSource(const std::vector<std::string>& files,
                     const CsvOptions& options = {});  // none: stdin
  explicit CsvSource(std::istream& in, const CsvOptions& options = {},
                     const std::string& name = "<stream>");
  CsvSource(CsvSource&&) noexcept;
  CsvSource& operator=(CsvSource&&) noexcept;
  ~CsvSource() override;

  const Schema& schema() const override { return schema_; }
  bool next(Block& block) override;
  bool rewind() override;  // regular files only
  std::optional<double> share_read() const override;
  std::string where(std::uint64_t row) const override;

  bool has_header() const;
  bool header_detected() const { return !options_.header; }  // nobody said; has_header() was seen
  const std::vector<std::string>& text_columns() const { return text_columns_; }  // left out

  /// Which label became which component, where the labels are names; so far.
  const std::vector<std::string>& label_names() const { return labels_.names(); }

  /// All columns of the files, and with keep_text the row's fields in the current block, unquoted.
  const std::vector<std::string>& raw_header() const;
  const std::vector<std::string>& raw(std::size_t row_in_block) const {
    return text_[row_in_block];
  }

 private:
  const CsvRow* next_row();

  struct Place {
    std::size_t file;
    std::uint64_t line;
  };

  explicit CsvSource(std::unique_ptr<CsvReader> reader, CsvOptions options);

  CsvOptions options_;
  std::unique_ptr<CsvReader> reader_;
  Schema schema_;
  std::vector<std::size_t> fields_;    // of the row: one for each column of the schema
  std::optional<std::size_t> weight_;  // of the row
  std::optional<std::size_t> label_;   // of the row
  Labels labels_;
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
THALWEG_API CsvSource csv(const std::string& file, const CsvOptions& options = {});

}  // namespace thalweg
