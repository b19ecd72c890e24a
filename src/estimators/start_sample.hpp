// Rows on which batch EM finds its starts, and how many rows there are: the first ones, whole units of them, or some spread evenly
// over all.
#pragma once

#include <thalweg/core/source.hpp>
#include <thalweg/data/table.hpp>
#include <thalweg/data/units.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace thalweg {

class StartSample {
 public:
  /// `length`: of all rows, where it is known; rows are spread only then, and longer units never.
  StartSample(std::size_t columns, std::uint64_t wanted, Unit unit, bool spread,
              std::optional<std::uint64_t> length);

  void add(const Block& block);

  /// Spread rows of weight 0 are as if they were not there: where there are any, the sample takes a second look.
  bool has_to_look_again() const { return spread_ && weightless_ > 0; }
  void look_again(Source& source);

  Block block() const { return sample_.block(); }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t rows_that_count() const { return spread_ ? rows_ - weightless_ : rows_; }
  double weight() const { return weight_; }

 private:
  void aim(std::uint64_t length);
  void add_units(const Block& block);
  bool whole() const { return sample_.rows() == size_; }
  std::uint64_t next() const;  // number of the row that comes next into the sample

  std::uint64_t wanted_;
  Unit unit_;
  bool spread_;
  bool filled_ = false;     // with so many whole units
  std::uint64_t size_ = 0;  // of the sample, and from how many rows
  std::uint64_t from_ = 0;
  Table sample_;
  std::uint64_t rows_ = 0;
  std::uint64_t weightless_ = 0;
  double weight_ = 0;
};

}  // namespace thalweg
