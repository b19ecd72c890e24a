// Batch EM as scikit-learn runs it: E-step, M-step, until the mean log-likelihood changes by less than the tolerance.
#pragma once

#include <thalweg/catalogue/named_array.hpp>
#include <thalweg/core/model.hpp>
#include <thalweg/core/regularisation.hpp>
#include <thalweg/core/source.hpp>
#include <thalweg/core/step.hpp>
#include <thalweg/estimators/batch.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace thalweg::python {

struct ClimbOptions {
  double tolerance = 1e-3;  // nat a row from one iteration to the next
  std::uint64_t max_iterations = 100;
  Acceleration accelerate = Acceleration::none;
  std::uint64_t runs = 1;    // from different starts, the best is kept
  std::uint64_t starts = 8;  // compared on a sample of the rows, for each run
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> buffer = {};  // rows of the sample
  std::vector<NamedArray> given = {};        // pieces of every start that are known
  double bound = -HUGE_VAL;  // mean log-likelihood that led to what is given, if that is known
  Regularisation regularisation = {};
  ThreadPool pool = {};
  std::function<bool()> stop = {};
};

/// Thrown in the middle of reading; leaves `climb` only where there is nothing to give yet.
struct Interrupted {};

struct Climbed {
  Parameters theta;
  std::optional<Statistic> statistic;  // theta = theta-bar of it; nothing before the first M-step
  double lower_bound = -HUGE_VAL;      // mean log-likelihood at the last E-step
  std::uint64_t iterations = 0;
  bool converged = false;
  bool stopped = false;
  Events events = {};
  Regularisation regularisation = {};  // settled
  std::uint64_t rows = 0;
  double weight = 0;
};

/// `given`: where to start, one run from each; else starts are found on rows spread over all of them. They are read many times,
/// in place where it can be.
Climbed climb(const std::shared_ptr<const Model>& model, Source& rows,
              const std::vector<Parameters>& given, const ClimbOptions& asked,
              const std::vector<Observer*>& observers);

}  // namespace thalweg::python
