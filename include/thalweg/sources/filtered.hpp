// A table read in part or in another order: a sample, the first rows, a window in which they are mixed.
#pragma once

#include <thalweg/core/forwarding.hpp>
#include <thalweg/sources/limited.hpp>
#include <thalweg/sources/sampled.hpp>
#include <thalweg/sources/shuffle_buffer.hpp>
#include <thalweg/sources/table_source.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace thalweg {

struct FilterOptions {
  std::optional<double> sample = {};          // the share of rows that are kept
  std::optional<std::uint64_t> limit = {};    // of the rows kept, only the first so many
  std::optional<std::uint64_t> shuffle = {};  // rows among which they are mixed
  std::uint64_t seed = 0;
};

/// There has to be a table. Where a sample or faults leave none of its rows, that is an Error at the end.
class THALWEG_API FilteredTable final : public Forwarding<TableSource> {
 public:
  FilteredTable(std::unique_ptr<TableSource> table, const FilterOptions& options);

  bool next(Block& block) override;
  bool rewind() override;
  void go_to_stretch(const Stretch& stretch) override;

  bool has_header() const override { return table_->has_header(); }
  bool header_detected() const override { return table_->header_detected(); }
  const std::vector<std::string>& text_columns() const override { return table_->text_columns(); }
  const std::vector<std::string>& label_names() const override { return table_->label_names(); }
  const std::vector<std::string>& raw_header() const override { return table_->raw_header(); }
  const std::vector<std::string>& raw(std::size_t row_in_block) const override;  // not shuffled
  std::string_view raw(std::size_t row_in_block, std::size_t field) const override;
  const Faults& faults() const override;                 // of the pass that had most of them
  const UnknownLevels& unknown_levels() const override;  // likewise
  bool has_sequences() const override { return table_->has_sequences(); }

  std::uint64_t given() const { return given_; }  // rows, in the longest pass

 private:
  void save_own(Archive& archive) const override;
  void load_own(const Archive& archive) override;
  std::size_t row_in_table(std::size_t row_in_block) const;

  std::unique_ptr<TableSource> table_;
  std::unique_ptr<Sampled> sampled_;
  std::unique_ptr<Limited> limited_;
  std::unique_ptr<ShuffleBuffer> shuffled_;
  Faults earlier_;
  UnknownLevels unknown_earlier_;  // of the passes before
  std::uint64_t in_pass_ = 0;
  std::uint64_t given_ = 0;
  bool in_stretch_ = false;  // whose end is not that of the input
};

}  // namespace thalweg
