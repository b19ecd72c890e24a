// Cuts rows in memory into blocks, without a copy.
#include <thalweg/sources/memory.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {

MemorySource::MemorySource(Schema schema, Table rows, std::size_t block_rows)
    : MemorySource(std::move(schema), Block{}, block_rows) {
  kept_ = std::make_shared<const Table>(std::move(rows));
  whole_ = kept_->block();
  whole_.number_from(0);
}

MemorySource::MemorySource(Schema schema, const Block& rows, std::size_t block_rows)
    : schema_(std::move(schema)), whole_(rows), block_rows_(block_rows) {
  if (!whole_.has_numbers()) whole_.number_from(0);
}

bool MemorySource::next(Block& block) {
  const std::size_t left = whole_.rows - read_;
  if (left == 0) return false;
  const std::size_t count = block_rows_ == 0 ? left : std::min(left, block_rows_);
  block = whole_.slice(read_, count);
  read_ += count;
  return true;
}

bool MemorySource::rewind() {
  read_ = 0;
  return true;
}

std::optional<double> MemorySource::share_read() const {
  if (whole_.rows == 0) return 1.0;
  return static_cast<double>(read_) / static_cast<double>(whole_.rows);
}

}  // namespace thalweg
