#include "cell.hpp"
#include "csv_columns.hpp"
#include "csv_reader.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/csv.hpp>

#include <limits>
#include <utility>

namespace thalweg {
namespace {

// A block ends when its text is this long: however wide the rows are, memory stays bounded.
constexpr std::size_t block_bytes = 1U << 23U;

[[noreturn]] void refuse(const CsvReader& reader, const CsvRow& row, std::size_t field,
                         Cell::Kind kind) {
  throw Error(reader.place(row.file, row.line) + ": column " + in_quotes(reader.names()[field]) +
              ": " + in_quotes(row[field]) +
              (kind == Cell::Kind::text ? " is not a number" : " is out of the range of numbers") +
              " (pick other columns with --columns, or correct the cell)");
}

double number_in(const CsvReader& reader, const CsvRow& row, std::size_t field) {
  const Cell cell = read_cell(row[field]);
  if (cell.kind != Cell::Kind::number && cell.kind != Cell::Kind::missing)
    refuse(reader, row, field, cell.kind);
  return cell.value;
}

double weight_in(const CsvReader& reader, const CsvRow& row, std::size_t field) {
  const Cell cell = read_cell(row[field]);
  if (cell.kind != Cell::Kind::number || cell.value < 0)
    throw Error(reader.place(row.file, row.line) + ": weight column " +
                in_quotes(reader.names()[field]) + ": " + in_quotes(row[field]) +
                " is not a weight, expected a number from 0 on (correct the cell)");
  return cell.value;
}

double label_in(const CsvReader& reader, const CsvRow& row, std::size_t field, Labels& labels) {
  if (read_cell(row[field]).kind == Cell::Kind::missing)
    return std::numeric_limits<double>::quiet_NaN();
  try {
    return static_cast<double>(labels.component(without_spaces_around(row[field])));
  } catch (const Error& error) {
    throw Error(reader.place(row.file, row.line) + ": label column " +
                in_quotes(reader.names()[field]) + ": " + in_quotes(row[field]) + " " +
                error.what());
  }
}

}  // namespace

CsvSource::CsvSource(const std::vector<std::string>& files, const TableOptions& options) try
    : CsvSource(std::make_unique<CsvReader>(files, options), options) {
} catch (const ReadStopped&) {
  throw Error("interrupted before the first row was read");
}

CsvSource::CsvSource(std::istream& in, const TableOptions& options, const std::string& name)
    : CsvSource(std::make_unique<CsvReader>(in, name, options), options) {}

CsvSource::CsvSource(std::unique_ptr<CsvReader> reader, TableOptions options)
    : options_(std::move(options)), reader_(std::move(reader)), labels_(options_.labels) {
  if (options_.block_rows == 0) throw UsageError("a block needs at least one row");
  CsvColumns columns = choose_columns(*reader_, options_);
  for (const std::size_t field : columns.data) schema_.columns.push_back(reader_->names()[field]);
  fields_ = std::move(columns.data);
  weight_ = columns.weight;
  label_ = columns.label;
  text_columns_ = std::move(columns.text);
}

CsvSource::CsvSource(CsvSource&&) noexcept = default;
CsvSource& CsvSource::operator=(CsvSource&&) noexcept = default;
CsvSource::~CsvSource() = default;

/// The next row. One that was called off while it was being read is as if the input had ended before it.
const CsvRow* CsvSource::next_row() {
  if (stopped_) return nullptr;
  try {
    return reader_->next();
  } catch (const ReadStopped&) {
    stopped_ = true;
    return nullptr;
  }
}

bool CsvSource::next(Block& block) {
  const CsvRow* row = next_row();
  if (!row) return false;
  read_ += places_.size();
  values_.clear();
  weights_.clear();
  known_.clear();
  places_.clear();
  text_.clear();
  std::size_t bytes = 0;
  for (; row; row = next_row()) {
    for (const std::size_t field : fields_) values_.push_back(number_in(*reader_, *row, field));
    if (weight_) weights_.push_back(weight_in(*reader_, *row, *weight_));
    if (label_) known_.push_back(label_in(*reader_, *row, *label_, labels_));
    if (options_.keep_text) text_.push_back(row->fields());
    places_.push_back({row->file, row->line});
    bytes += row->bytes();
    if (places_.size() == options_.block_rows || bytes >= block_bytes || reader_->idle()) break;
  }
  block = dense_block(values_.data(), places_.size(), fields_.size());
  if (weight_) block.side.weight = weights_.data();
  if (label_) block.side.label = known_.data();
  block.first = read_;
  return true;
}

bool CsvSource::rewind() {
  if (!reader_->rewind()) return false;
  read_ = 0;
  places_.clear();
  return true;
}

std::optional<double> CsvSource::share_read() const { return reader_->share_read(); }

std::string CsvSource::where(std::uint64_t row) const {
  if (row < read_ || row - read_ >= places_.size()) return Source::where(row);
  const Place& place = places_[static_cast<std::size_t>(row - read_)];
  return reader_->place(place.file, place.line);
}

bool CsvSource::has_header() const { return reader_->has_header(); }

const std::vector<std::string>& CsvSource::raw_header() const { return reader_->names(); }

CsvSource csv(const std::string& file, const TableOptions& options) {
  return CsvSource(std::vector{file}, options);
}

}  // namespace thalweg
