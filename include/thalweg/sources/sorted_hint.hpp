// Passes a source on and looks whether its first rows are sorted, which online learning suffers from.
#pragma once

#include <thalweg/core/source.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

/// Sorted: a column of many values that never falls, or never rises, over the first rows; or labels in long runs.
class THALWEG_API SortedHint final : public Source {
 public:
  static constexpr std::uint64_t rows_looked_at = 10000;
  static constexpr std::uint64_t fewest_rows = 1000;  // less says nothing

  explicit SortedHint(Source& source);

  const Schema& schema() const override { return source_.schema(); }
  bool next(Block& block) override;
  bool rewind() override { return source_.rewind(); }
  std::optional<std::uint64_t> rows() const override { return source_.rows(); }
  std::optional<double> share_read() const override { return source_.share_read(); }
  std::string where(std::uint64_t row) const override { return source_.where(row); }
  bool save_position(Archive& archive) const override { return source_.save_position(archive); }
  void load_position(const Archive& archive) override { source_.load_position(archive); }

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
  void look(const Block& block);

  Source& source_;
  std::uint64_t seen_ = 0;
  std::vector<Column> columns_;
  Column labels_;
  std::uint64_t labelled_ = 0;
};

}  // namespace thalweg
