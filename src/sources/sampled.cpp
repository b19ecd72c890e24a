// Throws a coin for each row, by its number, and keeps those that win.
#include <thalweg/core/error.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/sources/sampled.hpp>

namespace thalweg {
namespace {

// Keeps these coins apart from other streams of the same seed.
constexpr std::uint64_t sample_salt = 0x73616d706c65;

}  // namespace

Sampled::Sampled(Source& source, SampledOptions options)
    : Forwarding(source, "source/"), options_(options), rows_(source.schema().width()) {
  if (!(options.share > 0 && options.share <= 1))
    throw UsageError("a sample is a share of the rows: more than 0, at most 1");
}

bool Sampled::next(Block& block) {
  Block all;
  while (source().next(all)) {
    if (all.sparse.starts || all.side.unit_start)
      throw UsageError("sequences and sparse rows cannot be sampled");
    read_ += kept_.size();
    first_ = all.first;
    kept_.clear();
    for (std::size_t t = 0; t < all.rows; ++t)
      if (Random(options_.seed ^ sample_salt, all.first + t).uniform() < options_.share)
        kept_.push_back(t);
    if (kept_.empty()) continue;
    rows_.clear();
    for (const std::size_t t : kept_) rows_.append(all.slice(t, 1));
    block = rows_.block();
    block.number_from(read_);
    return true;
  }
  return false;
}

bool Sampled::rewind() {
  if (!source().rewind()) return false;
  read_ = 0;
  kept_.clear();
  return true;
}

std::string Sampled::where(std::uint64_t row) const {
  if (row < read_ || row - read_ >= kept_.size()) return where_by_number(row);
  return source().where(first_ + kept_[static_cast<std::size_t>(row - read_)]);
}

void Sampled::save_own(Archive& archive) const { archive.put("given", read_ + kept_.size()); }

void Sampled::load_own(const Archive& archive) {
  read_ = archive.count("given");
  kept_.clear();
}

}  // namespace thalweg
