// Passes a source on and keeps its first rows.
#pragma once

#include <thalweg/core/source.hpp>
#include <thalweg/data/table.hpp>

#include <algorithm>

namespace thalweg {

class FirstRows final : public Source {
 public:
  FirstRows(Source& source, std::size_t rows)
      : source_(source), wanted_(rows), kept_(source.schema().width()) {}

  const Schema& schema() const override { return source_.schema(); }
  bool next(Block& block) override {
    if (!source_.next(block)) return false;
    kept_.append(block.slice(0, std::min(block.rows, wanted_ - kept_.rows())));
    return true;
  }
  bool rewind() override { return source_.rewind(); }
  std::optional<std::uint64_t> rows() const override { return source_.rows(); }
  std::optional<double> share_read() const override { return source_.share_read(); }
  std::string where(std::uint64_t row) const override { return source_.where(row); }

  const Table& kept() const { return kept_; }

 private:
  Source& source_;
  std::size_t wanted_;
  Table kept_;
};

}  // namespace thalweg
