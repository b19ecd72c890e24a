// The bytes of one text table in chunks that end where a row ends, so that each can be parsed on its own.
#pragma once

#include "bytes.hpp"
#include "csv_row.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace thalweg {

struct CsvChunk {
  std::vector<char> buffer;  // longer than the text: see padding
  std::size_t begin = 0;     // of the text in the buffer
  std::size_t end = 0;
  std::size_t file = 0;
  CsvSyntax syntax;
  std::uint64_t offset = 0;  // of `begin` in the file, unpacked
  std::uint64_t taken = 0;   // of the file when the chunk was there, before unpacking
  // Of the first row, in the file's first chunk; all others go on where the one before them ended, and 0 is written here.
  std::uint64_t line = 0;

  /// Parsers may look so far behind the end, where they find a line end first.
  static constexpr std::size_t padding = 32;

  std::string_view text() const { return {buffer.data() + begin, end - begin}; }
};

struct CsvChunkOptions {
  std::optional<char> delimiter;  // unset: the first lines tell
  std::size_t row_bytes = 0;
  std::size_t chunk_bytes = 0;
};

class CsvChunker {
 public:
  /// Bytes that begin at `offset` of their file, where a row begins.
  CsvChunker(std::unique_ptr<Bytes> bytes, const CsvChunkOptions& options,
             std::uint64_t offset = 0);

  /// About chunk_bytes, less when nothing more is there yet, more when a row is longer; false at the end. A row that is
  /// longer than row_bytes comes cut short and ends the input; a read that is called off ends it before the row under way.
  bool next(CsvChunk& chunk);

  bool stopped() const { return stopped_; }  // called off
  char delimiter() const { return syntax_.delimiter; }
  bool ended() const { return ended_ && kept_.empty(); }

 private:
  bool read_to(std::vector<char>& buffer, std::size_t& size, std::size_t room);
  void skip_byte_order_mark();
  void find_delimiter();

  std::unique_ptr<Bytes> bytes_;
  CsvSyntax syntax_;
  std::size_t chunk_bytes_;
  std::vector<char> kept_;  // behind the last chunk
  std::uint64_t offset_;    // of kept_ in the file
  bool ended_ = false;
  bool stopped_ = false;
  bool after_return_ = false;  // the last chunk ended in CR: a LF belongs to it
};

}  // namespace thalweg
