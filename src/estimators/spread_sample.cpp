// A stratified sample of a stream, thinned by halves.
#include <thalweg/core/error.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/estimators/spread_sample.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace thalweg {
namespace {

constexpr std::uint32_t visit_of_draws = 6;
constexpr std::uint32_t visit_of_halves = 7;

/// Every length of stretches has streams of its own.
Random stream(std::uint64_t seed, std::uint64_t stretch, std::uint32_t visit,
              std::uint32_t doubled) {
  return Random(seed, stretch, visit + 16 * doubled);
}

}  // namespace

SpreadSample::SpreadSample(std::size_t columns, std::size_t most, std::uint64_t seed)
    : most_(std::max<std::size_t>(2, most / 2 * 2)), seed_(seed), rows_(columns) {
  aim();
}

void SpreadSample::add(const Block& block) {
  while (next_ < seen_ + block.rows) {
    rows_.append(block.slice(static_cast<std::size_t>(next_ - seen_), 1));
    if (rows_.rows() == most_) thin();
    aim();
  }
  seen_ += block.rows;
}

void SpreadSample::aim() {
  const std::uint64_t stretch = rows_.rows();
  const std::uint64_t length = std::uint64_t{1} << doubled_;
  next_ = stretch * length +
          stream(seed_, stretch, visit_of_draws, doubled_).index(static_cast<std::size_t>(length));
}

void SpreadSample::thin() {
  const Block all = rows_.block();
  Table half(all.columns);
  for (std::size_t i = 0; i < all.rows; i += 2)
    half.append(all.slice(i + stream(seed_, i / 2, visit_of_halves, doubled_).index(2), 1));
  rows_ = std::move(half);
  ++doubled_;
}

void SpreadSample::save(Archive& archive) const {
  archive.put("sample/rows", rows_);
  archive.put("sample/places", std::vector<std::uint64_t>{doubled_, seen_, next_});
}

void SpreadSample::load(const Archive& archive) {
  const auto& places = archive.counts("sample/places");
  if (places.size() != 3 || places[0] > 62) throw Error("saved sample of rows is damaged");
  archive.get("sample/rows", rows_);
  doubled_ = static_cast<std::uint32_t>(places[0]);
  seen_ = places[1];
  next_ = places[2];
  if (rows_.rows() >= most_ || next_ < seen_) throw Error("saved sample of rows is damaged");
}

}  // namespace thalweg
