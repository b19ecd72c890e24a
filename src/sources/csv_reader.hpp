// Several text tables as one stream of chunks: headers agree, and every chunk begins with a row.
#pragma once

#include "csv_chunks.hpp"
#include "csv_stretches.hpp"

#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

struct TableOptions;

class CsvReader {
 public:
  CsvReader(const std::vector<std::string>& files, const TableOptions& options);
  CsvReader(std::istream& in, const std::string& name, const TableOptions& options);

  const std::vector<std::string>& names() const { return names_; }
  bool has_header() const { return has_header_; }
  const std::vector<Input>& inputs() const { return inputs_; }
  std::string place(std::size_t file, std::uint64_t line) const;
  const std::string& first_name() const { return inputs_.front().name; }
  bool is_stream() const { return stream_ != nullptr; }

  /// The first rows, until `use` has seen enough and returns false. Their chunks stay the next ones.
  void look_ahead(const std::function<bool(const CsvRow&)>& use);

  bool next(CsvChunk& chunk);  // false at the end; it may hold no row
  bool ended() const;          // `next` would be false, as far as is known without reading

  std::size_t chunk_bytes() const { return chunks_.chunk_bytes; }

  bool rewindable() const;
  bool seekable() const;  // regular files as they are
  void rewind();

  /// The row that begins here comes next.
  void go_to(std::size_t file, std::uint64_t offset, std::uint64_t line, char delimiter);

  /// Only a part of a file comes next, and then the end, until the reader is moved again.
  void go_to(const CsvStretches::Part& part);
  char delimiter_of(std::size_t file);

  /// From any thread: a read that waits gives up soon, as if `stop` had said so.
  void give_up() { given_up_ = true; }

 private:
  void begin(const TableOptions& options);
  void open(std::size_t file, std::uint64_t offset = 0, std::optional<char> delimiter = {},
            std::optional<std::uint64_t> end = {});
  bool read(CsvChunk& chunk);
  bool begin_file(CsvChunk& chunk);
  void check_header(const CsvRow& row) const;

  std::vector<Input> inputs_;
  std::istream* stream_ = nullptr;  // read in place of a file
  CsvChunkOptions chunks_;
  std::function<bool()> stop_;
  std::atomic<bool> given_up_ = false;
  std::optional<bool> header_;  // as asked for
  bool has_header_ = false;
  std::vector<std::string> names_;
  std::size_t file_ = 0;
  std::optional<CsvChunker> chunker_;  // of the current file
  bool fresh_ = false;                 // no row was read from the current file yet
  std::uint64_t line_ = 0;             // where the next chunk begins; 0: behind the last one
  std::deque<CsvChunk> ahead_;
  bool in_part_ = false;                         // whose end is that of the input
  std::vector<std::optional<char>> delimiters_;  // of files, where they are known
};

}  // namespace thalweg
