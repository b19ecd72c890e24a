#include "csv_reader.hpp"

#include "cell.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/csv.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {
namespace {

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

}  // namespace

CsvReader::CsvReader(const std::vector<std::string>& files, const TableOptions& options)
    : delimiter_(options.delimiter), row_bytes_(options.row_bytes), stop_(options.stop) {
  if (std::count(files.begin(), files.end(), "-") > 1)
    throw UsageError("standard input is named twice, but can be read only once");
  for (const std::string& file : files) inputs_.push_back(find_input(file, options.follow));
  if (inputs_.empty()) inputs_.push_back(find_input("-", options.follow));
  begin(options);
}

CsvReader::CsvReader(std::istream& in, const std::string& name, const TableOptions& options)
    : inputs_{{.path = {}, .name = printable(name), .size = {}}},
      stream_(&in),
      delimiter_(options.delimiter),
      row_bytes_(options.row_bytes),
      stop_(options.stop) {
  begin(options);
}

void CsvReader::begin(const TableOptions& options) {
  if (delimiter_ && std::string_view("\"\r\n").find(*delimiter_) != std::string_view::npos)
    throw UsageError("a quote or a line end cannot be the delimiter");
  open(0);
  CsvRow first;
  if (!splitter_->next(first)) refuse_empty(options.header.value_or(true));
  fresh_ = false;
  has_header_ = options.header.value_or(!looks_like_data(first));
  if (has_header_) {
    names_ = names_in(first);
  } else {
    names_ = Schema::numbered(first.size()).columns;
    ahead_.push_back(std::move(first));
  }
}

void CsvReader::open(std::size_t file) {
  const Input& input = inputs_[file];
  const char usual = input.path.ends_with(".tsv") ? '\t' : ',';
  splitter_.emplace(stream_ ? stream_bytes(*stream_) : open_bytes(input, stop_), input.name,
                    delimiter_.value_or(usual), row_bytes_);
  file_ = file;
  fresh_ = true;
}

bool CsvReader::read(CsvRow& row) {
  for (;;) {
    if (!splitter_->next(row)) {
      if (fresh_) refuse_empty(has_header_);
      if (file_ + 1 == inputs_.size()) return false;
      open(file_ + 1);
      continue;
    }
    row.file = file_;
    if (std::exchange(fresh_, false) && has_header_) {
      check_header(row);
      continue;
    }
    check_width(row);
    return true;
  }
}

void CsvReader::refuse_empty(bool header) const {
  throw Error(inputs_[file_].name + ": empty, expected " + (header ? "a header line and " : "") +
              "rows");
}

void CsvReader::check_header(const CsvRow& row) const {
  const std::vector<std::string> names = names_in(row);
  if (names == names_) return;
  const auto fail = [&](const std::string& what) {
    throw Error(place(row.file, row.line) + ": header with " + what +
                " (files read together need the same columns)");
  };
  if (names.size() != names_.size())
    fail(std::to_string(names.size()) + " columns, expected the " + std::to_string(names_.size()) +
         " of " + first_name());
  const auto [mine, theirs] = std::mismatch(names.begin(), names.end(), names_.begin());
  fail("column " + in_quotes(*mine) + ", expected " + in_quotes(*theirs) + " as in " +
       first_name());
}

void CsvReader::check_width(const CsvRow& row) const {
  if (row.size() == names_.size()) return;
  throw Error(place(row.file, row.line) + ": " + std::to_string(row.size()) +
              (row.size() == 1 ? " field" : " fields") + ", expected " +
              std::to_string(names_.size()) + " as in the " +
              (has_header_ ? "header" : "first row"));
}

const CsvRow* CsvReader::look_ahead(std::size_t i) {
  while (ahead_.size() <= i) {
    CsvRow row;
    if (!read(row)) return nullptr;
    ahead_.push_back(std::move(row));
  }
  return &ahead_[i];
}

const CsvRow* CsvReader::next() {
  if (ahead_.empty()) return read(current_) ? &current_ : nullptr;
  current_ = std::move(ahead_.front());
  ahead_.pop_front();
  return &current_;
}

bool CsvReader::rewind() {
  const auto rewindable = [](const Input& input) { return input.rewindable; };
  if (!std::all_of(inputs_.begin(), inputs_.end(), rewindable)) return false;
  ahead_.clear();
  open(0);
  return true;
}

std::optional<double> CsvReader::share_read() const {
  std::uint64_t before = 0;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i].size) return std::nullopt;
    if (i < file_) before += *inputs_[i].size;
    total += *inputs_[i].size;
  }
  if (total == 0) return std::nullopt;
  const auto used = static_cast<double>(
      before + (inputs_[file_].compressed ? splitter_->bytes_taken() : splitter_->bytes_used()));
  return std::min(used / static_cast<double>(total), 1.0);
}

std::string CsvReader::place(std::size_t file, std::uint64_t line) const {
  return inputs_[file].name + ":" + std::to_string(line);
}

}  // namespace thalweg
