// Reads the dictionary at the head of an .npy file, and numbers of every kind and byte order.
#include "npy_header.hpp"

#include "cell.hpp"
#include "columns.hpp"
#include "core/text.hpp"
#include <thalweg/core/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

namespace thalweg {
namespace {

constexpr std::size_t longest_header = 1U << 20U;

/// The value behind 'key': in the text of a Python dictionary, up to the comma that ends it.
std::optional<std::string_view> entry(std::string_view text, std::string_view key) {
  std::size_t at = text.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) at = text.find("\"" + std::string(key) + "\"");
  if (at == std::string_view::npos) return std::nullopt;
  at = text.find(':', at);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + 1);
  int depth = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ',' || c == '}') && depth == 0) break;
    if (c == ')' || c == ']' || c == '}') --depth;
  }
  return without_spaces_around(text.substr(0, end));
}

std::vector<std::uint64_t> read_shape(std::string_view text, const std::string& name) {
  const auto refuse = [&] {
    throw Error(name + ": npy header with shape " + in_quotes(text) + ", expected (rows, columns)");
  };
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') refuse();
  std::vector<std::uint64_t> shape;
  std::string_view rest = text.substr(1, text.size() - 2);
  while (!without_spaces_around(rest).empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto size = to_count(without_spaces_around(rest.substr(0, comma)));
    if (!size) refuse();
    shape.push_back(*size);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return shape;
}

void read_type(std::string_view text, const std::string& name, NpyHeader& header) {
  const auto refuse = [&](const std::string& what, const std::string& fix) {
    throw Error(name + ": " + what + ", expected an array of numbers (" + fix + ")");
  };
  if (text.starts_with('[')) refuse("structured array", "save its columns as one array of float64");
  if (text.size() < 4 || (text.front() != '\'' && text.front() != '"'))
    refuse("npy header with type " + in_quotes(text), "save the array again");
  text = text.substr(1, text.size() - 2);
  const char order = text.front();
  const char kind = text[1];
  const auto item = to_count(text.substr(2));
  if (kind == 'O') refuse("object array", "save it with astype(float)");
  constexpr std::string_view kinds = "fiub";
  constexpr std::array known = {NpyHeader::Kind::real, NpyHeader::Kind::whole,
                                NpyHeader::Kind::natural, NpyHeader::Kind::truth};
  const std::size_t which = kinds.find(kind);
  const auto one_of = [&item](std::initializer_list<std::uint64_t> sizes) {
    return item && std::find(sizes.begin(), sizes.end(), *item) != sizes.end();
  };
  if (std::string_view("<>|=").find(order) == std::string_view::npos ||
      which == std::string_view::npos ||
      !(kind == 'f'   ? one_of({4, 8})
        : kind == 'b' ? one_of({1})
                      : one_of({1, 2, 4, 8})))
    refuse("array of type " + in_quotes(text), "float32, float64, integers and bool are read");
  header.kind = known[which];
  header.item = static_cast<std::size_t>(*item);
  header.big_endian = order == '>';
}

template <class Number>
double number_at(const char* from, bool swap) {
  std::array<char, sizeof(Number)> bytes{};
  std::memcpy(bytes.data(), from, sizeof(Number));
  if (swap) std::reverse(bytes.begin(), bytes.end());
  Number number{};
  std::memcpy(&number, bytes.data(), sizeof(Number));
  return static_cast<double>(number);
}

template <class Number>
void read_as(const NpyHeader& header, const char* from, std::size_t count, double* into,
             std::size_t step) {
  const bool swap = header.big_endian != (std::endian::native == std::endian::big);
  if (!swap) {
    for (std::size_t i = 0; i < count; ++i)
      into[i * step] = number_at<Number>(from + i * sizeof(Number), false);
  } else {
    for (std::size_t i = 0; i < count; ++i)
      into[i * step] = number_at<Number>(from + i * sizeof(Number), true);
  }
}

}  // namespace

