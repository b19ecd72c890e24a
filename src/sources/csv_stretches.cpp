// Goes through files from quote to quote, and takes the first line end behind each cut.
#include "csv_stretches.hpp"

#include <algorithm>
#include <cstring>

namespace thalweg {
namespace {

constexpr std::size_t bytes_at_a_time = 1U << 20U;
constexpr std::uint64_t never = ~std::uint64_t{1};

std::uint64_t in_file(const Input& input, std::uint64_t bytes) {
  return (input.size.value_or(0) + bytes - 1) / bytes;
}

/// In which file a stretch lies, and which of its stretches it is.
std::pair<std::size_t, std::uint64_t> file_of(const std::vector<Input>& inputs,
                                              std::uint64_t number, std::uint64_t bytes) {
  std::size_t file = 0;
  for (; file + 1 < inputs.size() && number >= in_file(inputs[file], bytes); ++file)
    number -= in_file(inputs[file], bytes);
  return {file, number};
}

std::uint64_t lines_in(const char* begin, const char* end) {
  return static_cast<std::uint64_t>(std::count(begin, end, '\n'));
}

const char* find(const char* begin, const char* end, char c) {
  return static_cast<const char*>(std::memchr(begin, c, static_cast<std::size_t>(end - begin)));
}

/// Behind the first line end from the byte before `offset` on: `offset` itself where a line begins there.
std::uint64_t line_from(const Input& input, std::uint64_t offset) {
  if (offset == 0 || offset >= *input.size) return std::min(offset, *input.size);
  const auto bytes = open_bytes(input, {}, offset - 1);
  std::vector<char> buffer(4096);
  for (std::uint64_t at = offset - 1;;) {
    const std::size_t count = bytes->read(buffer.data(), buffer.size());
    if (count == 0) return *input.size;
    if (const char* end = find(buffer.data(), buffer.data() + count, '\n'))
      return at + static_cast<std::uint64_t>(end - buffer.data()) + 1;
    at += count;
  }
}

}  // namespace

std::uint64_t CsvStretches::count(const std::vector<Input>& inputs, std::uint64_t bytes) {
  std::uint64_t all = 0;
  for (const Input& input : inputs) all += in_file(input, bytes);
  return all;
}

CsvStretches::CsvStretches(const std::vector<Input>& inputs, std::uint64_t bytes,
                           const std::function<std::optional<char>(std::size_t)>& delimiter,
                           const std::function<bool()>& stop)
    : inputs_(inputs), bytes_(bytes), begins_(inputs.size()) {
  for (std::size_t file = 0; file < inputs.size(); ++file)
    look_through(file, delimiter(file), stop);
}

void CsvStretches::look_through(std::size_t file, std::optional<char> delimiter,
                                const std::function<bool()>& stop) {
  const CsvSyntax syntax{.delimiter = delimiter.value_or(',')};
  std::vector<Place>& begins = begins_[file];
  begins.push_back({});
  const std::uint64_t wanted = in_file(inputs_[file], bytes_);
  const auto source = open_bytes(inputs_[file], stop);
  std::vector<char> buffer(bytes_at_a_time);
  std::uint64_t offset = 0;  // of the buffer
  std::uint64_t lines = 0;
  bool quoted = false;
  std::uint64_t closed =
      never;  // where a quote last ended a text: another one next to it goes on with the text
  char before = '\n';  // the byte before
  while (const std::size_t count = source->read(buffer.data(), buffer.size())) {
    const char* const begin = buffer.data();
    const char* const end = begin + count;
    const char* counted = begin;  // lines are counted up to here
    const char* at = begin;
    if (offset == 0 && std::string_view(begin, count).starts_with(byte_order_mark))
      at += byte_order_mark.size();
    const char* const first = at;
    while (at < end) {
      const char* const quote = delimiter ? find(at, end, '"') : nullptr;
      const char* const rows_end = quote ? quote : end;
      while (!quoted && begins.size() < wanted) {
        const std::uint64_t cut = begins.size() * bytes_ - 1;
        const std::uint64_t ahead = cut > offset ? std::min<std::uint64_t>(cut - offset, count) : 0;
        const char* const from = std::max(at, begin + ahead);
        const char* const line_end = from < rows_end ? find(from, rows_end, '\n') : nullptr;
        if (!line_end) break;
        lines += lines_in(counted, line_end + 1);
        counted = line_end + 1;
        begins.push_back(
            {.offset = offset + static_cast<std::uint64_t>(counted - begin), .line = lines + 1});
      }
      if (!quote) break;
      const std::uint64_t place = offset + static_cast<std::uint64_t>(quote - begin);
      if (quoted) {
        closed = place;
        quoted = false;
      } else {
        quoted = closed + 1 == place || syntax.ends_field(quote == first ? before : quote[-1]);
      }
      at = quote + 1;
    }
    lines += lines_in(counted, end);
    before = end[-1];
    offset += count;
  }
  while (begins.size() < wanted) begins.push_back({.offset = offset, .line = lines + 1});
}

CsvStretches::Part CsvStretches::part(std::uint64_t number) const {
  const auto [file, i] = file_of(inputs_, number, bytes_);
  const std::vector<Place>& begins = begins_[file];
  const std::uint64_t end = i + 1 < begins.size() ? begins[i + 1].offset : *inputs_[file].size;
  return {.file = file, .begin = begins[i], .end = end};
}

CsvStretches::Part CsvStretches::near(const std::vector<Input>& inputs, std::uint64_t number,
                                      std::uint64_t bytes) {
  const auto [file, i] = file_of(inputs, number, bytes);
  return {.file = file,
          .begin = {.offset = line_from(inputs[file], i * bytes)},
          .end = line_from(inputs[file], (i + 1) * bytes)};
}

std::string CsvStretches::where(std::uint64_t row) const {
  std::size_t file = 0;
  for (; file + 1 < inputs_.size() && row >= *inputs_[file].size; ++file)
    row -= *inputs_[file].size;
  const std::vector<Place>& begins = begins_[file];
  const auto behind = std::upper_bound(
      begins.begin(), begins.end(), row,
      [](std::uint64_t offset, const Place& place) { return offset < place.offset; });
  Place at = behind == begins.begin() ? Place{} : *(behind - 1);
  const auto bytes = open_bytes(inputs_[file], {}, at.offset);
  std::vector<char> buffer(bytes_at_a_time);
  while (at.offset < row) {
    const std::size_t count =
        bytes->read(buffer.data(), std::min<std::uint64_t>(buffer.size(), row - at.offset));
    if (count == 0) break;
    at.line += lines_in(buffer.data(), buffer.data() + count);
    at.offset += count;
  }
  return inputs_[file].name + ":" + std::to_string(at.line);
}

}  // namespace thalweg
