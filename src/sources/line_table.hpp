// A table that keeps a row on a line: everything but the taking apart of a line.
#pragma once

#include "dictionary.hpp"
#include "lines.hpp"
#include "picked_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace thalweg {

class LineTable : public PickedTable {
 public:
  bool next(Block& block) override;
  bool rewind() override;
  std::optional<double> share_read() const override { return lines_.share_read(); }
  std::string where(std::uint64_t row) const override;
  bool save_position(Archive& archive) const override;
  void load_position(const Archive& archive) override;

  std::uint64_t stretches(std::uint64_t bytes) const override;
  void go_to_stretch(const Stretch& stretch) override;

  const UnknownLevels& unknown_levels() const override { return unknown_; }
  bool has_sequences() const override {
    return picked_.sequence.has_value() || options_.blank_line_sequences;
  }

 protected:
  LineTable(const std::vector<std::string>& files, const TableOptions& options);

  /// Takes a line apart and appends its row; false when a fault was counted and nothing was appended.
  virtual bool take(const Line& line) = 0;
  /// A line needs none of those before it to be understood.
  virtual bool lines_stand_alone() const { return false; }
  virtual void begin_block() {}
  virtual void finish_block(Block& /*block*/) {}
  virtual void at_end() {}        // no line is left
  virtual void at_beginning() {}  // the input was rewound

  /// An input without a single line is an Error.
  void expect_lines(const std::string& expected);

  /// Once names_ are known.
  void pick(bool named, const std::function<bool(std::size_t)>& is_text = {},
            std::optional<std::size_t> label_only = {});

  std::string place(const Line& line) const { return lines_.place(line); }

  /// A row that could be taken apart says to which sequence it belongs, whether it is kept or not.
  void see_sequence(std::string_view name);

  /// A cell of a categorical column; false when its row is lost.
  bool read_level(std::string_view shown, std::size_t column, const Line& line, double& value);

  Lines lines_;
  std::vector<Dictionary> levels_;  // of the data columns; none where all are numeric
  UnknownLevels unknown_;
  std::vector<std::pair<std::size_t, std::string>> unknown_here_;  // of the line under way

 private:
  void number_by_places(Block& block);

  struct Place {
    std::size_t file;
    std::uint64_t line;
    std::uint64_t offset;
  };

  std::uint64_t read_ = 0;           // rows before the current block
  std::vector<std::uint8_t> marks_;  // of the block, where there are sequences
  bool mark_waits_ = true;           // the next row that is kept begins a sequence
  std::string sequence_;             // of the last row
  std::size_t sequence_file_ = 0;    // and its file
  std::vector<Place> places_;        // one a row
  bool in_stretch_ = false;          // rows are numbered by their places in the files then
  std::optional<CsvStretches> stretches_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace thalweg
