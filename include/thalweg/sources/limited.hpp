// The first rows of a source.
#pragma once

#include <thalweg/core/forwarding.hpp>

#include <cstdint>

namespace thalweg {

/// Ends after `limit` rows, without asking the source for more.
class THALWEG_API Limited final : public Forwarding<> {
 public:
  Limited(Source& source, std::uint64_t limit) : Forwarding(source, "source/"), limit_(limit) {}

  bool next(Block& block) override;
  bool rewind() override;

  /// Which rows these are, only those before them tell.
  std::uint64_t stretches(std::uint64_t /*bytes*/) const override { return 0; }
  std::optional<std::uint64_t> rows() const override;
  std::optional<double> share_read() const override;

 private:
  void save_own(Archive& archive) const override;
  void load_own(const Archive& archive) override;

  std::uint64_t limit_;
  std::uint64_t given_ = 0;
};

}  // namespace thalweg
