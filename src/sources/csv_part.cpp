// Parses a chunk: the fast way for rows of plain numbers, the careful way for all others.
#include "csv_part.hpp"

#include "cell.hpp"
#include "csv_fields.hpp"
#include "level_search.hpp"

#include <algorithm>
#include <limits>

namespace thalweg {
namespace {

class Parser {
 public:
  Parser(const CsvChunk& chunk, const CsvLayout& layout, CsvPart& part)
      : layout_(layout),
        part_(part),
        fields_(chunk.syntax.delimiter, chunk.text().data() + chunk.text().size()),
        begin_(chunk.text().data()),
        syntax_(chunk.syntax),
        rows_(chunk.text(), chunk.syntax, 0),
        texts_(layout.collect_levels ? layout.values.size() : 0),
        collected_(texts_.size()) {}

  void run() {
    while (!rows_.ended() && !part_.failed) {
      if (may_be_blank(*rows_.at()) && skip_blank()) continue;
      make_room();
      if (layout_.keep_text || !quick_row()) careful_row();
    }
    part_.lines = rows_.line();
  }

 private:
  bool may_be_blank(char c) const { return c == '\n' || c == '\r' || syntax_.is_space(c); }

  bool skip_blank() {
    try {
      const bool blank = rows_.skip_blank();
      part_.marks.open = part_.marks.open || (blank && layout_.blank_lines);
      return blank;
    } catch (const CsvRowError& error) {
      end_with(error);
      return true;
    }
  }

  void make_room() {
    const std::size_t needed = (part_.rows + 1) * layout_.values.size();
    if (part_.values.size() < needed)
      part_.values.resize(std::max(needed, 2 * part_.values.size()));
  }

  double* row_values() { return part_.values.data() + part_.rows * layout_.values.size(); }

  /// Plain numbers and fields to skip, straight from the text. False for anything else, and nothing is kept then.
  bool quick_row() {
    const char* at = rows_.at();
    double* const values = row_values();
    double weight = 1;
    std::string_view label;
    std::string_view sequence;
    std::uint64_t lines = 0;
    const CsvLayout::Field* field = layout_.fields.data();
    const CsvLayout::Field* const last = field + layout_.fields.size() - 1;
    for (;; ++field, ++at) {
      switch (field->use) {
        case CsvLayout::Use::value:
          at = fields_.number(at, values[field->column]);
          break;
        case CsvLayout::Use::nothing:
          at = fields_.skip(at, lines);
          break;
        case CsvLayout::Use::weight:
          at = fields_.number(at, weight);
          if (!(weight >= 0)) return false;
          break;
        case CsvLayout::Use::level: {
          std::string_view text;
          at = plain_text(at, text);
          if (!at || !level(text, field->column, values[field->column])) return false;
          break;
        }
        case CsvLayout::Use::label:
          at = plain_text(at, label);
          break;
        case CsvLayout::Use::sequence:
          at = plain_text(at, sequence);
          break;
      }
      if (!at) return false;
      if (field == last) break;
      if (*at != syntax_.delimiter) return false;
    }
    if (*at == syntax_.delimiter) return false;
    if (static_cast<std::size_t>(at - rows_.at()) > syntax_.row_bytes) return false;
    const char* const next = at + (at[0] == '\r' && at[1] == '\n' ? 2 : 1);
    see_row(sequence);
    keep_row(weight, label, rows_.at(), rows_.line());
    rows_.go_to(std::min(next, rows_.end()), rows_.line() + lines + (at < rows_.end() ? 1 : 0));
    return true;
  }

  /// The end of a field that is not quoted; null where it is.
  const char* plain_text(const char* at, std::string_view& text) const {
    if (*at == '"') return nullptr;
    std::uint64_t none = 0;
    const char* const end = fields_.skip(at, none);
    text = {at, static_cast<std::size_t>(end - at)};
    return end;
  }

