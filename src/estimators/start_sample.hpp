// Rows on which batch EM finds its starts, and how many rows there are: one drawn from each of as many stretches of equal length, so that
// no order of the rows matters; of longer units the first ones.
#pragma once

#include <thalweg/core/source.hpp>
#include <thalweg/data/table.hpp>
#include <thalweg/data/units.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace thalweg {

class THALWEG_API StartSample {
 public:
  /// `length`: of all rows, where it is known.
  StartSample(std::size_t columns, std::uint64_t wanted, Unit unit,
              std::optional<std::uint64_t> length, std::uint64_t seed);

  void add(const Block& block);

  /// Where the length was not known, and where there are rows of weight 0, which are as if they were not there, the sample takes a
  /// second look.
  bool has_to_look_again() const {
    return unit_ == Unit::row && (weightless_ > 0 || !length_known_);
  }
  void look_again(Source& source);
  void look_again(const Block& rows);

  Block block() const { return sample_.block(); }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t rows_that_count() const { return unit_ == Unit::row ? rows_ - weightless_ : rows_; }
  double weight() const { return weight_; }

 private:
  void aim(std::uint64_t length);
  void add_units(const Block& block);
  bool whole() const { return sample_.rows() == size_; }
  void look_at(const Block& rows, std::uint64_t& row);
  std::uint64_t next() const;  // number of the row that comes next into the sample

  std::uint64_t wanted_;
  Unit unit_;
  bool length_known_;
  std::uint64_t seed_;
  bool filled_ = false;     // with so many whole units
  std::uint64_t size_ = 0;  // of the sample, and from how many rows
  std::uint64_t from_ = 0;
  Table sample_;
  std::uint64_t rows_ = 0;
  std::uint64_t weightless_ = 0;
  double weight_ = 0;
};

}  // namespace thalweg
