// Levels of categorical columns: how many there may be, and the cells whose level a model does not know.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// A column with more of them is an id or free text.
inline constexpr std::size_t most_levels = 10'000;

/// Rows in which the levels of an input that can be read only once are looked for.
inline constexpr std::size_t level_sample_rows = 1024;

/// Cells that count as missing because a model has not seen their level: counted, the first few levels by name.
class THALWEG_API UnknownLevels {
 public:
  static constexpr std::size_t shown = 5;
  struct Column {
    std::string name;
    std::uint64_t cells = 0;
    std::vector<std::string> first = {};  // different ones
  };

  void add(const std::string& column, std::string_view level);
  const std::vector<Column>& columns() const { return columns_; }
  std::uint64_t cells() const;

  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  std::vector<Column> columns_;  // in the order of their first such cell
};

}  // namespace thalweg
