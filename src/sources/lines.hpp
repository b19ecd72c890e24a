// Several text files as one stream of lines, for the formats that keep a row on a line.
#pragma once

#include "bytes.hpp"
#include "csv_stretches.hpp"
#include <thalweg/core/archive.hpp>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

struct TableOptions;

struct Line {
  std::string text;  // without its end; room for the reads ahead of a JSON parser stands behind it
  std::size_t file = 0;
  std::uint64_t line = 0;    // from 1
  std::uint64_t offset = 0;  // where it begins in the unpacked bytes of the file
  bool after_blank = false;  // a blank line stands before it
};

/// Without byte order mark and blanks before the first character.
std::string_view first_text(std::string_view text);

class Lines {
 public:
  static constexpr std::size_t padding = 64;  // bytes that may be read behind a line's text

  Lines(const std::vector<std::string>& files, const TableOptions& options);

  /// Calls for the first line of every file, which is then no row.
  using Opening = std::function<void(const Line& first)>;
  void set_opening(Opening opening) { opening_ = std::move(opening); }

  /// The next line that is not blank; null at the end, or when it was called off. Valid until the next call.
  const Line* next();

  /// The line that `next` will give after i others; null when there are not so many.
  const Line* look_ahead(std::size_t i);

  /// Only a part of a file comes next, and then the end, until `rewind`.
  void go_to(const CsvStretches::Part& part);
  const std::vector<Input>& inputs() const { return inputs_; }

  bool rewind();
  bool rewindable() const;
  bool idle() const;  // `next` would wait
  bool called_off() const { return called_off_; }
  std::optional<double> share_read() const;
  std::string place(const Line& line) const { return place(line.file, line.line); }
  std::string place(std::size_t file, std::uint64_t line) const;
  const std::string& first_name() const { return inputs_.front().name; }
  std::size_t files() const { return inputs_.size(); }
  const std::string& name(std::size_t file) const { return inputs_[file].name; }

  /// Where the next line begins; false where that can only be found by reading.
  bool save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  struct At {
    std::size_t file = 0;
    std::uint64_t offset = 0;  // in the unpacked bytes of the file
    std::uint64_t line = 0;    // lines before it
  };

  void open(std::size_t file);
  bool more();
  bool read(Line& line);
  bool read_physical(Line& line);

  std::vector<Input> inputs_;
  std::size_t row_bytes_;
  std::function<bool()> stop_;
  Opening opening_;
  std::unique_ptr<Bytes> bytes_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
  bool fresh_ = false;  // no line of the current file was read yet
  bool called_off_ = false;
  bool in_part_ = false;    // whose end is that of the input
  At place_;                // of what comes next in the buffer
  std::deque<Line> ahead_;  // lines that were looked at
  std::deque<At> begins_;   // where they begin
  Line current_;
};

}  // namespace thalweg
