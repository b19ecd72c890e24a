// Gives the rows of .npy files in turn: as they lie where that can be, else cell by cell.
#include "npy.hpp"

#include "core/text.hpp"
#include <thalweg/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace thalweg {
namespace {

// Half of a second-level cache: the rows are looked at here and then used, and should come from memory once only.
constexpr std::size_t npy_block_bytes = 1U << 19U;

/// x - x is 0 for every number, and else NaN. Eight sums at a time, so that they become vectors.
bool all_finite(const double* values, std::size_t count) {
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= count; i += sums.size())
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += values[i + j] - values[i + j];
  for (; i < count; ++i) sums[0] += values[i] - values[i];
  return std::accumulate(sums.begin(), sums.end(), 0.0) == 0;
}

bool any_infinite(const double* values, std::size_t count) {
  return !all_finite(values, count) &&
         std::any_of(values, values + count, [](double value) { return std::isinf(value); });
}

}  // namespace

NpySource::NpySource(const std::vector<std::string>& files, const TableOptions& options)
    : PickedTable(options) {
  if (std::count(files.begin(), files.end(), "-") > 1)
    throw UsageError("standard input is named twice, but can be read only once");
  if (options_.follow)
    throw UsageError(option("follow") + " needs lines of text, an npy file says its length");
  for (const std::string& file : files) inputs_.push_back(find_input(file));
  if (inputs_.empty()) inputs_.push_back(find_input("-"));
  try {
    open(0);
  } catch (const ReadStopped&) {
    throw Error("interrupted before the first row was read");
  }
  names_ = Schema::numbered(file_->header().columns).columns;
  pick({.source = inputs_.front().name, .names = names_, .named = false});
  as_they_lie_ = !picked_.weight && !picked_.label && !options_.keep_text &&
                 picked_.data.size() == names_.size() &&
                 std::is_sorted(picked_.data.begin(), picked_.data.end());
}

void NpySource::open(std::size_t file) {
  file_ = std::make_unique<NpyFile>(inputs_[file], options_.stop);
  const NpyHeader& header = file_->header();
  if (file > 0 && header.columns != names_.size())
    throw Error(inputs_[file].name + ": " + std::to_string(header.columns) +
                " columns, expected the " + std::to_string(names_.size()) + " of " +
                inputs_.front().name + " (files read together need the same columns)");
  at_file_ = file;
  at_row_ = 0;
}

std::string NpySource::place(std::size_t file, std::uint64_t row) const {
  return inputs_[file].name + ": row " + std::to_string(row + 1);
}

/// Appends the picked cells of a row; false when a fault was counted and nothing was appended.
bool NpySource::take(const double* row) {
  const std::string here = place(at_file_, at_row_);
  const std::size_t before = values_.size();
  double weight = 1;
  double label = 0;
  bool whole = true;
  for (std::size_t i = 0; i < picked_.data.size() && whole; ++i) {
    double value = row[picked_.data[i]];
    if (std::isinf(value))
      whole = cells_.out_of_range(to_text(value), picked_.data[i], here, value);
    values_.push_back(value);
  }
  if (whole && picked_.weight)
    whole = cells_.weight(to_text(row[*picked_.weight]), *picked_.weight, here, weight);
  if (whole && picked_.label)
    whole = cells_.label(to_text(row[*picked_.label]), *picked_.label, here, label);
  if (!whole) {
    values_.resize(before);
    return false;
  }
  if (picked_.weight) weights_.push_back(weight);
  if (picked_.label) known_.push_back(label);
  if (options_.keep_text) {
    std::vector<std::string>& texts = text_.emplace_back();
    for (std::size_t j = 0; j < names_.size(); ++j)
      texts.push_back(std::isnan(row[j]) ? "" : to_text(row[j]));
  }
  kept_.push_back(at_row_);
  return true;
}

bool NpySource::next(Block& block) {
  while (!stopped_) {
    const std::size_t width = names_.size();
    std::size_t count = std::min(
        options_.block_rows, std::max<std::size_t>(npy_block_bytes / sizeof(double) / width, 1));
    const double* rows = nullptr;
    try {
      if (stretch_end_) {
        if (at_row_ == *stretch_end_) return false;
        count = std::min<std::size_t>(count, *stretch_end_ - at_row_);
      } else if (at_row_ == file_->header().rows) {
        if (at_file_ + 1 == inputs_.size()) return false;
        open(at_file_ + 1);
      }
      rows = file_->rows(at_row_, count);
    } catch (const ReadStopped&) {
      stopped_ = true;
      return false;
    }
    read_ += block_rows_;
    block_file_ = at_file_;
    block_row_ = at_row_;
    kept_.clear();
    if (as_they_lie_ && !any_infinite(rows, count * width)) {
      block = dense_block(rows, count, width);
      at_row_ += count;
      block_rows_ = count;
    } else {
      clear_rows();
      for (std::size_t t = 0; t < count; ++t, ++at_row_) take(rows + t * width);
      block_rows_ = kept_.size();
      block = kept_rows(block_rows_);
    }
    if (stretch_end_) {
      number_in_files(block);
    } else {
      block.number_from(read_);
    }
    if (block_rows_ > 0) return true;
  }
  return false;
}

