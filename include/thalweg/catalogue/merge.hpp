// Fits of parts of the data become one: exactly where statistics were taken at the same parameters, else approximately.
#pragma once

#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/core/source.hpp>
#include <thalweg/core/thread_pool.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace thalweg {

/// One E-step over the rows at the parameters of `base`, one M-step with its regularisation: a batch iteration, or one worker's share of it.
/// The result remembers at which parameters its statistics were taken.
THALWEG_API Fitted one_step(const Fitted& base, Source& rows, const ThreadPool& pool = {});

struct Merged {
  Fitted fitted;
  bool exact = false;
};

/// S = sum n_i S_i / sum n_i, then an M-step with the regularisation of the parts, which must agree. Statistics taken at the same parameters
/// add up exactly to those of all rows. Others mean only roughly the same: components are matched to those of the first part, and
/// the result is an approximation. A prior counts once, not once a part: theta-bar((n S + n_0 S_0) / (n + n_0)), n = sum n_i. Where
/// each part found the model's usual prior on its own first rows, S_0 is their mean, as pooled rows would have it. `names` of the
/// parts are for messages; parts that do not belong together are an Error with the reason.
THALWEG_API Merged merge(std::vector<Fitted> parts, const std::vector<std::string>& names);

/// order[k]: the component of `other` that overlaps most with component k of `one`, each once, on rows drawn from both.
THALWEG_API std::vector<std::size_t> matching_components(const Fitted& one, const Fitted& other);

/// order[i] = j, each j once, with the largest sum of profit[i * n + j] (Kuhn 1955, by shortest augmenting paths).
THALWEG_API std::vector<std::size_t> best_assignment(const std::vector<double>& profit,
                                                     std::size_t n);

}  // namespace thalweg
