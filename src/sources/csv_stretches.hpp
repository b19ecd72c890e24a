// Where the stretches of text tables begin: with a row, and on which line. One look at all bytes tells, as a line end between quotes ends
// no row.
#pragma once

#include "bytes.hpp"
#include "csv_row.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

class CsvStretches {
 public:
  struct Place {
    std::uint64_t offset = 0;  // in the file
    std::uint64_t line = 1;
  };
  struct Part {
    std::size_t file = 0;
    Place begin = {};
    std::uint64_t end = 0;
  };

  /// How many stretches of so many bytes there are: no stretch lies in two files.
  static std::uint64_t count(const std::vector<Input>& inputs, std::uint64_t bytes);

  /// `delimiter` of each file; none: a quote is a character like others, and every line end ends a row.
  CsvStretches(const std::vector<Input>& inputs, std::uint64_t bytes,
               const std::function<std::optional<char>(std::size_t file)>& delimiter,
               const std::function<bool()>& stop);

  std::uint64_t bytes() const { return bytes_; }
  Part part(std::uint64_t number) const;

  /// The same from line ends next to where it should be cut, quoted or not.
  static Part near(const std::vector<Input>& inputs, std::uint64_t number, std::uint64_t bytes);

  /// On which line of its file a row begins: rows are known by their offset, and the bytes of the files before theirs.
  std::string where(std::uint64_t row) const;

 private:
  void look_through(std::size_t file, std::optional<char> delimiter,
                    const std::function<bool()>& stop);

  const std::vector<Input>& inputs_;
  std::uint64_t bytes_;
  std::vector<std::vector<Place>> begins_;  // by file
};

}  // namespace thalweg
