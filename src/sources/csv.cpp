// Puts the parts of a text table together again: blocks as windows on them, faults and labels in file order.
#include "cell.hpp"
#include "csv_columns.hpp"
#include "csv_parts.hpp"
#include "csv_position.hpp"
#include "level_search.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/csv.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace thalweg {

/// A block is a window on the current part, without a copy.
struct CsvSource::State {
  State(std::unique_ptr<CsvReader> from, TableOptions given);

  bool take_rows();
  void settle_rows();
  void join_marks();
  void pass_mark_on(std::size_t row, bool lost);
  void label_rows();
  double label_of(std::size_t row);
  void close_gaps();
  void tell_faults(std::size_t last_row);
  void tell(std::size_t fault);
  void number_by_places(Block& block);
  void forget_rows();

  std::size_t row(std::size_t t) const { return gaps ? left[t] : begin + t; }  // in the part
  std::string place(std::uint64_t at) const { return reader->place(part.file, line + at); }

  TableOptions options;
  std::unique_ptr<CsvReader> reader;
  Labels labels;
  Schema schema;
  std::vector<std::string> text_columns;
  std::unique_ptr<CsvParts> parts;  // its threads end before the reader

  CsvPart part;                   // the current one
  std::uint64_t line = 1;         // on which it begins
  std::size_t begin = 0;          // the block's first row in the part
  std::size_t used = 0;           // behind the block's last row
  std::size_t told = 0;           // faults of the part that were counted
  std::size_t told_levels = 0;    // unknown levels of the part that were counted
  bool sequence_open = true;      // the next row that is kept begins a sequence
  std::string sequence;           // of the last row of the part before
  std::size_t sequence_file = 0;  // where that was
  bool mark_waits = false;        // of a row that its label lost, for the next one
  bool gaps = false;              // some rows of the block were lost by their labels
  std::vector<std::size_t> left;  // the others, then
  std::vector<double> known;      // components by label
  std::uint64_t first = 0;        // of the block
  std::size_t count = 0;          // rows of the block
  bool ended = false;

  Faults faults;
  UnknownLevels unknown;
  bool in_stretch = false;  // rows are numbered by their places in the files then
  std::optional<CsvStretches> stretches;
  std::vector<std::uint64_t> numbers;
  bool faults_complete = false;  // the input was read to its end: a second pass adds none
  mutable std::vector<std::string> fields;
};

CsvSource::State::State(std::unique_ptr<CsvReader> from, TableOptions given)
    : options(std::move(given)), reader(std::move(from)), labels(options.labels) {
  if (options.block_rows == 0) throw UsageError("a block needs at least one row");
  CsvColumns columns = choose_columns(*reader, options);
  for (const std::size_t field : columns.layout.values)
    schema.columns.push_back(reader->names()[field]);
  schema.levels = levels_of(columns.layout.levels);
  text_columns = std::move(columns.text);
  parts = std::make_unique<CsvParts>(*reader, std::move(columns.layout), options.threads);
}

/// The rows behind the current block; false at the end, which leaves the last block as it is.
bool CsvSource::State::take_rows() {
  while (used == part.rows) {
    tell_faults(part.rows);
    const std::uint64_t next_line = line + part.lines;
    if (!parts->next(part)) {
      ended = true;
      faults_complete = faults_complete || !in_stretch;
      return false;
    }
    line = part.line > 0 ? part.line : next_line;
    used = told = told_levels = 0;
    join_marks();
  }
  first += count;
  begin = used;
  used += std::min(options.block_rows, part.rows - used);
  settle_rows();
  // A block that stays short because of a mistake is not given.
  if (part.failed && used == part.rows && used - begin < options.block_rows) tell_faults(used);
  return true;
}

