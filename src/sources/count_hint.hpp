// Watches the first rows for whole numbers: a model of counts may fit them better.
#pragma once

#include <thalweg/core/error.hpp>
#include <thalweg/sources/observed.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace thalweg {

class CountHint final : public RowObserver {
 public:
  void see(const Block& block) override {
    if (seen_) return;
    seen_ = true;
    counts_ = all_counts(block);
  }
  void save(Archive& archive) const override {
    archive.put("hint", std::vector<std::uint64_t>{seen_ ? 1U : 0U, counts_ ? 1U : 0U});
  }
  void load(const Archive& archive) override {
    const std::vector<std::uint64_t>& hint = archive.counts("hint");
    if (hint.size() != 2) throw Error("saved state \"hint\" is damaged");
    seen_ = hint[0] == 1;
    counts_ = hint[1] == 1;
  }
  bool counts() const { return counts_; }

 private:
  static bool all_counts(const Block& block) {
    for (std::size_t t = 0; t < block.rows; ++t)
      for (std::size_t j = 0; j < block.columns; ++j)
        if (const double y = block.row(t)[j]; !(y >= 0 && y == std::floor(y))) return false;
    return block.rows > 0;
  }

  bool seen_ = false;
  bool counts_ = false;
};

}  // namespace thalweg
