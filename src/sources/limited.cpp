#include <thalweg/sources/limited.hpp>

#include <algorithm>

namespace thalweg {

bool Limited::next(Block& block) {
  if (given_ == limit_ || !source_.next(block)) return false;
  const std::uint64_t left = limit_ - given_;
  if (block.rows > left) block = block.slice(0, static_cast<std::size_t>(left));
  given_ += block.rows;
  return true;
}

bool Limited::rewind() {
  if (!source_.rewind()) return false;
  given_ = 0;
  return true;
}

std::optional<std::uint64_t> Limited::rows() const {
  const auto all = source_.rows();
  return all ? std::optional(std::min(*all, limit_)) : std::nullopt;
}

/// Whichever ends first, the source or the limit.
std::optional<double> Limited::share_read() const {
  const double of_limit = static_cast<double>(given_) / static_cast<double>(limit_);
  return limit_ == 0 ? 1.0 : std::max(of_limit, source_.share_read().value_or(0));
}

bool Limited::save_position(Archive& archive) const {
  Archive inner;
  if (!source_.save_position(inner)) return false;
  archive.put("source/", inner);
  archive.put("given", given_);
  return true;
}

void Limited::load_position(const Archive& archive) {
  source_.load_position(archive.nested("source/"));
  given_ = archive.count("given");
}

}  // namespace thalweg