/// What only those can tell who know the part before: whether its first row begins a sequence.
void CsvSource::State::join_marks() {
  CsvMarks& marks = part.marks;
  if (!parts->layout().sequences) return;
  sequence_open =
      sequence_open || part.file != sequence_file || (marks.any && marks.first != sequence);
  sequence_file = part.file;
  if (marks.any) sequence = marks.last;
  if (part.rows > 0) {
    if (sequence_open) marks.rows.front() = 1;
    sequence_open = false;
  }
  sequence_open = sequence_open || marks.open;  // behind the last row: for the next part
}

void CsvSource::State::pass_mark_on(std::size_t row, bool lost) {
  if (!parts->layout().sequences) return;
  std::uint8_t& mark = part.marks.rows[row];
  if (mark_waits) mark = 1;
  mark_waits = lost && mark != 0;
}

/// Faults and labels of the block, in file order.
void CsvSource::State::settle_rows() {
  gaps = false;
  if (parts->layout().label) {
    label_rows();
  } else {
    tell_faults(used - 1);
  }
  count = gaps ? left.size() : used - begin;
}

void CsvSource::State::label_rows() {
  known.clear();
  for (std::size_t t = begin; t < used; ++t) {
    tell_faults(t);
    try {
      known.push_back(label_of(t));
    } catch (const Error& error) {
      const CsvFault fault{
          .row = 0, .line = 0, .kind = CsvFault::Kind::not_a_label, .row_lost = true};
      const Message what = place(part.at_line[t]) + ": label column " +
                           in_quotes(options.label_column) + ": " + in_quotes(part.label(t)) + " " +
                           error.message();
      if (options.on_error == OnError::stop) throw Error(what);
      if (!faults_complete) faults.add(std::string(fault.words()), what.text(), true);
      pass_mark_on(t, true);
      if (!gaps) {
        left.resize(t - begin);
        std::iota(left.begin(), left.end(), begin);
        gaps = true;
      }
      continue;
    }
    pass_mark_on(t, false);
    if (gaps) left.push_back(t);
  }
  if (gaps) close_gaps();
}

double CsvSource::State::label_of(std::size_t row) {
  const std::string_view text = part.label(row);
  if (read_cell(text).kind == Cell::Kind::missing) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(labels.component(without_spaces_around(text)));
}

void CsvSource::State::close_gaps() {
  const std::size_t width = schema.width();
  for (std::size_t t = 0; t < left.size(); ++t) {
    const std::size_t from = left[t];
    std::copy_n(part.values.begin() + static_cast<std::ptrdiff_t>(from * width), width,
                part.values.begin() + static_cast<std::ptrdiff_t>((begin + t) * width));
    if (parts->layout().weight) part.weights[begin + t] = part.weights[from];
    if (parts->layout().sequences) part.marks.rows[begin + t] = part.marks.rows[from];
  }
}

/// Those that lie before the end of a row of the part.
void CsvSource::State::tell_faults(std::size_t last_row) {
  while (told < part.faults.size() && part.faults[told].row <= last_row) tell(told++);
  for (; told_levels < part.levels.size() && part.levels[told_levels].row <= last_row;
       ++told_levels)
    if (const CsvLevel& level = part.levels[told_levels]; !faults_complete)
      unknown.add(schema.columns[level.column], level.text);
}

void CsvSource::State::tell(std::size_t fault) {
  const CsvFault& found = part.faults[fault];
  if (part.failed && fault + 1 == part.faults.size()) {
    told = fault;  // it stays in the way
    Message what = place(found.line) + ": " + part.messages.back();
    if (Message way = found.advice(); !way.empty()) what.advise(std::move(way));
    throw Error(std::move(what));
  }
  if (faults_complete) return;
  faults.add(
      std::string(found.words()),
      fault < part.messages.size() ? place(found.line) + ": " + part.messages[fault].text() : "",
      found.row_lost);
}

void CsvSource::State::number_by_places(Block& block) {
  std::uint64_t before = part.offset;
  for (std::size_t file = 0; file < part.file; ++file)
    before += reader->inputs()[file].size.value_or(0);
  numbers.clear();
  for (std::size_t t = 0; t < count; ++t) numbers.push_back(before + part.starts[row(t)]);
  block.first = numbers.front();
  block.numbers = numbers.data();
}

