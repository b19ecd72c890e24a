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
  const std::size_t left = end_.value_or(whole_.rows) - read_;
  if (left == 0) return false;
  const std::size_t count = block_rows_ == 0 ? left : std::min(left, block_rows_);
  block = whole_.slice(read_, count);
  read_ += count;
  return true;
}

bool MemorySource::rewind() {
  read_ = 0;
  end_.reset();
  return true;
}

std::size_t MemorySource::rows_in(std::uint64_t bytes) const {
  return std::max<std::size_t>(static_cast<std::size_t>(bytes / sizeof(double)) / whole_.columns,
                               1);
}

std::uint64_t MemorySource::stretches(std::uint64_t bytes) const {
  if (whole_.is_sparse() || whole_.side.unit_start || whole_.columns == 0) return 0;
  const std::size_t rows = rows_in(bytes);
  return (whole_.rows + rows - 1) / rows;
}

void MemorySource::go_to_stretch(const Stretch& stretch) {
  const std::size_t rows = rows_in(stretch.bytes);
  read_ = std::min(static_cast<std::size_t>(stretch.number) * rows, whole_.rows);
  end_ = std::min(read_ + rows, whole_.rows);
}

std::optional<double> MemorySource::share_read() const {
  if (whole_.rows == 0) return 1.0;
  return static_cast<double>(read_) / static_cast<double>(whole_.rows);
}

}  // namespace thalweg
