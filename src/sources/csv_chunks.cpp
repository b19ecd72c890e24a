// Cuts bytes where a row ends, quotes and all, and finds byte order mark and delimiter on the way.
#include "csv_chunks.hpp"

#include "csv_delimiter.hpp"

#include <algorithm>
#include <cstring>

namespace thalweg {
namespace {

constexpr std::size_t peek_bytes = 1U << 16U;  // read at a time to see how a file begins
constexpr std::size_t detect_bytes =
    1U << 20U;  // two lines that are longer leave the delimiter in doubt

/// Finds the last row's end in a text that grows, from quote to quote: what lies between needs no look at single bytes.
class LastRowEnd {
 public:
  explicit LastRowEnd(const CsvSyntax& syntax) : syntax_(syntax) {}

  std::size_t found() const { return found_; }  // behind it; 0: none

  void look(const char* text, std::size_t size) {
    while (at_ < size) {
      const auto* const quote = static_cast<const char*>(std::memchr(text + at_, '"', size - at_));
      const std::size_t here = quote ? static_cast<std::size_t>(quote - text) : size;
      if (quoted_) {
        at_ = here;
        if (here + 1 >= size) return;     // none, or the byte behind it has to tell
        quoted_ = text[here + 1] == '"';  // two of them are text
        at_ += quoted_ ? 2 : 1;
      } else {
        look_between(text, here);
        if (quote) quoted_ = here == 0 || syntax_.ends_field(text[here - 1]);
        at_ = std::min(here + 1, size);
      }
    }
  }

 private:
  void look_between(const char* text, std::size_t end) {
    const auto last = [&](char c, std::size_t begin) {
      const auto* found = static_cast<const char*>(::memrchr(text + begin, c, end - begin));
      return found ? static_cast<std::size_t>(found - text) + 1 : 0;
    };
    found_ = std::max(found_, last('\n', at_));
    found_ =
        std::max(found_, last('\r', std::max(found_, at_)));  // rare: so behind the last LF only
  }

  CsvSyntax syntax_;
  std::size_t at_ = 0;
  std::size_t found_ = 0;
  bool quoted_ = false;
};

}  // namespace

CsvChunker::CsvChunker(std::unique_ptr<Bytes> bytes, const CsvChunkOptions& options,
                       std::uint64_t offset)
    : bytes_(std::move(bytes)),
      syntax_{.delimiter = options.delimiter.value_or(','), .row_bytes = options.row_bytes},
      chunk_bytes_(std::max<std::size_t>(options.chunk_bytes, 1)),
      offset_(offset) {
  if (offset == 0) skip_byte_order_mark();
  if (!options.delimiter) find_delimiter();
}

/// Appends what one read gives; false at the end, or when the read was called off.
bool CsvChunker::read_to(std::vector<char>& buffer, std::size_t& size, std::size_t room) {
  if (buffer.size() < size + room + CsvChunk::padding)
    buffer.resize(size + room + CsvChunk::padding);
  try {
    const std::size_t count = bytes_->read(buffer.data() + size, room);
    size += count;
    ended_ = count == 0;
  } catch (const ReadStopped&) {
    ended_ = stopped_ = true;
  }
  return !ended_;
}

void CsvChunker::skip_byte_order_mark() {
  constexpr std::string_view mark = byte_order_mark;
  std::size_t size = 0;
  while (size < mark.size() && read_to(kept_, size, std::min(chunk_bytes_, peek_bytes))) {
  }
  const bool marked = std::string_view(kept_.data(), size).starts_with(mark);
  kept_.resize(size);
  if (!marked) return;
  kept_.erase(kept_.begin(), kept_.begin() + mark.size());
  offset_ += mark.size();
}

void CsvChunker::find_delimiter() {
  std::size_t size = kept_.size();
  std::optional<char> found;
  for (;;) {
    found = detect_delimiter({kept_.data(), size}, ended_ || size > detect_bytes);
    if (found) break;
    read_to(kept_, size, peek_bytes);
  }
  kept_.resize(size);
  syntax_.delimiter = *found;
}

bool CsvChunker::next(CsvChunk& chunk) {
  if (stopped_) return false;
  std::size_t size = kept_.size();
  if (chunk.buffer.size() < size + CsvChunk::padding) chunk.buffer.resize(size + CsvChunk::padding);
  std::copy(kept_.begin(), kept_.end(), chunk.buffer.begin());
  kept_.clear();
  LastRowEnd rows(syntax_);
  for (;;) {
    if (after_return_ && size > 0) {
      after_return_ = false;
      if (chunk.buffer.front() == '\n') {
        std::memmove(chunk.buffer.data(), chunk.buffer.data() + 1, --size);
        ++offset_;
      }
    }
    rows.look(chunk.buffer.data(), size);
    if (ended_ || size - rows.found() > syntax_.row_bytes) break;
    if (rows.found() > 0 && (size >= chunk_bytes_ || bytes_->idle())) break;
    read_to(chunk.buffer, size, size < chunk_bytes_ ? chunk_bytes_ - size : chunk_bytes_);
  }
  std::size_t end = rows.found();
  if (!stopped_ && (ended_ || end == 0)) {
    ended_ = true;
    end = size;
  }
  const char* const text = chunk.buffer.data();
  if (!stopped_) kept_.assign(text + end, text + size);
  std::memset(chunk.buffer.data() + end, '\n', CsvChunk::padding);
  chunk.begin = 0;
  chunk.end = end;
  chunk.syntax = syntax_;
  chunk.offset = offset_;
  chunk.taken = bytes_->taken();
  offset_ += end;
  after_return_ = end > 0 && end == size && text[end - 1] == '\r';
  return end > 0;
}

}  // namespace thalweg