void CsvSource::State::forget_rows() {
  parts->stop();
  part = {};
  line = 1;
  begin = used = told = told_levels = count = 0;
  sequence_open = true;
  mark_waits = false;
  gaps = ended = in_stretch = false;
  first = 0;
}

CsvSource::CsvSource(const std::vector<std::string>& files, const TableOptions& options) try
    : CsvSource(std::make_unique<State>(std::make_unique<CsvReader>(files, options), options)) {
} catch (const ReadStopped&) {
  throw Error("interrupted before the first row was read");
}

CsvSource::CsvSource(std::istream& in, const TableOptions& options, const std::string& name)
    : CsvSource(std::make_unique<State>(std::make_unique<CsvReader>(in, name, options), options)) {}

CsvSource::CsvSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
CsvSource::CsvSource(CsvSource&&) noexcept = default;
CsvSource& CsvSource::operator=(CsvSource&&) noexcept = default;
CsvSource::~CsvSource() = default;

bool CsvSource::next(Block& block) {
  State& s = *state_;
  do {
    if (s.ended || !s.take_rows()) return false;
  } while (s.count == 0);
  const std::size_t width = s.schema.width();
  block = dense_block(s.part.values.data() + s.begin * width, s.count, width);
  if (s.parts->layout().weight) block.side.weight = s.part.weights.data() + s.begin;
  if (s.parts->layout().label) block.side.label = s.known.data();
  if (s.parts->layout().sequences) block.side.unit_start = s.part.marks.rows.data() + s.begin;
  block.number_from(s.first);
  if (s.in_stretch) s.number_by_places(block);
  return true;
}

bool CsvSource::rewind() {
  if (!state_->reader->rewindable()) return false;
  state_->forget_rows();
  state_->reader->rewind();
  if (!state_->faults_complete) {
    state_->faults = {};
    state_->unknown = {};
  }
  return true;
}

std::optional<double> CsvSource::share_read() const {
  const State& s = *state_;
  double before = 0;
  double total = 0;
  for (std::size_t i = 0; i < s.reader->inputs().size(); ++i) {
    const auto& size = s.reader->inputs()[i].size;
    if (!size) return std::nullopt;
    if (i < s.part.file) before += static_cast<double>(*size);
    total += static_cast<double>(*size);
  }
  if (total == 0) return std::nullopt;
  const double share =
      s.part.rows == 0 ? 1.0 : static_cast<double>(s.used) / static_cast<double>(s.part.rows);
  const bool packed = s.reader->inputs()[s.part.file].compressed;
  const double here =
      packed ? static_cast<double>(s.part.taken)
             : static_cast<double>(s.part.offset) + share * static_cast<double>(s.part.bytes);
  return std::min((before + here) / total, 1.0);
}

std::string CsvSource::where(std::uint64_t row) const {
  const State& s = *state_;
  if (s.in_stretch) return s.stretches ? s.stretches->where(row) : Source::where(row);
  if (row < s.first || row - s.first >= s.count) return Source::where(row);
  return s.place(s.part.at_line[s.row(static_cast<std::size_t>(row - s.first))]);
}

bool CsvSource::save_position(Archive& archive) const {
  const State& s = *state_;
  const bool started = s.used > 0;
  if (!s.reader->seekable() || (s.first + s.count > 0 && !started && !s.ended)) return false;
  CsvPosition position{.started = started, .ended = s.ended, .rows = s.first + s.count};
  if (started) {
    // The last row that was given: with it the next ones are found, whatever lies between.
    position.file = s.part.file;
    position.offset = s.part.offset + s.part.starts[s.used - 1];
    position.line = s.line + s.part.at_line[s.used - 1];
    position.delimiter = s.part.delimiter;
  }
  position.save(s.reader->inputs(), archive);
  archive.put("csv/faults_complete", std::uint64_t{s.faults_complete});
  s.labels.save(archive);
  s.faults.save(archive);
  if (s.schema.has_categories()) s.unknown.save(archive);
  if (s.parts->layout().sequences) archive.put("csv/mark_waits", std::uint64_t{s.mark_waits});
  return true;
}

