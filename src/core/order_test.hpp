// Do rows that lie together resemble each other more than rows that lie apart? Stretches of a long input tell, by ranks (Kruskal & Wallis
// 1952), so that neither units nor tails of the columns matter.
#pragma once

#include <thalweg/data/table.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

class THALWEG_API OrderTest {
 public:
  /// Rows of a stretch that are looked at, and stretches that are worth looking at.
  static constexpr std::size_t rows_of_a_stretch = 64;
  static constexpr std::size_t stretches = 64;

  explicit OrderTest(std::size_t columns) : rows_(columns) {}

  /// Rows that lie together; of sparse rows nothing is known.
  void add(const Block& stretch);

  struct Found {
    double share = 0;                   // of the variance of ranks that lies between stretches
    std::optional<std::size_t> column;  // whose; none: of labels, or of several columns together
    bool labels = false;
  };

  /// What differs most between stretches, where it differs by more than chance and by enough to mislead whoever reads them one after the
  /// other. Means and spreads are compared, of columns, of labels, and of sums of columns: clusters may differ in their shape alone.
  std::optional<Found> found() const;

 private:
  Table rows_;
  std::vector<std::size_t> begins_;  // of the stretches
};

/// Stretches from all over a block.
THALWEG_API std::optional<OrderTest::Found> order_of(const Block& rows);

/// `column "x" differs from part to part of the input`.
THALWEG_API std::string in_words(const OrderTest::Found& found,
                                 const std::vector<std::string>& columns);

}  // namespace thalweg
