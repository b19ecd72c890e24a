#include "csv_splitter.hpp"

#include "cell.hpp"
#include <thalweg/core/error.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {
namespace {

constexpr std::size_t chunk = 1U << 16U;

}  // namespace

std::vector<std::string> CsvRow::fields() const {
  std::vector<std::string> result;
  result.reserve(size());
  for (std::size_t j = 0; j < size(); ++j) result.emplace_back((*this)[j]);
  return result;
}

bool CsvRow::blank() const { return size() == 1 && !quoted && without_spaces_around(text).empty(); }

void CsvRow::clear() {
  text.clear();
  ends.clear();
  quoted = false;
}

CsvSplitter::CsvSplitter(std::unique_ptr<Bytes> bytes, std::string name, char delimiter,
                         std::size_t row_bytes)
    : bytes_(std::move(bytes)),
      name_(std::move(name)),
      delimiter_(delimiter),
      row_bytes_(row_bytes),
      buffer_(chunk) {
  skip_byte_order_mark();
}

bool CsvSplitter::more() {
  if (at_ < end_) return true;
  if (ended_) return false;
  bytes_before_ += end_;
  at_ = 0;
  end_ = bytes_->read(buffer_.data(), buffer_.size());
  ended_ = end_ == 0;
  return !ended_;
}

void CsvSplitter::skip_byte_order_mark() {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  while (end_ < mark.size() && !ended_) {
    const std::size_t count = bytes_->read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += count;
    ended_ = count == 0;
  }
  if (std::string_view(buffer_.data(), end_).starts_with(mark)) at_ = mark.size();
}

bool CsvSplitter::next(CsvRow& row) {
  do {
    if (!split(row)) return false;
  } while (row.blank());
  return true;
}

bool CsvSplitter::split(CsvRow& row) {
  enum class State { field_start, plain, quoted, after_quote };
  row.clear();
  if (after_return_ && more() && buffer_[at_] == '\n') ++at_;
  after_return_ = false;
  row.line = line_;
  std::uint64_t quote_line = 0;
  State state = State::field_start;
  const auto end_field = [&] {
    row.ends.push_back(row.text.size());
    state = State::field_start;
  };
  while (more()) {
    const char c = buffer_[at_++];
    if (state == State::quoted) {
      if (c == '"') {
        state = State::after_quote;
      } else {
        row.text += c;
        if (c == '\n') ++line_;
      }
    } else if (c == '"' && state == State::field_start) {
      state = State::quoted;
      quote_line = line_;
      row.quoted = true;
    } else if (c == '"' && state == State::after_quote) {
      row.text += c;
      state = State::quoted;
    } else if (c == delimiter_) {
      end_field();
    } else if (c == '\n' || c == '\r') {
      end_field();
      after_return_ = c == '\r';
      ++line_;
      return true;
    } else {
      row.text += c;  // behind a closing quote, too: "a"b is ab
      state = State::plain;
    }
    if (row.bytes() > row_bytes_) refuse_length(row, state == State::quoted ? quote_line : 0);
  }
  if (state == State::quoted)
    throw Error(name_ + ":" + std::to_string(quote_line) +
                ": a quoted field that begins here is never closed (close it with \", and write a "
                "quote inside it twice)");
  if (row.size() == 0 && state == State::field_start) return false;
  end_field();
  return true;
}

void CsvSplitter::refuse_length(const CsvRow& row, std::uint64_t quote_line) const {
  const std::string limit = std::to_string(row_bytes_) + " bytes";
  if (quote_line > 0)
    throw Error(name_ + ":" + std::to_string(quote_line) +
                ": a quoted field that begins here is not closed within " + limit);
  throw Error(name_ + ":" + std::to_string(row.line) + ": row longer than " + limit +
              ", expected lines of text");
}

}  // namespace thalweg
