// Looks whether the first rows of a source are sorted, which online learning suffers from.
#pragma once

#include <thalweg/sources/observed.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

/// Sorted: a column of many values that never falls, or never rises, over the first rows; or labels in long runs.
class THALWEG_API SortedHint final : public RowObserver {
 public:
  static constexpr std::uint64_t rows_looked_at = 10000;
  static constexpr std::uint64_t fewest_rows = 1000;  // less says nothing

  explicit SortedHint(const Schema& schema);  // of the rows that it will see

  /// Sparse rows, and rows that do not follow those before, say nothing.
  void see(const Block& block) override;

  /// "column \"time\" never falls in the first 10000 rows"; nothing when the rows look mixed.
  std::optional<std::string> found() const;

 private:
  struct Column {
    double last = 0;
    std::uint64_t steps = 0;  // changes of value
    bool begun = false;
    bool falls = false;
    bool rises = false;
  };

  std::vector<std::string> names_;
  std::uint64_t seen_ = 0;
  std::vector<Column> columns_;
  Column labels_;
  std::uint64_t labelled_ = 0;
};

}  // namespace thalweg
