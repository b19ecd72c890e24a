// A source for tests: rows in memory, cut into blocks of any size, readable again or not.
#pragma once

#include <thalweg/core/source.hpp>
#include <thalweg/data/table.hpp>

#include <algorithm>
#include <utility>

namespace samples {

class ListSource final : public thalweg::Source {
 public:
  ListSource(thalweg::Table rows, std::size_t block_rows, bool again = true, bool tells_rows = true)
      : schema_(thalweg::Schema::numbered(rows.columns())),
        rows_(std::move(rows)),
        block_rows_(block_rows),
        again_(again),
        tells_rows_(tells_rows) {}

  const thalweg::Schema& schema() const override { return schema_; }

  bool next(thalweg::Block& block) override {
    const std::size_t left = rows_.rows() - read_;
    if (left == 0) return false;
    block = rows_.block().slice(read_, std::min(left, block_rows_));
    block.number_from(read_);
    read_ += block.rows;
    ++blocks_;
    return true;
  }

  bool rewind() override {
    if (!again_) return false;
    read_ = 0;
    ++rewinds_;
    return true;
  }

  std::optional<std::uint64_t> rows() const override {
    if (!tells_rows_) return std::nullopt;
    return rows_.rows();
  }

  std::size_t blocks() const { return blocks_; }
  std::size_t rewinds() const { return rewinds_; }

 private:
  thalweg::Schema schema_;
  thalweg::Table rows_;
  std::size_t block_rows_;
  bool again_;
  bool tells_rows_;
  std::size_t read_ = 0;
  std::size_t blocks_ = 0;
  std::size_t rewinds_ = 0;
};

}  // namespace samples
