// What a model says of rows: log density, posterior, most probable component, factor scores; only what is wanted is kept.
#pragma once

#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/core/source.hpp>
#include <thalweg/core/thread_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace thalweg::python {

struct Wanted {
  bool log_density = false;
  bool posterior = false;
  bool component = false;
  bool scores = false;
};

struct Explained {
  std::size_t rows = 0;
  std::size_t classes = 0;
  std::size_t factors = 0;
  double weight = 0;
  double log_likelihood = 0;            // sum of w log f
  std::vector<double> log_density;      // rows
  std::vector<double> posterior;        // rows × classes
  std::vector<std::int64_t> component;  // rows
  std::vector<double> scores;           // rows × factors
};

/// `stop` is asked between blocks: true ends it early.
Explained explain(const Fitted& fitted, const Parameters& theta, Source& source, Wanted wanted,
                  const ThreadPool& pool, const std::function<bool()>& stop);

}  // namespace thalweg::python
