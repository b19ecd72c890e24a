// Tables as text: RFC 4180 with the liberties of real files, in constant memory for any length.
#pragma once

#include <thalweg/sources/table_source.hpp>

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// One or several files as one stream; "-" is standard input. Fields may be quoted, with delimiters, doubled quotes and
/// line ends inside; lines end in LF, CRLF or CR; blank lines are skipped; spaces around names and numbers are ignored.
/// Empty, NA and NaN (any case) mean missing and are read as NaN; infinities and numbers too large for a double are
/// refused. A header field without a name is called c<index>, counted from 0; the same name twice is an Error as soon as
/// a column of that name is used.
///
/// Which columns are numeric is decided by their first cell that is not missing among the first 1024 rows, whatever the
/// block size; a column without such a cell counts as numeric. A block ends early when a pipe has nothing more to read.
///
/// With several threads large inputs are parsed beside the caller, in bounded memory; rows, faults, labels and the first
/// Error in file order are the same for any number of them.
class THALWEG_API CsvSource final : public TableSource {
 public:
  explicit CsvSource(const std::vector<std::string>& files,
                     const TableOptions& options = {});  // none: stdin
  explicit CsvSource(std::istream& in, const TableOptions& options = {},
                     const std::string& name = "<stream>");
  CsvSource(CsvSource&&) noexcept;
  CsvSource& operator=(CsvSource&&) noexcept;
  ~CsvSource() override;

  const Schema& schema() const override;
  bool next(Block& block) override;
  bool rewind() override;  // regular files only
  std::optional<double> share_read() const override;
  std::string where(std::uint64_t row) const override;

  /// Regular files only. A file that has changed since is refused by load_position.
  bool save_position(Archive& archive) const override;
  void load_position(const Archive& archive) override;

  /// Regular files as they are, without labels (what they are is told by the first of them) and sequences. Lines between quotes are
  /// respected: the first stretch costs a look at all bytes.
  std::uint64_t stretches(std::uint64_t bytes) const override;
  void go_to_stretch(const Stretch& stretch) override;

  bool has_header() const override;
  bool header_detected() const override;
  const std::vector<std::string>& text_columns() const override;
  const std::vector<std::string>& label_names() const override;
  const std::vector<std::string>& raw_header() const override;
  const std::vector<std::string>& raw(std::size_t row_in_block) const override;
  std::string_view raw(std::size_t row_in_block, std::size_t field) const override;
  const Faults& faults() const override;
  const UnknownLevels& unknown_levels() const override;
  bool has_sequences() const override;

 private:
  struct State;
  explicit CsvSource(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// `for (const Block& block : csv("events.csv")) …`
THALWEG_API CsvSource csv(const std::string& file, const TableOptions& options = {});

}  // namespace thalweg
