// The E-step over a block in slices of fixed size, shared by a pool: sums are added in the order of the rows, so that neither
// the number of threads nor who was first changes a bit.
#pragma once

#include <thalweg/core/model.hpp>
#include <thalweg/core/thread_pool.hpp>
#include <thalweg/data/slices.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <vector>

namespace thalweg {

/// sums and log_likelihood gain, slice by slice, what the block gives. `parts` is workspace, `work` what the E-step of the whole block
/// works with.
THALWEG_API void expect_in_slices(const Prepared& prepared, const Block& block,
                                  const ThreadPool* pool, Sums& sums, std::vector<Sums>& parts,
                                  double& log_likelihood, Unit unit, const Work& work = {},
                                  std::size_t slice = slice_rows);

}  // namespace thalweg
