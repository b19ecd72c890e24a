// The header of a NumPy .npy file, versions 1 to 3: what the numbers behind it are and how they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace thalweg {

struct NpyHeader {
  enum class Kind { real, whole, natural, truth };  // float, int, uint, bool
  Kind kind = Kind::real;
  std::size_t item = 8;  // bytes of a number
  bool big_endian = false;
  bool fortran = false;  // column by column
  std::uint64_t rows = 0;
  std::size_t columns = 0;
  std::size_t bytes = 0;  // of the header itself

  std::uint64_t row_bytes() const { return columns * item; }
  std::uint64_t data_bytes() const { return rows * row_bytes(); }
};

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// How many bytes from the file's beginning on the header needs, once the first 12 are there; `name` is for messages.
std::size_t npy_header_size(std::string_view beginning, const std::string& name);

/// Reads the whole header. Arrays that are no table of numbers are refused.
NpyHeader read_npy_header(std::string_view bytes, const std::string& name);

/// Numbers of the file as doubles: `count` of them, all at `from`, `step` numbers apart in `into`.
void read_npy_numbers(const NpyHeader& header, const char* from, std::size_t count, double* into,
                      std::size_t step);

}  // namespace thalweg
