// Reads files line by line, passes over blank lines, and looks ahead without losing any.
#include "lines.hpp"

#include "cell.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/table_source.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace thalweg {
namespace {

constexpr std::size_t chunk = 1U << 17U;

}  // namespace

std::string_view first_text(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

Lines::Lines(const std::vector<std::string>& files, const TableOptions& options)
    : row_bytes_(options.row_bytes), stop_(options.stop), buffer_(chunk) {
  if (std::count(files.begin(), files.end(), "-") > 1)
    throw UsageError("standard input is named twice, but can be read only once");
  for (const std::string& file : files) inputs_.push_back(find_input(file, options.follow));
  if (inputs_.empty()) inputs_.push_back(find_input("-", options.follow));
  open(0);
}

void Lines::open(std::size_t file) {
  bytes_ = open_bytes(inputs_[file], stop_);
  at_ = end_ = 0;
  ended_ = false;
  fresh_ = true;
  place_ = {.file = file};
}

bool Lines::more() {
  if (at_ < end_) return true;
  if (ended_) return false;
  at_ = 0;
  end_ = bytes_->read(buffer_.data(), buffer_.size());
  ended_ = end_ == 0;
  return !ended_;
}

bool Lines::read_physical(Line& line) {
  line.text.clear();
  line.offset = place_.offset;
  bool found = false;
  while (!found && more()) {
    const char* begin = buffer_.data() + at_;
    const void* end = std::memchr(begin, '\n', end_ - at_);
    found = end != nullptr;
    const std::size_t count =
        found ? static_cast<std::size_t>(static_cast<const char*>(end) - begin) : end_ - at_;
    line.text.append(begin, count);
    at_ += count + (found ? 1 : 0);
    place_.offset += count + (found ? 1 : 0);
    if (line.text.size() > row_bytes_)
      throw Error(place(place_.file, place_.line + 1) + ": row longer than " +
                  std::to_string(row_bytes_) + " bytes, expected lines of text");
  }
  if (!found && line.text.empty()) return false;
  if (line.text.ends_with('\r')) line.text.pop_back();
  line.text.reserve(line.text.size() + padding);
  line.file = place_.file;
  line.line = ++place_.line;
  return true;
}

bool Lines::read(Line& line) {
  line.after_blank = false;
  for (;;) {
    if (!read_physical(line)) {
      if (in_part_ || place_.file + 1 == inputs_.size()) return false;
      open(place_.file + 1);
      continue;
    }
    if (line.line == 1 && line.text.starts_with(byte_order_mark))
      line.text.erase(0, byte_order_mark.size());
    if (without_spaces_around(line.text).empty()) {
      line.after_blank = true;
      continue;
    }
    if (std::exchange(fresh_, false) && opening_) {
      opening_(line);
      continue;
    }
    return true;
  }
}

const Line* Lines::look_ahead(std::size_t i) {
  try {
    while (ahead_.size() <= i && !called_off_) {
      Line line;
      const At begin = place_;
      if (!read(line)) return nullptr;
      ahead_.push_back(std::move(line));
      begins_.push_back(begin);
    }
  } catch (const ReadStopped&) {
    called_off_ = true;
  }
  return i < ahead_.size() ? &ahead_[i] : nullptr;
}

const Line* Lines::next() {
  if (!ahead_.empty()) {
    current_ = std::move(ahead_.front());
    ahead_.pop_front();
    begins_.pop_front();
    return &current_;
  }
  if (called_off_) return nullptr;
  try {
    return read(current_) ? &current_ : nullptr;
  } catch (const ReadStopped&) {
    called_off_ = true;
    return nullptr;
  }
}

bool Lines::rewindable() const {
  return std::all_of(inputs_.begin(), inputs_.end(),
                     [](const Input& input) { return input.rewindable; });
}

bool Lines::rewind() {
  if (!rewindable()) return false;
  ahead_.clear();
  begins_.clear();
  called_off_ = in_part_ = false;
  open(0);
  return true;
}

void Lines::go_to(const CsvStretches::Part& part) {
  ahead_.clear();
  begins_.clear();
  called_off_ = false;
  in_part_ = true;
  open(part.file);
  bytes_ = first_bytes(open_bytes(inputs_[part.file], stop_, part.begin.offset),
                       part.end - part.begin.offset);
  fresh_ = part.begin.offset == 0;
  place_ = {.file = part.file, .offset = part.begin.offset, .line = part.begin.line - 1};
}

bool Lines::idle() const { return ahead_.empty() && at_ == end_ && !ended_ && bytes_->idle(); }

std::optional<double> Lines::share_read() const {
  std::uint64_t before = 0;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i].size) return std::nullopt;
    if (i < place_.file) before += *inputs_[i].size;
    total += *inputs_[i].size;
  }
  if (total == 0) return std::nullopt;
  const std::uint64_t here = inputs_[place_.file].compressed ? bytes_->taken() : place_.offset;
  return std::min(static_cast<double>(before + here) / static_cast<double>(total), 1.0);
}

std::string Lines::place(std::size_t file, std::uint64_t line) const {
  return inputs_[file].name + ":" + std::to_string(line);
}

bool Lines::save(Archive& archive) const {
  const At& at = begins_.empty() ? place_ : begins_.front();
  if (!rewindable() || inputs_[at.file].compressed || called_off_) return false;
  archive.put("at", std::vector<std::uint64_t>{at.file, at.offset, at.line});
  return true;
}

void Lines::load(const Archive& archive) {
  const std::vector<std::uint64_t>& saved = archive.counts("at");
  if (saved.size() != 3 || saved[0] >= inputs_.size())
    throw Error("saved position \"at\" does not fit these inputs");
  ahead_.clear();
  begins_.clear();
  called_off_ = in_part_ = false;
  open(static_cast<std::size_t>(saved[0]));
  const Input& input = inputs_[place_.file];
  if (!input.size || saved[1] > *input.size)
    throw Error(input.name + ": shorter than when the position in it was saved");
  if (saved[2] > 0) {
    bytes_->skip(saved[1]);
    fresh_ = false;
  }
  place_ = {.file = place_.file, .offset = saved[1], .line = saved[2]};
}

}  // namespace thalweg
