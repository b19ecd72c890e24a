// What one chunk of a text table holds: numbers of its rows, and what could not be read, all told from the chunk's start.
#pragma once

#include "csv_chunks.hpp"
#include "dictionary.hpp"
#include <thalweg/core/message.hpp>
#include <thalweg/sources/faults.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// What becomes of the fields of a row.
struct CsvLayout {
  enum class Use : std::uint8_t { nothing, value, level, weight, label, sequence };
  struct Field {
    Use use = Use::nothing;
    std::size_t column = 0;  // of a value or level
  };

  std::vector<Field> fields;        // of a row, in order
  std::vector<std::size_t> values;  // fields of the columns, in the schema's order
  bool weight = false;
  bool label = false;
  bool sequences = false;               // rows are marked where one begins
  bool blank_lines = false;             // after a blank line, too
  std::vector<Dictionary> levels = {};  // of each column, empty for numbers; none: all are numbers
  bool model_levels = false;            // an unknown level is missing
  bool collect_levels = false;          // instead of numbering them
  OnError on_error = OnError::stop;
  bool keep_text = false;
  bool has_header = false;
  std::vector<std::string> names;  // of all fields
};

/// A row or cell that could not be read.
struct CsvFault {
  enum class Kind : std::uint8_t {
    not_a_number,
    decimal_comma,
    out_of_range,
    not_a_weight,
    not_a_label,
    not_a_level,
    wrong_width,
    not_a_row
  };
  std::uint32_t row;   // rows of the part before it
  std::uint32_t line;  // from the part's first line on
  Kind kind;
  bool row_lost;

  std::string_view words() const;  // of the kind
  Message advice() const;          // what to do about it
};

/// A level that is in no dictionary, or that came for the first time.
struct CsvLevel {
  std::uint32_t row;  // rows of the part before it
  std::uint32_t column;
  std::string text;
};

/// Where sequences begin, as far as the part alone can tell: its first row that has fields enough may begin one, too.
struct CsvMarks {
  std::vector<std::uint8_t> rows;  // 1: begins a sequence
  bool open = false;  // the next row that is kept begins one, behind all rows of the part
  bool any = false;   // some row had fields enough, and said of its sequence:
  std::string first;  // the first of them
  std::string last;   // the last of them
};

struct CsvPart {
  std::size_t file = 0;
  char delimiter = ',';
  std::uint64_t offset = 0;  // of the text in the file
  std::uint64_t taken = 0;   // of the file, before unpacking
  std::size_t bytes = 0;     // of the text
  std::uint64_t line = 0;    // of the text's first line; 0: as the part before it ended
  std::uint64_t lines = 0;   // in the text

  std::size_t rows = 0;
  std::vector<double> values;          // rows × columns, and room behind them
  std::vector<double> weights;         // one a row, if asked for
  std::vector<std::uint32_t> starts;   // of the rows, in the text
  std::vector<std::uint32_t> at_line;  // of the rows, from the text's first line on
  std::string label_text;
  std::vector<std::uint32_t> label_ends;  // one a row, in label_text
  std::string raw_text;
  std::vector<std::uint32_t> raw_ends;  // rows × fields, in raw_text

  std::vector<CsvLevel> levels;  // unknown ones, or those that were collected
  CsvMarks marks;

  std::vector<CsvFault> faults;
  std::vector<Message> messages;  // of the first faults: what is said behind the place
  bool failed = false;            // the last fault ends the table

  std::string_view label(std::size_t row) const { return piece(label_text, label_ends, row); }
  std::string_view raw(std::size_t i) const { return piece(raw_text, raw_ends, i); }

 private:
  static std::string_view piece(const std::string& text, const std::vector<std::uint32_t>& ends,
                                std::size_t i) {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(text).substr(begin, ends[i] - begin);
  }
};

/// Fills the part from a chunk that begins with a row and has its padding; what it held is forgotten, its memory used again.
void parse_chunk(const CsvChunk& chunk, const CsvLayout& layout, CsvPart& part);

/// The reason behind the place for a row of `fields` fields: "3 fields, expected 4 as in the header".
std::string wrong_width(std::size_t fields, const CsvLayout& layout);

}  // namespace thalweg
