// Where a text table goes on, and how its files looked until there, so that a changed one is not taken for the old.
#pragma once

#include "bytes.hpp"
#include <thalweg/core/archive.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thalweg {

struct CsvPosition {
  bool started = false;  // some row was read, and the last of them begins here:
  bool ended = false;
  std::uint64_t rows = 0;  // that were given
  std::size_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t line = 0;
  char delimiter = ',';

  /// With the sizes of the files before, and hashes of the file's first bytes and of those just before the offset.
  void save(const std::vector<Input>& files, Archive& archive) const;
  static CsvPosition load(const std::vector<Input>& files, const Archive& archive);
};

}  // namespace thalweg
