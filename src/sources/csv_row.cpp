// Splits a row into fields with a state for quotes: any line end, doubled quotes, line ends inside.
#include "csv_row.hpp"

namespace thalweg {

bool CsvRows::next(CsvRow& row) {
  while (!ended()) {
    if (skip_blank()) continue;
    split(row);
    return true;
  }
  return false;
}

bool CsvRows::skip_blank() {
  const char* at = at_;
  while (at != end_ && syntax_.is_space(*at)) ++at;
  if (at != end_ && *at != '\n' && *at != '\r') return false;
  if (static_cast<std::size_t>(at - at_) > syntax_.row_bytes) refuse_length(at_, line_);
  if (at != end_) {
    ++line_;
    at += *at == '\r' && at + 1 != end_ && at[1] == '\n' ? 2 : 1;
  }
  at_ = at;
  return true;
}

void CsvRows::split(CsvRow& row) {
  enum class State { field_start, plain, quoted, after_quote };
  row.text.clear();
  row.ends.clear();
  row.line = line_;
  const char* const begin = at_;
  std::uint64_t quote_line = 0;
  State state = State::field_start;
  const auto end_field = [&] {
    row.ends.push_back(row.text.size());
    state = State::field_start;
  };
  for (; at_ != end_; ++at_) {
    if (static_cast<std::size_t>(at_ - begin) > syntax_.row_bytes) refuse_length(begin, row.line);
    const char c = *at_;
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
    } else if (c == '"' && state == State::after_quote) {
      row.text += c;
      state = State::quoted;
    } else if (c == syntax_.delimiter) {
      end_field();
    } else if (c == '\n' || c == '\r') {
      break;
    } else {
      row.text += c;  // behind a closing quote, too: "a"b is ab
      state = State::plain;
    }
  }
  if (static_cast<std::size_t>(at_ - begin) > syntax_.row_bytes) refuse_length(begin, row.line);
  if (state == State::quoted)
    throw CsvRowError{
        quote_line,
        "a quoted field that begins here is never closed (close it with \", and write "
        "a quote inside it twice)"};
  end_field();
  if (at_ != end_) {
    ++line_;
    at_ += *at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n' ? 2 : 1;
  }
}

/// Says whether a quote was left open or there are no line ends, as the first row_bytes + 1 bytes tell.
void CsvRows::refuse_length(const char* begin, std::uint64_t line) const {
  const std::string limit = std::to_string(syntax_.row_bytes) + " bytes";
  bool quoted = false;
  bool fresh = true;  // a quote would open a field
  std::uint64_t quote_line = line;
  std::uint64_t here = line;
  for (const char* at = begin; at != begin + syntax_.row_bytes + 1; ++at) {
    if (*at == '"' && (quoted || fresh)) {
      if (!quoted && !(at != begin && at[-1] == '"')) quote_line = here;
      quoted = !quoted;
      fresh = true;  // a second quote takes the end back
    } else if (quoted) {
      if (*at == '\n') ++here;
    } else {
      fresh = *at == syntax_.delimiter;
    }
  }
  if (quoted)
    throw CsvRowError{quote_line, "a quoted field that begins here is not closed within " + limit};
  throw CsvRowError{line, "row longer than " + limit + ", expected lines of text"};
}

}  // namespace thalweg
