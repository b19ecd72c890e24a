// Counts the rows of a source and ends it at a limit.
#include <thalweg/sources/limited.hpp>

#include <algorithm>

namespace thalweg {

bool Limited::next(Block& block) {
  if (given_ == limit_ || !source().next(block)) return false;
  const std::uint64_t left = limit_ - given_;
  if (block.rows > left) block = block.slice(0, static_cast<std::size_t>(left));
  given_ += block.rows;
  return true;
}

bool Limited::rewind() {
  if (!source().rewind()) return false;
  given_ = 0;
  return true;
}

std::optional<std::uint64_t> Limited::rows() const {
  const auto all = source().rows();
  return all ? std::optional(std::min(*all, limit_)) : std::nullopt;
}

/// Whichever ends first, the source or the limit.
std::optional<double> Limited::share_read() const {
  const double of_limit = static_cast<double>(given_) / static_cast<double>(limit_);
  return limit_ == 0 ? 1.0 : std::max(of_limit, source().share_read().value_or(0));
}

void Limited::save_own(Archive& archive) const { archive.put("given", given_); }

void Limited::load_own(const Archive& archive) { given_ = archive.count("given"); }

}  // namespace thalweg