/// Of rows that do not come in turn.
void NpySource::number_in_files(Block& block) {
  const auto& rows = rows_of_files();
  const auto file = rows.begin() + static_cast<std::ptrdiff_t>(block_file_);
  const std::uint64_t before = std::accumulate(rows.begin(), file, std::uint64_t{0});
  block.number_from(before + block_row_);
  if (kept_.empty()) return;
  numbers_.clear();
  for (const std::uint64_t row : kept_) numbers_.push_back(before + row);
  block.numbers = numbers_.data();
}

bool NpySource::rewind() {
  const auto rewindable = [](const Input& input) { return input.rewindable; };
  if (!std::all_of(inputs_.begin(), inputs_.end(), rewindable)) return false;
  if (at_file_ != 0 || inputs_[0].compressed) open(0);
  at_row_ = 0;
  read_ = 0;
  block_rows_ = 0;
  stretch_end_.reset();
  stopped_ = false;
  rule_.faults() = {};
  return true;
}

std::optional<double> NpySource::share_read() const {
  double total = 0;
  double before = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i].size) return std::nullopt;
    const auto size = static_cast<double>(*inputs_[i].size);
    total += size;
    if (i < at_file_) before += size;
    if (i == at_file_)
      before += size * static_cast<double>(at_row_) / static_cast<double>(file_->header().rows);
  }
  return total > 0 ? std::optional(before / total) : std::nullopt;
}

std::string NpySource::where(std::uint64_t row) const {
  if (stretch_end_) {
    std::size_t file = 0;
    for (; file + 1 < inputs_.size() && row >= rows_of_files()[file]; ++file)
      row -= rows_of_files()[file];
    return place(file, row);
  }
  if (row < read_ || row - read_ >= block_rows_) return Source::where(row);
  const std::uint64_t i = row - read_;
  return place(block_file_, kept_.empty() ? block_row_ + i : kept_[static_cast<std::size_t>(i)]);
}

bool NpySource::save_position(Archive& archive) const {
  const auto direct = [](const Input& input) { return input.rewindable && !input.compressed; };
  if (picked_.label || !std::all_of(inputs_.begin(), inputs_.end(), direct)) return false;
  archive.put("at", std::vector<std::uint64_t>{at_file_, at_row_, read_ + block_rows_});
  faults().save(archive);
  return true;
}

void NpySource::load_position(const Archive& archive) {
  const std::vector<std::uint64_t>& at = archive.counts("at");
  if (at.size() != 3 || at[0] >= inputs_.size())
    throw Error("saved position \"at\" does not fit these inputs");
  open(static_cast<std::size_t>(at[0]));
  if (at[1] > file_->header().rows)
    throw Error(inputs_[at_file_].name + ": shorter than when the position in it was saved");
  at_row_ = at[1];
  read_ = at[2];
  block_rows_ = 0;
  rule_.faults().load(archive);
}

const std::vector<std::uint64_t>& NpySource::rows_of_files() const {
  for (std::size_t i = rows_of_files_.size(); i < inputs_.size(); ++i)
    rows_of_files_.push_back(i == at_file_ ? file_->header().rows
                                           : NpyFile(inputs_[i], options_.stop).header().rows);
  return rows_of_files_;
}

std::uint64_t NpySource::rows_in(std::uint64_t bytes) const {
  return std::max<std::uint64_t>(bytes / sizeof(double) / names_.size(), 1);
}

std::uint64_t NpySource::stretches(std::uint64_t bytes) const {
  const auto direct = [](const Input& input) {
    return input.size && input.rewindable && !input.compressed && input.path != "-";
  };
  if (picked_.label || !std::all_of(inputs_.begin(), inputs_.end(), direct)) return 0;
  std::uint64_t count = 0;
  for (const std::uint64_t rows : rows_of_files())
    count += (rows + rows_in(bytes) - 1) / rows_in(bytes);
  return count;
}

void NpySource::go_to_stretch(const Stretch& stretch) {
  std::uint64_t number = stretch.number;
  const std::uint64_t step = rows_in(stretch.bytes);
  const auto in_file = [&](std::size_t file) { return (rows_of_files()[file] + step - 1) / step; };
  std::size_t file = 0;
  for (; file + 1 < inputs_.size() && number >= in_file(file); ++file) number -= in_file(file);
  if (file != at_file_) open(file);
  at_row_ = std::min(number * step, file_->header().rows);
  stretch_end_ = std::min(at_row_ + step, file_->header().rows);
  block_rows_ = 0;
}

}  // namespace thalweg