  /// Any row: split into fields first, and every mistake told.
  void careful_row() {
    const char* const begin = rows_.at();
    try {
      rows_.split(row_);
    } catch (const CsvRowError& error) {
      end_with(error);
      return;
    }
    if (row_.size() != layout_.fields.size())
      return lose_row(CsvFault::Kind::wrong_width,
                      [&] { return wrong_width(row_.size(), layout_); });
    see_careful_row();
    const std::size_t faults_before = part_.faults.size();
    const std::size_t levels_before = part_.levels.size();
    for (std::size_t column = 0; column < layout_.values.size(); ++column) {
      const std::size_t field = layout_.values[column];
      double& value = row_values()[column];
      if (layout_.fields[field].use == CsvLayout::Use::level ? careful_level(field, column, value)
                                                             : careful_value(field, value))
        continue;
      part_.levels.resize(levels_before);
      return;
    }
    double weight = 1;
    std::string_view label;
    for (std::size_t j = 0; j < layout_.fields.size(); ++j) {
      if (layout_.fields[j].use == CsvLayout::Use::label) label = row_[j];
      if (layout_.fields[j].use != CsvLayout::Use::weight) continue;
      const Cell cell = read_cell(row_[j]);
      weight = cell.value;
      if (cell.kind == Cell::Kind::number && weight >= 0) continue;
      forget_faults(faults_before);  // of cells: the whole row is lost
      part_.levels.resize(levels_before);
      return lose_row(CsvFault::Kind::not_a_weight, [&] {
        return "weight column " + in_quotes(layout_.names[j]) + ": " + in_quotes(row_[j]) +
               " is not a weight, expected a number from 0 on";
      });
    }
    if (layout_.keep_text) {
      for (const std::size_t end : row_.ends)
        part_.raw_ends.push_back(static_cast<std::uint32_t>(part_.raw_text.size() + end));
      part_.raw_text += row_.text;
    }
    keep_row(weight, label, begin, row_.line);
  }

  /// False when the row is lost.
  bool careful_value(std::size_t field, double& value) {
    const Cell cell = read_cell(row_[field]);
    value = cell.value;
    if (cell.kind == Cell::Kind::number || cell.kind == Cell::Kind::missing) return true;
    const auto kind = cell.kind == Cell::Kind::out_of_range ? CsvFault::Kind::out_of_range
                      : has_decimal_comma(row_[field])      ? CsvFault::Kind::decimal_comma
                                                            : CsvFault::Kind::not_a_number;
    const bool lost = layout_.on_error != OnError::missing;
    add_fault(kind, row_.line, lost, [&] {
      return "column " + in_quotes(layout_.names[field]) + ": " + in_quotes(row_[field]) +
             (kind == CsvFault::Kind::out_of_range ? " is out of the range of numbers"
                                                   : " is not a number");
    });
    return !lost;
  }

  /// The number of a cell's level; false where it has none.
  bool level(std::string_view cell, std::size_t column, double& value) {
    const std::string_view text = without_spaces_around(cell);
    if (layout_.collect_levels) {
      texts_[column] = text;
      return true;
    }
    if (const auto number = layout_.levels[column].find(text)) {
      value = static_cast<double>(static_cast<std::int64_t>(*number));
      return true;
    }
    value = std::numeric_limits<double>::quiet_NaN();
    return is_missing(text);
  }

  /// False when the row is lost.
  bool careful_level(std::size_t field, std::size_t column, double& value) {
    if (level(row_[field], column, value)) return true;
    if (layout_.model_levels) {
      add_level(column, level_in(row_[field]));
      return true;
    }
    const bool lost = layout_.on_error != OnError::missing;
    add_fault(CsvFault::Kind::not_a_level, row_.line, lost, [&] {
      Message said = "column " + in_quotes(layout_.names[field]) + ": " + in_quotes(row_[field]) +
                     " is none of its levels";
      if (layout_.on_error == OnError::stop)
        said.advise(
                level_advice(layout_.names[field], layout_.levels[column], level_in(row_[field])))
            .advise("use " + option("on_error", "missing") + " to treat it as missing");
      return said;
    });
    return !lost;
  }

  void add_level(std::size_t column, std::string_view text) {
    part_.levels.push_back({.row = static_cast<std::uint32_t>(part_.rows),
                            .column = static_cast<std::uint32_t>(column),
                            .text = std::string(text)});
  }

  /// A row that has all its fields, before anything of it is refused: its levels, and whether a sequence begins.
  void see_row(std::string_view sequence) {
    for (std::size_t column = 0; column < texts_.size(); ++column) {
      const bool known = !layout_.levels[column].names().empty();
      const std::string_view text = known ? std::string_view() : level_in(texts_[column]);
      if (!text.empty() && collected_[column].add(text)) add_level(column, text);
    }
    if (!layout_.sequences) return;
    CsvMarks& marks = part_.marks;
    sequence = without_spaces_around(sequence);
    if (!marks.any) {
      marks.first = marks.last = sequence;
      marks.any = true;
    } else if (marks.last != sequence) {
      marks.last = sequence;
      marks.open = true;
    }
  }

  void see_careful_row() {
    std::string_view sequence;
    for (std::size_t j = 0; j < layout_.fields.size(); ++j) {
      if (layout_.fields[j].use == CsvLayout::Use::sequence) sequence = row_[j];
      if (layout_.fields[j].use == CsvLayout::Use::level && layout_.collect_levels)
        texts_[layout_.fields[j].column] = row_[j];
    }
    see_row(sequence);
  }

