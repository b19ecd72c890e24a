// Any bytes as a table of some format: either one line of Error or rows, the same ones in every cut, from a file and through a pipe.
#pragma once

#include <thalweg/core/error.hpp>
#include <thalweg/sources/table_source.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace fuzz {

struct Outcome {
  std::vector<std::uint64_t> bits;  // of all values, weights and labels
  std::string text;                 // places and the error, if any
  bool operator==(const Outcome&) const = default;
};

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline void keep(double number, Outcome& outcome) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  outcome.bits.push_back(bits);
}

/// A file in memory with these bytes.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(::write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(file_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

inline Outcome read(const std::string& path, thalweg::TableOptions options,
                    std::size_t block_rows) {
  options.block_rows = block_rows;
  Outcome outcome;
  try {
    const auto source = thalweg::open_table({path}, options);
    std::uint64_t rows = 0;
    thalweg::Block block;
    while (source->next(block)) {
      require(block.first == rows && block.rows > 0 && block.rows <= block_rows);
      rows += block.rows;
      for (std::size_t t = 0; t < block.rows; ++t) {
        outcome.text += source->where(block.first + t) + ';';
        if (options.keep_text) require(source->raw(t).size() == source->raw_header().size());
        if (block.side.weight) require(block.side.weight[t] >= 0);
        if (block.side.label) keep(block.side.label[t], outcome);
        if (block.side.unit_start) keep(block.side.unit_start[t], outcome);
        for (std::size_t j = 0; j < block.columns && !options.sparse; ++j)
          keep(block.row(t)[j], outcome);
      }
    }
    outcome.text += std::to_string(source->faults().rows_skipped());
    for (const auto& levels : source->schema().levels)
      for (const std::string& level : levels) outcome.text += level + '|';
  } catch (const thalweg::Error& error) {
    outcome = {.bits = {}, .text = error.what()};
    require(outcome.text.find('\n') == std::string::npos);
  }
  return outcome;
}

/// The first byte chooses the options.
inline int check_table(const std::uint8_t* data, std::size_t size, const std::string& format,
                       const std::string& weight) {
  if (size < 1) return 0;
  const unsigned choice = data[0];
  const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  thalweg::TableOptions options;
  options.format = format;
  options.on_error = (choice & 1U) != 0   ? thalweg::OnError::skip
                     : (choice & 2U) != 0 ? thalweg::OnError::missing
                                          : thalweg::OnError::stop;
  if (choice & 4U) options.weight_column = weight;
  if (choice & 8U) options.label_column = "label";
  options.keep_text = (choice & 16U) != 0;
  options.sparse = (choice & 32U) != 0;
  if (choice & 64U) options.row_bytes = 64;
  options.blank_line_sequences = (choice & 128U) != 0 && format != "npy";
  options.all_categorical = (choice & 160U) == 160 && format == "jsonl";
  const MemoryFile file(bytes);
  const Outcome whole = read(file.path(), options, 8192);
  require(read(file.path(), options, 1) == whole);
  require(read(file.path(), options, 3) == whole);
  return 0;
}

}  // namespace fuzz