std::size_t npy_header_size(std::string_view beginning, const std::string& name) {
  if (!beginning.starts_with(npy_magic))
    throw Error(name + ": no npy file: it does not begin with \\x93NUMPY",
                {"is " + option("format") + " right?"});
  if (beginning.size() < 12)
    throw Error(name + ": npy header ends in the middle (the file is cut short)");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(beginning[i]));
  };
  if (byte(6) < 1 || byte(6) > 3)
    throw Error(name + ": npy version " + std::to_string(byte(6)) + ", expected 1 to 3");
  if (byte(6) == 1) return 10 + byte(8) + (byte(9) << 8U);
  const std::size_t size = byte(8) + (byte(9) << 8U) + (byte(10) << 16U) + (byte(11) << 24U);
  if (size > longest_header)
    throw Error(name + ": npy header of " + std::to_string(size) + " bytes, expected a short one");
  return 12 + size;
}

NpyHeader read_npy_header(std::string_view bytes, const std::string& name) {
  const std::size_t size = npy_header_size(bytes, name);
  if (bytes.size() < size)
    throw Error(name + ": npy header ends in the middle (the file is cut short)");
  const std::size_t begin = bytes[6] == 1 ? 10 : 12;
  const std::string_view text = bytes.substr(begin, size - begin);
  const auto type = entry(text, "descr");
  const auto order = entry(text, "fortran_order");
  const auto shape_text = entry(text, "shape");
  if (!type || !order || !shape_text || (*order != "True" && *order != "False"))
    throw Error(name + ": npy header " + in_quotes(text) +
                ", expected descr, fortran_order and shape");
  NpyHeader header;
  header.bytes = size;
  read_type(*type, name, header);
  const std::vector<std::uint64_t> shape = read_shape(*shape_text, name);
  if (shape.empty() || shape.size() > 2)
    throw Error(name + ": array of " + std::to_string(shape.size()) +
                " dimensions, expected rows and columns (reshape it)");
  header.rows = shape[0];
  const std::uint64_t columns = shape.size() == 1 ? 1 : shape[1];
  if (header.rows == 0 || columns == 0)
    throw Error(name + ": array of shape " + std::string(*shape_text) + ", expected rows");
  if (columns > most_columns)
    throw Error(name + ": array of shape " + std::string(*shape_text) + ", expected at most " +
                std::to_string(most_columns) + " columns (is it transposed?)");
  constexpr std::uint64_t largest = std::uint64_t{1} << 62U;
  if (header.rows > largest / (columns * header.item))
    throw Error(name + ": array of shape " + std::string(*shape_text) + ", which no file can hold");
  header.columns = static_cast<std::size_t>(columns);
  header.fortran = *order == "True" && header.columns > 1 && header.rows > 1;
  return header;
}

void read_npy_numbers(const NpyHeader& header, const char* from, std::size_t count, double* into,
                      std::size_t step) {
  using Kind = NpyHeader::Kind;
  if (header.kind == Kind::real)
    return header.item == 4 ? read_as<float>(header, from, count, into, step)
                            : read_as<double>(header, from, count, into, step);
  const bool whole = header.kind == Kind::whole;
  switch (header.item) {
    case 1:
      return whole ? read_as<std::int8_t>(header, from, count, into, step)
                   : read_as<std::uint8_t>(header, from, count, into, step);
    case 2:
      return whole ? read_as<std::int16_t>(header, from, count, into, step)
                   : read_as<std::uint16_t>(header, from, count, into, step);
    case 4:
      return whole ? read_as<std::int32_t>(header, from, count, into, step)
                   : read_as<std::uint32_t>(header, from, count, into, step);
    default:
      return whole ? read_as<std::int64_t>(header, from, count, into, step)
                   : read_as<std::uint64_t>(header, from, count, into, step);
  }
}

}  // namespace thalweg
