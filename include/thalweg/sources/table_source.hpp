// Rows of files in any format: how to read them, and what they can tell beside the rows themselves.
#pragma once

#include <thalweg/core/source.hpp>
#include <thalweg/sources/faults.hpp>
#include <thalweg/sources/labels.hpp>
#include <thalweg/sources/levels.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// Columns are picked by name; what is no column's name may be an index from 0 on ("#3" or "3") or, in `columns` and
/// `categorical`, a range with both its ends ("2-5", "a:d").
///
/// A cell of a categorical column is the number of its level, which is the cell's text without spaces around it. Levels that
/// nobody names are found in the rows, in the order in which they come: in all of them where the input can be read twice, else
/// in the first 1024.
struct TableOptions {
  std::string format = {};  // "csv", "npy", … (docs/data.md); empty: by ending, else by content
  std::optional<char> delimiter = {};  // unset: a tab for files that end in .tsv, else seen
  std::optional<bool> header = {};     // unset: a first line of numbers and missing cells is data
  std::vector<std::string> columns =
      {};  // in this order; empty: all numeric ones, and the categorical ones
  std::vector<std::string> categorical = {};  // columns that are read by their levels
  bool all_categorical = false;               // every data column is; empty `columns` are all then
  std::map<std::string, std::vector<std::string>> levels = {};  // known ones, by column
  bool model_levels = false;  // a model's: a cell with another one is missing, see unknown_levels
  std::string weight_column = {};  // taken out of the data columns; empty: every row counts once
  std::string label_column = {};   // likewise; a missing cell: the row's component is unknown
  LabelOptions labels = {};        // how its cells become components
  std::string sequence_column =
      {};  // taken out of the data columns; where it changes, a new sequence begins
  bool blank_line_sequences = false;  // a blank line ends a sequence, as the end of a file does
  bool by_position =
      false;  // where names are missing on one side, the j-th of `columns` is the j-th field
  OnError on_error = OnError::stop;   // what a row or cell that cannot be read does
  bool keep_text = false;             // keeps the fields of the current block for `raw`
  bool text_alone = false;            // a table without a numeric column is read for its fields
  std::size_t block_rows = 8192;      // a block of very long rows ends earlier
  std::size_t row_bytes = 1U << 26U;  // a longer row is refused: most likely a quote was left open
  std::size_t threads = 1;            // 2 or more parse beside the caller
  std::size_t chunk_bytes = 1U << 18U;  // parsed at a time: the rows do not depend on it
  std::size_t width = 0;  // columns of docs and libsvm; 0: as the header or a first pass says
  bool sparse = false;    // docs and libsvm: blocks in compressed form instead of dense rows
  bool follow = false;    // at the end of a regular file, wait for what is appended to it
  std::function<bool()> stop =
      {};  // asked while a pipe is silent, by any thread; true ends the input before the row under way
};

class THALWEG_API TableSource : public Source {
 public:
  virtual bool has_header() const { return true; }
  virtual bool header_detected() const { return false; }  // nobody said; has_header() was seen
  virtual const std::vector<std::string>& text_columns() const = 0;  // left out, not numeric

  /// Which label became which component, where the labels are names; so far.
  virtual const std::vector<std::string>& label_names() const = 0;

  /// All columns of the files, and with keep_text the row's fields in the current block, unquoted. The row has to be one of the
  /// block, the field one of the header.
  virtual const std::vector<std::string>& raw_header() const = 0;
  virtual const std::vector<std::string>& raw(std::size_t row_in_block) const = 0;
  virtual std::string_view raw(std::size_t row_in_block, std::size_t field) const {
    return raw(row_in_block)[field];
  }

  /// What could not be read and was skipped or taken as missing, so far.
  virtual const Faults& faults() const = 0;

  /// Cells that are missing because a model does not know their level, so far.
  virtual const UnknownLevels& unknown_levels() const;

  /// Block::side.unit_start tells where sequences begin.
  virtual bool has_sequences() const { return false; }
};

/// One or several files of one format as one stream; "-", or none: standard input.
THALWEG_API std::unique_ptr<TableSource> open_table(const std::vector<std::string>& files,
                                                    const TableOptions& options = {});

}  // namespace thalweg
