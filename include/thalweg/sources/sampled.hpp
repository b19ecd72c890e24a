// A random share of the rows of a source.
#pragma once

#include <thalweg/core/forwarding.hpp>
#include <thalweg/data/table.hpp>

#include <cstdint>
#include <vector>

namespace thalweg {

struct SampledOptions {
  double share = 1;  // in (0, 1]
  std::uint64_t seed = 0;
};

/// Row t is kept or not by a coin of its own, (seed, t): the same rows in every pass, however the source cuts.
class THALWEG_API Sampled final : public Forwarding<> {
 public:
  Sampled(Source& source, SampledOptions options);

  bool next(Block& block) override;
  bool rewind() override;

  /// Which rows these are, only those before them tell.
  std::uint64_t stretches(std::uint64_t /*bytes*/) const override { return 0; }
  std::optional<std::uint64_t> rows() const override { return std::nullopt; }  // coins decide
  std::string where(std::uint64_t row) const override;

  /// Where a row of the current block stands in the source's block; row_in_block < rows of the current block.
  std::size_t row_in_source(std::size_t row_in_block) const { return kept_[row_in_block]; }

 private:
  void save_own(Archive& archive) const override;
  void load_own(const Archive& archive) override;

  SampledOptions options_;
  std::uint64_t read_ = 0;         // rows before the current block
  std::uint64_t first_ = 0;        // of the source's block
  std::vector<std::size_t> kept_;  // rows of the source's block
  Table rows_;
};

}  // namespace thalweg
