// The first rows of a source.
#pragma once

#include <thalweg/core/source.hpp>

#include <cstdint>

namespace thalweg {

/// Ends after `limit` rows, without asking the source for more.
class THALWEG_API Limited final : public Source {
 public:
  Limited(Source& source, std::uint64_t limit) : source_(source), limit_(limit) {}

  const Schema& schema() const override { return source_.schema(); }
  bool next(Block& block) override;
  bool rewind() override;
  std::optional<std::uint64_t> rows() const override;
  std::optional<double> share_read() const override;
  std::string where(std::uint64_t row) const override { return source_.where(row); }
  bool save_position(Archive& archive) const override;
  void load_position(const Archive& archive) override;

 private:
  Source& source_;
  std::uint64_t limit_;
  std::uint64_t given_ = 0;
};

}  // namespace thalweg
