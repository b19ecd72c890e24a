// Goes from file to file, takes the headers off and makes sure that they agree.
#include "csv_reader.hpp"

#include "cell.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/data/schema.hpp>
#include <thalweg/sources/table_source.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {
namespace {

// Places in a chunk are kept in 32 bits.
constexpr std::size_t longest = std::size_t{1} << 30U;

bool looks_like_data(const CsvRow& row) {
  for (std::size_t j = 0; j < row.size(); ++j)
    if (read_cell(row[j]).kind == Cell::Kind::text) return false;
  return true;
}

std::vector<std::string> names_in(const CsvRow& header) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < header.size(); ++j) {
    const std::string_view name = without_spaces_around(header[j]);
    names.push_back(name.empty() ? "c" + std::to_string(j) : std::string(name));
  }
  return names;
}

CsvChunkOptions chunk_options(const TableOptions& options) {
  return {.delimiter = options.delimiter,
          .row_bytes = std::min(options.row_bytes, longest),
          .chunk_bytes = std::min(options.chunk_bytes, longest)};
}

}  // namespace

CsvReader::CsvReader(const std::vector<std::string>& files, const TableOptions& options)
    : chunks_(chunk_options(options)), stop_(options.stop) {
  if (std::count(files.begin(), files.end(), "-") > 1)
    throw UsageError("standard input is named twice, but can be read only once");
  for (const std::string& file : files) inputs_.push_back(find_input(file, options.follow));
  if (inputs_.empty()) inputs_.push_back(find_input("-", options.follow));
  // A thread that waits for a pipe has to hear when nobody waits for it.
  if (options.threads > 1)
    stop_ = [this, stop = options.stop] { return given_up_ || (stop && stop()); };
  begin(options);
}

CsvReader::CsvReader(std::istream& in, const std::string& name, const TableOptions& options)
    : inputs_{{.path = {}, .name = printable(name), .size = {}}},
      stream_(&in),
      chunks_(chunk_options(options)) {
  begin(options);
}

void CsvReader::begin(const TableOptions& options) {
  constexpr std::string_view impossible = "\"\r\n0123456789+-.eE";
  if (options.delimiter && impossible.find(*options.delimiter) != std::string_view::npos)
    throw UsageError("a quote, a line end or a part of numbers cannot be the delimiter");
  header_ = options.header;
  open(0);
  CsvChunk chunk;
  if (!read(chunk)) throw ReadStopped();
  ahead_.push_back(std::move(chunk));
}

void CsvReader::open(std::size_t file, std::uint64_t offset, std::optional<char> delimiter,
                     std::optional<std::uint64_t> end) {
  const Input& input = inputs_[file];
  CsvChunkOptions options = chunks_;
  if (delimiter) options.delimiter = delimiter;
  if (!options.delimiter && input.path.ends_with(".tsv")) options.delimiter = '\t';
  auto bytes = stream_ ? stream_bytes(*stream_) : open_bytes(input, stop_, offset);
  if (end) bytes = first_bytes(std::move(bytes), *end - offset);
  chunker_.emplace(std::move(bytes), options, offset);
  delimiters_.resize(inputs_.size());
  delimiters_[file] = chunker_->delimiter();
  file_ = file;
  fresh_ = true;
  line_ = 1;
}

bool CsvReader::next(CsvChunk& chunk) {
  if (ahead_.empty()) return read(chunk);
  std::swap(chunk, ahead_.front());
  ahead_.pop_front();
  return true;
}

bool CsvReader::ended() const {
  return ahead_.empty() && chunker_->ended() && (in_part_ || file_ + 1 == inputs_.size());
}

bool CsvReader::read(CsvChunk& chunk) {
  for (;;) {
    if (chunker_->next(chunk)) {
      chunk.file = file_;
      chunk.line = std::exchange(line_, 0);
      if (!fresh_ || begin_file(chunk)) return true;
      continue;
    }
    if (fresh_ && !chunker_->stopped()) {
      const bool header = names_.empty() ? header_.value_or(true) : has_header_;
      throw Error(inputs_[file_].name + ": empty, expected " +
                  (header ? "a header line and " : "") + "rows");
    }
    if (chunker_->stopped() || in_part_ || file_ + 1 == inputs_.size()) return false;
    open(file_ + 1);
  }
}

