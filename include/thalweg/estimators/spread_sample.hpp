// Some rows of a stream whose length nobody knows, spread evenly over all that have come: one drawn from each of as many stretches of
// equal length.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/data/block.hpp>
#include <thalweg/data/table.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <cstdint>

namespace thalweg {

/// Between half of `most` rows and all of them, once so many have come. When it is full, stretches join in pairs and one row of each two
/// stays. Which rows are drawn depends on the seed and on their places in the stream, not on how it is cut.
class THALWEG_API SpreadSample {
 public:
  SpreadSample(std::size_t columns, std::size_t most, std::uint64_t seed);

  void add(const Block& block);

  Block block() const { return rows_.block(); }

  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  void aim();
  void thin();

  std::size_t most_;
  std::uint64_t seed_;
  Table rows_;                 // one of each stretch so far
  std::uint32_t doubled_ = 0;  // a stretch is 2^doubled rows long
  std::uint64_t seen_ = 0;
  std::uint64_t next_ = 0;  // place of the row that comes next into the sample
};

}  // namespace thalweg