  void keep_row(double weight, std::string_view label, const char* begin, std::uint64_t line) {
    part_.starts.push_back(static_cast<std::uint32_t>(begin - begin_));
    part_.at_line.push_back(static_cast<std::uint32_t>(line));
    if (layout_.weight) part_.weights.push_back(weight);
    if (layout_.label) {
      part_.label_text += label;
      part_.label_ends.push_back(static_cast<std::uint32_t>(part_.label_text.size()));
    }
    if (layout_.sequences) {
      part_.marks.rows.push_back(part_.marks.open ? 1 : 0);
      part_.marks.open = false;
    }
    ++part_.rows;
  }

  template <class Words>
  void lose_row(CsvFault::Kind kind, const Words& message) {
    add_fault(kind, row_.line, true, message);
  }

  void end_with(const CsvRowError& error) {
    part_.failed = true;
    add_fault(CsvFault::Kind::not_a_row, error.line, true, [&] { return error.reason; });
  }

  template <class Words>
  void add_fault(CsvFault::Kind kind, std::uint64_t line, bool row_lost, const Words& message) {
    if (layout_.on_error == OnError::stop) part_.failed = true;
    // Of all the faults of a table the first few are shown; one that ends it is always shown.
    if (part_.faults.size() < Faults::shown || part_.failed) part_.messages.push_back(message());
    part_.faults.push_back({.row = static_cast<std::uint32_t>(part_.rows),
                            .line = static_cast<std::uint32_t>(line),
                            .kind = kind,
                            .row_lost = row_lost});
  }

  void forget_faults(std::size_t before) {
    part_.faults.resize(std::min(before, part_.faults.size()));
    part_.messages.resize(std::min(before, part_.messages.size()));
  }

  const CsvLayout& layout_;
  CsvPart& part_;
  CsvFields fields_;
  const char* begin_;
  CsvSyntax syntax_;
  CsvRows rows_;
  CsvRow row_;
  std::vector<std::string_view> texts_;  // of the row's levels, to be collected
  std::vector<Dictionary> collected_;
};

}  // namespace

std::string_view CsvFault::words() const {
  switch (kind) {
    case Kind::not_a_number:
      return "not a number";
    case Kind::decimal_comma:
      return "decimal comma";
    case Kind::out_of_range:
      return "out of the range of numbers";
    case Kind::not_a_weight:
      return "not a weight";
    case Kind::not_a_label:
      return "not a label";
    case Kind::not_a_level:
      return "not a known level";
    case Kind::wrong_width:
      return "wrong number of fields";
    case Kind::not_a_row:
      return "not a row";
  }
  return "";
}

Message CsvFault::advice() const {
  switch (kind) {
    case Kind::not_a_number:
    case Kind::out_of_range:
      return "use " + option("on_error", "missing") + " to treat it as missing";
    case Kind::decimal_comma:
      return "a decimal comma is not read: write a point, or use " + option("on_error", "missing") +
             " to treat it as missing";
    case Kind::not_a_weight:
      return "correct the cell, or use " + option("on_error", "skip") + " to leave the row out";
    case Kind::wrong_width:
      return "use " + option("on_error", "skip") + " to leave such rows out";
    case Kind::not_a_label:
    case Kind::not_a_level:
    case Kind::not_a_row:
      return {};  // the reason says more
  }
  return {};
}

std::string wrong_width(std::size_t fields, const CsvLayout& layout) {
  return std::to_string(fields) + (fields == 1 ? " field" : " fields") + ", expected " +
         std::to_string(layout.fields.size()) + " as in the " +
         (layout.has_header ? "header" : "first row");
}

void parse_chunk(const CsvChunk& chunk, const CsvLayout& layout, CsvPart& part) {
  part.file = chunk.file;
  part.delimiter = chunk.syntax.delimiter;
  part.offset = chunk.offset;
  part.taken = chunk.taken;
  part.bytes = chunk.text().size();
  part.line = chunk.line;
  part.rows = 0;
  part.failed = false;
  for (auto* numbers : {&part.starts, &part.at_line, &part.label_ends, &part.raw_ends})
    numbers->clear();
  part.weights.clear();
  part.label_text.clear();
  part.raw_text.clear();
  part.faults.clear();
  part.messages.clear();
  part.levels.clear();
  part.marks.rows.clear();
  part.marks.open = part.marks.any = false;
  Parser(chunk, layout, part).run();
}

}  // namespace thalweg
