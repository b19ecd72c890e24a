// Where components start: k-means++ seeds (Arthur & Vassilvitskii 2007) among rows that the family has made points of, or random
// rows; then a few Lloyd steps.
#pragma once

#include <thalweg/core/family.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/data/block.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace thalweg {

/// Among fewer, seeds miss no cluster; starts are to differ.
inline constexpr std::size_t few_components = 6;

/// The rows of a block in the coordinates of their family.
struct Points {
  Embedding in;
  std::vector<double> x;  // rows × in.coordinates
};

template <Family F>
Points embedded(const F& family, Extent e, const Block& rows) {
  Points points{family.embedding(e), {}};
  const std::size_t m = points.in.coordinates;
  points.x.resize(rows.rows * m);
  for (std::size_t t = 0; t < rows.rows; ++t) family.embed(e, rows.row(t), points.x.data() + t * m);
  return points;
}

/// Clusters of the rows of a buffer, which stays where it is. Of numbers it is drawn in which space distances are measured:
/// coordinates in their robust units find round clusters, whitened ones find elongated parallel clusters. Between levels the
/// distance is the number of cells that differ. The spaces are made once for all draws.
class THALWEG_API Seeds {
 public:
  Seeds(const Block& buffer, Points points);
  ~Seeds();
  Seeds(const Seeds&) = delete;
  Seeds& operator=(const Seeds&) = delete;

  /// The cluster, 0 … K-1, of every row; rows with a label keep it.
  std::vector<std::size_t> clusters(std::size_t K, Random& random) const;

 private:
  struct Spaces;
  std::unique_ptr<Spaces> spaces_;
};

}  // namespace thalweg
