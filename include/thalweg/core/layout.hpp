// Names and shapes of the pieces that one contiguous vector of doubles is made of.
#pragma once

#include <thalweg/export.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// Which values a piece may hold: what a parameter read from a file is checked against.
/// A covariance is a symmetric positive definite matrix in the last two extents. Loadings are real; their columns (the last
/// extent) are known up to a rotation. Distributions stand side by side in the last extent, as `parts` says, or one fills it;
/// each sums to 1.
enum class Domain { real, positive, simplex, covariance, loadings, distributions };

/// What an extent of a piece counts. Components are interchangeable: relabelling goes along every such extent.
enum class Axis { other, component, column };

/// What the numbers of a piece tell, and so the unit in which a change of them is large: the data's scale for a location or a
/// loading, its square for a spread, the standard deviation of a count for a rate, 1 for a probability, else their own size. The
/// gauge's scale is itself a (constant) piece.
enum class Meaning { other, probability, location, spread, rate, loading, scale };

struct Piece {
  std::string name;
  std::vector<std::size_t> shape;  // {K, d} is K × d, last index fastest
  std::vector<Axis> axes = {};     // one for each extent; empty: all are `other`
  Meaning meaning = Meaning::other;
  Domain domain = Domain::real;
  bool constant = false;                // fixed at the start (a gauge), never estimated
  std::size_t offset = 0;               // set by Layout
  std::vector<std::size_t> parts = {};  // distributions: the size of each, one for a column

  std::size_t size() const;
  /// A covariance counts one triangle, a simplex and every distribution one less, loadings of r columns r (r - 1) / 2 less.
  THALWEG_API std::size_t free_entries() const;
  /// Sizes of the distributions side by side in the last extent.
  std::vector<std::size_t> distributions() const {
    return parts.empty() ? std::vector<std::size_t>{shape.back()} : parts;
  }
  Axis axis(std::size_t i) const { return i < axes.size() ? axes[i] : Axis::other; }
  /// Its first extent counts components: it has a part for each of them.
  bool by_component() const { return axis(0) == Axis::component; }
};

class THALWEG_API Layout {
 public:
  Layout() = default;
  explicit Layout(std::vector<Piece> pieces);

  std::size_t size() const { return size_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  const Piece* find(std::string_view name) const;  // null when there is no such piece
  /// How many components, or columns, the pieces count; 0 where none does.
  std::size_t extent(Axis axis) const { return axis == Axis::component ? components_ : columns_; }

  /// "means[2][0]" for every entry of every piece that is not constant: column heads of a trace.
  std::vector<std::string> entry_names() const;

 private:
  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
  std::size_t components_ = 0;
  std::size_t columns_ = 0;
};

inline std::size_t Piece::size() const {
  std::size_t product = 1;
  for (const std::size_t extent : shape) product *= extent;
  return product;
}

}  // namespace thalweg
