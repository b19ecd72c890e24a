// Fits of parts of the data become one: exactly where statistics were taken at the same parameters, else approximately.
#pragma once

#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/core/source.hpp>
#include <thalweg/core/terms.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace thalweg {

/// One E-step over the rows at the parameters of `base`, one M-step: a batch iteration, or one worker's share of it. The result
/// remembers at which parameters its statistics were taken.
THALWEG_API Fitted one_step(const Fitted& base, Source& rows, const Terms& terms = {});

struct Merged {
  Fitted fitted;
  bool exact = false;
};

/// S = sum n_i S_i / sum n_i, then an M-step. Statistics taken at the same parameters add up exactly to those of all rows. Others
/// mean only roughly the same: components are matched to those of the first part, and the result is an approximation. `names`
/// of the parts are for messages; parts that do not belong together are an Error with the reason. `terms` are those of the M-step.
THALWEG_API Merged merge(std::vector<Fitted> parts, const std::vector<std::string>& names,
                         const Terms& terms = {});

/// order[k]: the component of `other` that overlaps most with component k of `one`, each once, on rows drawn from both.
THALWEG_API std::vector<std::size_t> matching_components(const Fitted& one, const Fitted& other);

/// order[i] = j, each j once, with the largest sum of profit[i * n + j] (Kuhn 1955, by shortest augmenting paths).
THALWEG_API std::vector<std::size_t> best_assignment(const std::vector<double>& profit,
                                                     std::size_t n);

}  // namespace thalweg