/// Takes the header off the file's first chunk. False when the chunk holds blank lines only.
bool CsvReader::begin_file(CsvChunk& chunk) {
  CsvRows rows(chunk.text(), chunk.syntax, chunk.line);
  CsvRow first;
  try {
    if (!rows.next(first)) {
      line_ = rows.line();
      return false;
    }
  } catch (const CsvRowError& error) {
    throw Error(place(file_, error.line) + ": " + error.reason);
  }
  fresh_ = false;
  if (names_.empty()) {
    has_header_ = header_.value_or(!looks_like_data(first));
    names_ = has_header_ ? names_in(first) : Schema::numbered(first.size()).columns;
  } else if (has_header_) {
    check_header(first);
  }
  if (!has_header_) return true;
  const auto used = static_cast<std::size_t>(rows.at() - chunk.text().data());
  chunk.begin += used;
  chunk.offset += used;
  chunk.line = rows.line();
  return true;
}

void CsvReader::check_header(const CsvRow& row) const {
  const std::vector<std::string> names = names_in(row);
  if (names == names_) return;
  const auto fail = [&](const std::string& what) {
    throw Error(place(file_, row.line) + ": header with " + what +
                " (files read together need the same columns)");
  };
  if (names.size() != names_.size())
    fail(std::to_string(names.size()) + " columns, expected the " + std::to_string(names_.size()) +
         " of " + first_name());
  const auto [mine, theirs] = std::mismatch(names.begin(), names.end(), names_.begin());
  fail("column " + in_quotes(*mine) + ", expected " + in_quotes(*theirs) + " as in " +
       first_name());
}

void CsvReader::look_ahead(const std::function<bool(const CsvRow&)>& use) {
  CsvRow row;
  std::uint64_t line = 0;
  for (std::size_t i = 0;; ++i) {
    if (i == ahead_.size()) {
      CsvChunk chunk;
      if (!read(chunk)) return;
      ahead_.push_back(std::move(chunk));
    }
    const CsvChunk& chunk = ahead_[i];
    if (chunk.line > 0) line = chunk.line;
    CsvRows rows(chunk.text(), chunk.syntax, line);
    try {
      while (rows.next(row))
        if (!use(row)) return;
    } catch (const CsvRowError& error) {
      throw Error(place(chunk.file, error.line) + ": " + error.reason);
    }
    line = rows.line();
  }
}

bool CsvReader::rewindable() const {
  return std::all_of(inputs_.begin(), inputs_.end(),
                     [](const Input& input) { return input.rewindable; });
}

bool CsvReader::seekable() const {
  return std::all_of(inputs_.begin(), inputs_.end(), [](const Input& input) {
    return input.rewindable && input.size && !input.compressed;
  });
}

void CsvReader::rewind() {
  ahead_.clear();
  in_part_ = false;
  given_up_ = false;
  open(0);
}

void CsvReader::go_to(std::size_t file, std::uint64_t offset, std::uint64_t line, char delimiter) {
  ahead_.clear();
  in_part_ = false;
  given_up_ = false;
  open(file, offset, delimiter);
  fresh_ = false;
  line_ = line;
}

char CsvReader::delimiter_of(std::size_t file) {
  if (!delimiters_[file]) open(file);
  return *delimiters_[file];
}

void CsvReader::go_to(const CsvStretches::Part& part) {
  ahead_.clear();
  in_part_ = true;
  given_up_ = false;
  open(part.file, part.begin.offset, delimiter_of(part.file), part.end);
  fresh_ = part.begin.offset == 0;
  line_ = part.begin.line;
}

std::string CsvReader::place(std::size_t file, std::uint64_t line) const {
  return inputs_[file].name + ":" + std::to_string(line);
}

}  // namespace thalweg
