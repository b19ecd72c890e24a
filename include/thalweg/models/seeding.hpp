// Where components start: k-means++ seeds (Arthur & Vassilvitskii 2007) in scaled or whitened space, or random rows; then a few
// Lloyd steps.
#pragma once

#include <thalweg/core/random.hpp>
#include <thalweg/data/block.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace thalweg {

/// The cluster, 0 … K-1, of every row of the buffer. `coordinate` is applied to every cell. Which space is used is drawn: columns
/// in their robust units find round clusters, whitened ones find elongated parallel clusters. Rows with a label keep it.
THALWEG_API std::vector<std::size_t> seed_clusters(const Block& buffer, std::size_t K,
                                                   const std::function<double(double)>& coordinate,
                                                   Random& random);

}  // namespace thalweg
