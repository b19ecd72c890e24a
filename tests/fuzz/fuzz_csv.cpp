// Any bytes as a text table: either one line of Error or rows, and the same ones in every cut.
#include <thalweg/core/error.hpp>
#include <thalweg/sources/csv.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Outcome {
  std::vector<std::uint64_t> bits;  // of all values and weights
  std::string text;                 // places, raw fields, and the error, if any
  bool operator==(const Outcome&) const = default;
};

void keep(double number, Outcome& outcome) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  outcome.bits.push_back(bits);
}

void require(bool holds) {
  if (!holds) std::abort();
}

Outcome read(const std::string& bytes, thalweg::TableOptions options, std::size_t block_rows) {
  options.block_rows = block_rows;
  Outcome outcome;
  try {
    std::istringstream in(bytes);
    thalweg::CsvSource source(in, options);
    std::uint64_t rows = 0;
    thalweg::Block block;
    while (source.next(block)) {
      require(block.first == rows && block.rows > 0 && block.rows <= block_rows);
      rows += block.rows;
      for (std::size_t t = 0; t < block.rows; ++t) {
        outcome.text += source.where(block.first + t);
        if (options.keep_text) {
          require(source.raw(t).size() == source.raw_header().size());
          for (const std::string& field : source.raw(t)) outcome.text += field + '|';
        }
        if (block.side.weight) {
          require(block.side.weight[t] >= 0);
          keep(block.side.weight[t], outcome);
        }
        if (block.side.unit_start) keep(block.side.unit_start[t], outcome);
        for (std::size_t j = 0; j < block.columns; ++j) keep(block.row(t)[j], outcome);
      }
    }
    require(rows > 0 || !source.faults().empty());
    for (const std::string& line : source.faults().first()) outcome.text += line;
    for (const auto& levels : source.schema().levels)
      for (const std::string& level : levels) outcome.text += level + '|';
    outcome.bits.push_back(source.faults().rows_skipped());
    outcome.bits.push_back(source.faults().cells_missing());
  } catch (const thalweg::Error& error) {
    // A large block fails as a whole: rows before the mistake are compared only where all is well.
    outcome = {.bits = {}, .text = error.what()};
    require(outcome.text.find('\n') == std::string::npos);
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const unsigned choice = data[0];
  const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  thalweg::TableOptions options;
  if (choice & 1U) options.delimiter = ';';
  if (choice & 2U) options.header = (choice & 4U) != 0;
  if (choice & 8U) options.columns = {"x"};
  if (choice & 16U) options.weight_column = "w";
  if (choice & 32U) options.row_bytes = 64;
  options.keep_text = (choice & 64U) != 0;
  if (choice & 128U) options.on_error = static_cast<thalweg::OnError>(1 + (choice & 1U));
  // Bits that mean little together choose what the first byte has no room for.
  options.blank_line_sequences = (choice & 6U) == 4U;
  if ((choice & 24U) == 24U) options.sequence_column = "s";
  options.all_categorical = (choice & 36U) == 36U;
  const Outcome whole = read(bytes, options, 8192);
  require(read(bytes, options, 1) == whole);
  for (const std::size_t chunk : {1U, 7U, 64U}) {
    options.chunk_bytes = chunk;
    require(read(bytes, options, 3) == whole);
  }
  options.keep_text = !options.keep_text;
  require(read(bytes, options, 8192).bits == whole.bits);  // the quick way and the careful one
  return 0;
}