void CsvSource::load_position(const Archive& archive) {
  State& s = *state_;
  const CsvPosition position = CsvPosition::load(s.reader->inputs(), archive);
  s.forget_rows();
  s.labels.load(archive);
  s.faults.load(archive);
  s.faults_complete = archive.count("csv/faults_complete") != 0;
  if (position.started) {
    s.reader->go_to(position.file, position.offset, position.line, position.delimiter);
    if (!s.parts->next(s.part) || s.part.rows == 0)
      throw Error(s.reader->inputs()[position.file].name +
                  ": the row that the checkpoint ended with cannot be read again");
    s.line = position.line;
    s.used = s.count = 1;
    s.join_marks();
    while (s.told_levels < s.part.levels.size() && s.part.levels[s.told_levels].row == 0)
      ++s.told_levels;
    while (s.told < s.part.faults.size() && s.part.faults[s.told].row == 0) ++s.told;
  } else {
    s.reader->rewind();
  }
  if (s.schema.has_categories()) s.unknown.load(archive);
  if (s.parts->layout().sequences) s.mark_waits = archive.count("csv/mark_waits") != 0;
  s.first = position.rows - s.count;
  s.ended = position.ended;
}

std::uint64_t CsvSource::stretches(std::uint64_t bytes) const {
  const State& s = *state_;
  const CsvLayout& layout = s.parts->layout();
  const auto named = [](const Input& input) { return input.path != "-"; };
  const bool reachable = s.reader->seekable() && !s.options.follow &&
                         std::all_of(s.reader->inputs().begin(), s.reader->inputs().end(), named);
  if (!reachable || layout.label || layout.sequences) return 0;
  return CsvStretches::count(s.reader->inputs(), bytes);
}

void CsvSource::go_to_stretch(const Stretch& stretch) {
  State& s = *state_;
  s.forget_rows();
  s.in_stretch = true;
  const auto& inputs = s.reader->inputs();
  if (!stretch.look && (!s.stretches || s.stretches->bytes() != stretch.bytes)) {
    const auto delimiter = [&s](std::size_t file) { return s.reader->delimiter_of(file); };
    s.stretches.emplace(inputs, stretch.bytes, delimiter, s.options.stop);
  }
  s.reader->go_to(stretch.look ? CsvStretches::near(inputs, stretch.number, stretch.bytes)
                               : s.stretches->part(stretch.number));
}

const Schema& CsvSource::schema() const { return state_->schema; }
bool CsvSource::has_header() const { return state_->reader->has_header(); }
bool CsvSource::header_detected() const { return !state_->options.header; }
const std::vector<std::string>& CsvSource::text_columns() const { return state_->text_columns; }
const std::vector<std::string>& CsvSource::label_names() const { return state_->labels.names(); }
const std::vector<std::string>& CsvSource::raw_header() const { return state_->reader->names(); }
const Faults& CsvSource::faults() const { return state_->faults; }
const UnknownLevels& CsvSource::unknown_levels() const { return state_->unknown; }
bool CsvSource::has_sequences() const { return state_->parts->layout().sequences; }

std::string_view CsvSource::raw(std::size_t row_in_block, std::size_t field) const {
  const State& s = *state_;
  return s.part.raw(s.row(row_in_block) * s.reader->names().size() + field);
}

const std::vector<std::string>& CsvSource::raw(std::size_t row_in_block) const {
  state_->fields.clear();
  for (std::size_t j = 0; j < state_->reader->names().size(); ++j)
    state_->fields.emplace_back(raw(row_in_block, j));
  return state_->fields;
}

CsvSource csv(const std::string& file, const TableOptions& options) {
  return CsvSource(std::vector{file}, options);
}

}  // namespace thalweg
