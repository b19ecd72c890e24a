// The border: whatever takes a block from outside passes it through here once, and nobody behind it looks again.
#pragma once

#include <thalweg/core/model.hpp>
#include <thalweg/core/source.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <cstdint>

namespace thalweg {

/// The border of a stream whose blocks may end inside a unit.
class THALWEG_API Admission {
 public:
  explicit Admission(Unit unit) : unit_(unit) {}

  /// Refuses a block that a model of these columns cannot take: another width, sparse rows, weights that are no weights or differ
  /// within a unit (which counts as a whole; a row of weight 0 is a member of any), labels without components that they could
  /// name, cells outside the model's domain. What concerns a row is a RowError with its absolute number; rows before it were not
  /// taken either.
  void admit(const Model& model, const Schema& schema, const Block& block);
  /// The same of a portion that comes after `before` rows: a caller's own array does not know where in the stream it lies. Gives
  /// the block with its numbers.
  Block admit(const Model& model, const Schema& schema, const Block& block, std::uint64_t before);

 private:
  double weight_after(const Block& block) const;

  Unit unit_;
  double weight_ = 0;  // of the unit that the next block may go on with; 0: not known yet
};

/// The same for a block that goes on with nothing.
THALWEG_API void admit(const Model& model, const Schema& schema, const Block& block);

/// Refuses a source of other columns than those that an estimator was made for, before a row of it is read.
THALWEG_API void admit(const Schema& schema, const Source& rows);

/// For estimators that go over the same block again and again: it is looked at when it is new. Cells that change where they lie are not
/// seen: begin anew with them.
class Admitted {
 public:
  /// True where it was.
  bool require(const Model& model, const Schema& schema, const Block& block) {
    if (block.values == values_ && block.rows == rows_ && block.columns == columns_ &&
        block.stride == stride_ && block.side.weight == weight_ && block.side.label == label_ &&
        block.side.unit_start == unit_start_ && rows_ > 0)
      return false;
    admit(model, schema, block);
    values_ = block.values;
    columns_ = block.columns;
    stride_ = block.stride;
    weight_ = block.side.weight;
    label_ = block.side.label;
    unit_start_ = block.side.unit_start;
    rows_ = block.rows;
    return true;
  }

 private:
  const double* values_ = nullptr;
  const double* weight_ = nullptr;
  const double* label_ = nullptr;
  const std::uint8_t* unit_start_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t stride_ = 0;
};

}  // namespace thalweg
