// Digests rows as they pass, and compares them with those of an earlier run.
#include "sources/journal.hpp"

#include <thalweg/core/error.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace thalweg {
namespace {

/// One round of a multiplicative hash (the odd constant is 2^64 / golden ratio).
std::uint64_t mix(std::uint64_t lane, double value) {
  lane = (lane ^ std::bit_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15;
  return lane ^ lane >> 32U;
}

}  // namespace

void RowDigest::add(const Block& block) {
  for (std::size_t t = 0; t < block.rows; ++t) {
    if (block.is_sparse()) {
      add_entries(block, t);
    } else {
      const double* row = block.row(t);
      for (std::size_t j = 0; j < block.columns; ++j) lanes_[j % 4] = mix(lanes_[j % 4], row[j]);
    }
    std::size_t lane = 0;
    for_side_columns(
        [&](const auto* column) {
          if (column) lanes_[lane % 4] = mix(lanes_[lane % 4], column[t]);
          ++lane;
        },
        block.side);
  }
}

/// How many entries the row has, and each with its column: the same entries of other rows are other rows.
void RowDigest::add_entries(const Block& block, std::size_t t) {
  const SparseRows& rows = block.sparse;
  lanes_[3] = mix(lanes_[3], static_cast<double>(rows.starts[t + 1] - rows.starts[t]));
  for (std::size_t i = rows.starts[t]; i < rows.starts[t + 1]; ++i) {
    lanes_[0] = mix(lanes_[0], rows.columns[i]);
    lanes_[1] = mix(lanes_[1], rows.values[i]);
  }
}

void RowDigest::save(Archive& archive) const {
  archive.put("digest", std::vector<std::uint64_t>(lanes_.begin(), lanes_.end()));
}

void RowDigest::load(const Archive& archive) {
  const std::vector<std::uint64_t>& lanes = archive.counts("digest");
  if (lanes.size() != lanes_.size()) throw Error("saved digest is damaged");
  std::copy(lanes.begin(), lanes.end(), lanes_.begin());
}

bool Journal::next(Block& block) {
  if (!source().next(block)) {
    if (expected_ && !in_stretch_)
      throw Error("the input has " + std::to_string(rows_) + " rows, fewer than the " +
                  std::to_string(expected_->rows) +
                  " that were learned before (resume with the input of the first run)");
    return false;
  }
  if (expected_) {
    compare_when_there(block);
  } else {
    digest_.add(block);
    rows_ += block.rows;
  }
  return true;
}

/// Adds the block to the digest, in two parts where the place lies inside it.
void Journal::compare_when_there(const Block& block) {
  const auto before =
      static_cast<std::size_t>(std::min<std::uint64_t>(block.rows, expected_->rows - rows_));
  digest_.add(block.slice(0, before));
  rows_ += before;
  if (rows_ < expected_->rows) return;
  if (digest_ != expected_->digest)
    throw Error("the first " + std::to_string(rows_) +
                " rows are not those that were learned before (resume with the input and the "
                "reading flags of the first run)");
  expected_.reset();
  digest_.add(block.slice(before, block.rows - before));
  rows_ += block.rows - before;
}

bool Journal::rewind() {
  if (!source().rewind()) return false;
  rows_ = 0;
  digest_ = RowDigest();
  in_stretch_ = false;
  return true;
}

void Journal::go_to_stretch(const Stretch& stretch) {
  Forwarding::go_to_stretch(stretch);
  in_stretch_ = true;
}

bool Journal::save_position(Archive& archive) const {
  archive.put("rows", rows_);
  digest_.save(archive);
  Archive place;
  if (source().save_position(place)) archive.put("place/", place);
  return true;
}

void Journal::load_position(const Archive& archive) {
  const Archive place = archive.nested("place/");
  if (place.empty()) return expect_again(archive);
  source().load_position(place);
  rows_ = archive.count("rows");
  digest_.load(archive);
}

void Journal::expect_again(const Archive& archive) {
  Expected expected{.rows = archive.count("rows"), .digest = {}};
  expected.digest.load(archive);
  if (expected.rows > 0) expected_ = expected;
}

}  // namespace thalweg
