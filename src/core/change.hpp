// What follows from the axes and meanings of a layout's pieces: how far parameters moved, components in another order, some of the
// columns.
#pragma once

#include <thalweg/core/statistic.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace thalweg {

/// The data's scale in each column as the gauge has it; one for all where the model has one, 1 without a gauge.
class Scale {
 public:
  THALWEG_API explicit Scale(const Parameters& theta);
  double operator[](std::size_t column) const {
    return size_ == 0 ? 1.0 : values_[size_ == 1 ? 0 : column];
  }

 private:
  const double* values_ = nullptr;
  std::size_t size_ = 0;
};

/// The numbers of an entry along the axes of its piece: its component, and the last two of its columns. The same column twice where
/// there is but one axis of them.
struct EntryAt {
  std::optional<std::size_t> component = {};
  std::optional<std::size_t> row = {};
  std::optional<std::size_t> column = {};
};
THALWEG_API EntryAt entry_at(const Piece& piece, std::size_t i);

/// How far theta moved, in units in which 1 is large: see Meaning. The largest over all entries of pieces that are not constant.
THALWEG_API double change(const Parameters& before, const Parameters& after);

/// The same, and where that was; no piece where nothing moved.
struct LargestChange {
  const Piece* piece = nullptr;  // of the layout of `before`
  std::size_t entry = 0;
  double size = 0;
};
THALWEG_API LargestChange largest_change(const Parameters& before, const Parameters& after);

/// New component i is the old one order[i], along every axis of components of every piece.
THALWEG_API void relabel(const std::vector<std::size_t>& order, Named& vector);

/// Column j is the old one columns[j], along every axis of columns and among distributions that stand side by side for columns.
THALWEG_API void pick_columns(const Named& from, const std::vector<std::size_t>& columns,
                              Named& into);

/// How probable each component is where a unit begins: the weights of a mixture, the start of a chain. Null where there are none.
THALWEG_API const Piece* component_probabilities(const Layout& layout);

/// The same where they are shares of all rows, too: null where components follow each other.
THALWEG_API const Piece* row_shares(const Layout& layout);

/// The same of a statistic: which share of the rows each component has, also where components follow each other.
THALWEG_API const Piece* row_counts(const Layout& statistic);

/// The piece whose distributions stand side by side for columns; null where there is none.
THALWEG_API const Piece* level_tables(const Layout& layout);

}  // namespace thalweg
