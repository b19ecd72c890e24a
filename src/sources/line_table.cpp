#include "line_table.hpp"

#include <thalweg/core/error.hpp>

#include <algorithm>

namespace thalweg {
namespace {

// A block ends when its text or its numbers are this long: however wide the rows are, memory stays bounded.
constexpr std::size_t block_bytes = 1U << 23U;

}  // namespace

LineTable::LineTable(const std::vector<std::string>& files, const TableOptions& options)
    : options_(options),
      lines_(files, options),
      rule_(options.on_error),
      labels_(options.labels),
      cells_(rule_, names_, labels_) {
  if (options_.block_rows == 0) throw UsageError("a block needs at least one row");
}

void LineTable::expect_lines(const std::string& expected) {
  if (lines_.look_ahead(0)) return;
  if (lines_.called_off()) throw Error("interrupted before the first row was read");
  throw Error(lines_.first_name() + ": empty, expected " + expected);
}

void LineTable::pick(bool named, const std::function<bool(std::size_t)>& is_text,
                     std::optional<std::size_t> label_only) {
  picked_ = pick_columns({.source = lines_.first_name(),
                          .names = names_,
                          .named = named,
                          .is_text = is_text,
                          .label_only = label_only},
                         options_);
  for (const std::size_t column : picked_.data) schema_.columns.push_back(names_[column]);
}

bool LineTable::next(Block& block) {
  const Line* line = lines_.next();
  if (line) {
    read_ += places_.size();
    values_.clear();
    weights_.clear();
    known_.clear();
    places_.clear();
    text_.clear();
    begin_block();
  }
  const std::size_t row_bytes = schema_.width() * sizeof(double);
  std::size_t bytes = 0;
  for (; line; line = lines_.next()) {
    if (!take(*line)) continue;
    places_.push_back({line->file, line->line});
    bytes += std::max(line->text.size(), options_.sparse ? 0 : row_bytes);
    if (places_.size() == options_.block_rows || bytes >= block_bytes || lines_.idle()) {
      block = dense_block(values_.data(), places_.size(), schema_.width());
      break;
    }
  }
  if (!line) {
    if (!lines_.called_off()) at_end();
    if (bytes == 0) return false;
    block = dense_block(values_.data(), places_.size(), schema_.width());
  }
  if (picked_.weight) block.side.weight = weights_.data();
  if (picked_.label) block.side.label = known_.data();
  block.first = read_;
  finish_block(block);
  return true;
}

bool LineTable::rewind() {
  if (!lines_.rewind()) return false;
  read_ = 0;
  places_.clear();
  rule_.faults() = {};
  at_beginning();
  return true;
}

std::string LineTable::where(std::uint64_t row) const {
  if (row < read_ || row - read_ >= places_.size()) return Source::where(row);
  const Place& place = places_[static_cast<std::size_t>(row - read_)];
  return lines_.place(place.file, place.line);
}

// Labels know what they are by the first of them: an input with labels is read again instead.
bool LineTable::save_position(Archive& archive) const {
  if (picked_.label || !lines_.save(archive)) return false;
  archive.put("rows", read_ + places_.size());
  faults().save(archive);
  return true;
}

void LineTable::load_position(const Archive& archive) {
  lines_.load(archive);
  read_ = archive.count("rows");
  places_.clear();
  rule_.faults().load(archive);
}

}  // namespace thalweg
