// Rows on which starts are found, spread over all.
#include "estimators/start_sample.hpp"

#include <thalweg/core/random.hpp>
#include <thalweg/core/schedule.hpp>

#include <algorithm>

namespace thalweg {

StartSample::StartSample(std::size_t columns, std::uint64_t wanted, Unit unit,
                         std::optional<std::uint64_t> length, std::uint64_t seed)
    : wanted_(wanted),
      unit_(unit),
      length_known_(length.has_value()),
      seed_(seed),
      sample_(columns) {
  aim(length.value_or(0));
}

void StartSample::aim(std::uint64_t length) {
  sample_ = Table(sample_.columns());
  size_ = std::min(wanted_, length);
  from_ = length;
}

std::uint64_t StartSample::next() const {
  constexpr std::uint32_t visit = 5;
  const std::uint64_t i = sample_.rows();
  const auto begin = [this](std::uint64_t stretch) {
    return static_cast<std::uint64_t>(real(stretch) * (real(from_) / real(size_)));
  };
  if (size_ == from_) return i;
  return begin(i) + Random(seed_, i, visit).index(begin(i + 1) - begin(i));
}

/// Units until there are rows enough: the one that holds the last of them is there as a whole.
void StartSample::add_units(const Block& block) {
  if (filled_) return;
  const std::uint64_t left = wanted_ > sample_.rows() ? wanted_ - sample_.rows() : 0;
  const auto end = unit_after(block, static_cast<std::size_t>(left), unit_);
  sample_.append(block.slice(0, end.value_or(block.rows)));
  filled_ = end.has_value();
}

void StartSample::add(const Block& block) {
  if (unit_ != Unit::row) add_units(block);
  while (unit_ == Unit::row && !whole() && next() < rows_ + block.rows)
    sample_.append(block.slice(static_cast<std::size_t>(next() - rows_), 1));
  rows_ += block.rows;
  weight_ += block.total_weight();
  for (std::size_t t = 0; block.side.weight && t < block.rows; ++t)
    weightless_ += block.weight(t) == 0 ? 1 : 0;
}

void StartSample::look_again(Source& source) {
  aim(rows_that_count());
  std::uint64_t row = 0;
  for (const Block& block : source) look_at(block, row);
}

void StartSample::look_again(const Block& rows) {
  aim(rows_that_count());
  std::uint64_t row = 0;
  look_at(rows, row);
}

/// `row` counts those that count.
void StartSample::look_at(const Block& rows, std::uint64_t& row) {
  for (std::size_t t = 0; t < rows.rows && !whole(); ++t)
    if (rows.weight(t) != 0 && row++ == next()) sample_.append(rows.slice(t, 1));
}

}  // namespace thalweg
