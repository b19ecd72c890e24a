// The rows of one .npy file, a run at a time: mapped where they can be used as they lie, else read and converted.
#pragma once

#include "bytes.hpp"
#include "npy_header.hpp"

#include <memory>
#include <string>
#include <vector>

namespace thalweg {

class NpyFile {
 public:
  NpyFile(const Input& input, const std::function<bool()>& stop);
  NpyFile(const NpyFile&) = delete;
  NpyFile& operator=(const NpyFile&) = delete;
  ~NpyFile();

  const NpyHeader& header() const { return header_; }

  /// Up to `count` rows, at least one, from `row` on, which has to be one of the header's, row by row, valid until the next
  /// call; `count` becomes how many there are, at least one. Through a pipe, `row` is always the next one.
  const double* rows(std::uint64_t row, std::size_t& count);

 private:
  void check_size(std::uint64_t size) const;
  const double* mapped(std::uint64_t row, std::size_t& count);
  const double* converted(std::uint64_t row, std::size_t& count);
  void read_at(std::uint64_t offset, std::size_t count);
  void read_on(std::size_t count);
  void unmap();

  Input input_;
  NpyHeader header_;
  int file_ = -1;                 // of a regular file
  std::unique_ptr<Bytes> bytes_;  // of everything else
  void* map_ = nullptr;           // a window that holds whole rows
  std::size_t map_bytes_ = 0;
  std::uint64_t map_begin_ = 0;  // in the file
  std::vector<char> raw_;
  std::vector<double> values_;
};

}  // namespace thalweg
