// Rows that lie sorted, in blocks or in waves, are learned as if they were mixed: a look at stretches from all over the input, before the
// first row is learned, says whether that is needed.
#pragma once

#include "core/order_test.hpp"
#include "sources/sorted_hint.hpp"
#include <thalweg/core/forwarding.hpp>
#include <thalweg/core/remark.hpp>
#include <thalweg/sources/shuffle_buffer.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace thalweg {

/// The stretches of a source, in an order that (seed, pass) draws.
class THALWEG_API StretchesInTurn final : public Forwarding<> {
 public:
  StretchesInTurn(Source& source, std::uint64_t bytes, std::uint64_t seed);

  bool next(Block& block) override;
  bool rewind() override;  // to another order
  std::optional<double> share_read() const override;

 private:
  void draw();

  std::uint64_t bytes_;
  std::uint64_t seed_;
  std::uint32_t pass_ = 0;
  std::vector<std::uint32_t> order_;
  std::size_t at_ = 0;  // stretches that were begun
  bool any_ = false;    // rows came
};

struct MixedRowsOptions {
  enum class When { never, if_needed, always };
  When when = When::if_needed;
  std::uint64_t keep = 0;   // bytes of rows that may be in memory; half of them mix
  bool small_fits = false;  // an input that fits into `keep` is mixed by who asks for it
  bool warns = false;       // where rows that come as they come look sorted
  std::uint64_t seed = 0;
  Tell tell = {};
};

class THALWEG_API MixedRows final : public Forwarding<> {
 public:
  MixedRows(Source& source, MixedRowsOptions options);

  bool mixes() const { return shuffled_ != nullptr; }

  bool next(Block& block) override;
  bool rewind() override;

  /// The number that a row of the current block has in the source.
  std::uint64_t number_in_source(std::uint64_t row) const;

  /// Mixed rows come again from the first one on.
  bool save_position(Archive& archive) const override;
  void load_position(const Archive& archive) override;
  void expect_again(const Archive& archive) override;

 private:
  /// What is found of the order of rows; nothing where they look mixed, or where nothing can be known.
  std::optional<std::string> look_around();
  std::optional<std::string> look_at_beginning();
  void mix();
  void mix_no_longer();
  std::size_t rows_mixed() const;
  void watch(const Block& block);
  void warn_if_sorted();

  Source& plain_;
  MixedRowsOptions options_;
  std::unique_ptr<StretchesInTurn> stretches_;
  std::unique_ptr<ShuffleBuffer> shuffled_;
  std::optional<SortedHint> hint_;
};

}  // namespace thalweg
