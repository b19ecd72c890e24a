// Exchanges each row that comes for one drawn from the buffer.
#include <thalweg/core/error.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/sources/shuffle_buffer.hpp>

#include <algorithm>
#include <limits>

namespace thalweg {
namespace {

constexpr std::uint64_t shuffle_salt = 0x73687566666c65;

}  // namespace

ShuffleBuffer::ShuffleBuffer(Source& source, ShuffleBufferOptions options)
    : Forwarding(source), options_(options), out_(source.schema().width()) {
  if (options_.rows == 0) throw UsageError("a shuffle buffer needs at least one row");
  if (options_.block_rows == 0) throw UsageError("a block needs at least one row");
}

/// More rows of the source; false at its end.
bool ShuffleBuffer::refill() {
  at_ = 0;
  incoming_.rows = 0;
  ended_ = ended_ || !source().next(incoming_);
  if (ended_) return false;
  if (incoming_.sparse.starts || incoming_.side.unit_start)
    throw UsageError("sequences and sparse rows cannot be shuffled");
  return true;
}

/// The next incoming row goes to a slot.
void ShuffleBuffer::exchange(std::size_t slot) {
  const std::size_t d = incoming_.columns;
  if (slot == filled_) {
    ++filled_;
    values_.resize(std::max(values_.size(), filled_ * d));
    weights_.resize(std::max(weights_.size(), filled_));
    labels_.resize(std::max(labels_.size(), filled_));
    numbers_.resize(std::max(numbers_.size(), filled_));
  }
  std::copy_n(incoming_.row(at_), d, values_.begin() + static_cast<std::ptrdiff_t>(slot * d));
  weights_[slot] = incoming_.weight(at_);
  labels_[slot] =
      incoming_.side.label ? incoming_.side.label[at_] : std::numeric_limits<double>::quiet_NaN();
  numbers_[slot] = incoming_.number(at_);
  ++at_;
}

void ShuffleBuffer::give(std::size_t slot) {
  Block row = dense_block(values_.data() + slot * out_.columns(), 1, out_.columns());
  if (incoming_.side.weight) row.side.weight = &weights_[slot];
  if (incoming_.side.label) row.side.label = &labels_[slot];
  out_.append(row);
  out_numbers_.push_back(numbers_[slot]);
}

bool ShuffleBuffer::next(Block& block) {
  const auto draw = [this](std::size_t bound) {
    return Random(options_.seed ^ shuffle_salt, draws_++, pass_).index(bound);
  };
  read_ += out_numbers_.size();
  out_.clear();
  out_numbers_.clear();
  while (out_numbers_.size() < options_.block_rows) {
    if (at_ == incoming_.rows && !ended_ && !out_numbers_.empty()) break;  // give before waiting
    if (at_ < incoming_.rows || refill()) {
      if (filled_ < options_.rows) {
        exchange(filled_);
        continue;
      }
      const std::size_t slot = draw(filled_);
      give(slot);
      exchange(slot);
      continue;
    }
    if (filled_ == 0) break;
    const std::size_t slot = draw(filled_--);
    give(slot);
    // The last row closes the gap.
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(filled_ * out_.columns()),
                out_.columns(),
                values_.begin() + static_cast<std::ptrdiff_t>(slot * out_.columns()));
    weights_[slot] = weights_[filled_];
    labels_[slot] = labels_[filled_];
    numbers_[slot] = numbers_[filled_];
  }
  if (out_numbers_.empty()) return false;
  block = out_.block();
  block.number_from(read_);
  return true;
}

bool ShuffleBuffer::rewind() {
  if (!source().rewind()) return false;
  ++pass_;
  incoming_ = {};
  at_ = 0;
  ended_ = false;
  draws_ = 0;
  filled_ = 0;
  read_ = 0;
  out_.clear();
  out_numbers_.clear();
  return true;
}

std::uint64_t ShuffleBuffer::number_in_source(std::uint64_t row) const {
  if (row < read_ || row - read_ >= out_numbers_.size()) return row;
  return out_numbers_[static_cast<std::size_t>(row - read_)];
}

std::string ShuffleBuffer::where(std::uint64_t row) const {
  if (row < read_ || row - read_ >= out_numbers_.size()) return where_by_number(row);
  return source().where(number_in_source(row));
}

}  // namespace thalweg
