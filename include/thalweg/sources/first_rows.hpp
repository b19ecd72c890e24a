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
    const std::uint64_t have = kept_.rows();  // a row that comes again is told by its number
    if (have < wanted_ && block.first <= have && have < block.first + block.rows) {
      const auto begin = static_cast<std::size_t>(have - block.first);
      kept_.append(block.slice(begin, std::min(block.rows - begin, wanted_ - kept_.rows())));
    }
    return true;
  }
  bool rewind() override { return source_.rewind(); }
  std::optional<std::uint64_t> rows() const override { return source_.rows(); }
  std::optional<double> share_read() const override { return source_.share_read(); }
  std::string where(std::uint64_t row) const override { return source_.where(row); }

  bool save_position(Archive& archive) const override {
    archive.put("first_rows", kept_);
    return source_.save_position(archive);
  }
  void load_position(const Archive& archive) override {
    archive.get("first_rows", kept_);
    source_.load_position(archive);
  }
  void expect_again(const Archive& archive) override { source_.expect_again(archive); }

  const Table& kept() const { return kept_; }

 private:
  Source& source_;
  std::size_t wanted_;
  Table kept_;
};

}  // namespace thalweg
