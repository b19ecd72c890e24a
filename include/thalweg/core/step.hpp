// What an estimator tells of each step, and who may listen.
#pragma once

#include <thalweg/core/events.hpp>
#include <thalweg/core/statistic.hpp>
#include <thalweg/export.hpp>

#include <cstdint>

namespace thalweg {

/// Gives the parameters that a run would report now (the averaged ones when averaging is on).
class THALWEG_API Reporter {
 public:
  virtual ~Reporter();
  virtual Parameters reported() const = 0;
};

/// Where in a fit a step belongs.
enum class Phase { buffer, online, batch };

struct Step {
  Phase phase = Phase::online;
  std::uint64_t number = 0;             // M-steps so far; iterations for batch EM
  std::uint64_t rows = 0;               // rows seen so far, all passes together
  std::uint64_t batch_rows = 0;         // rows of this step
  double batch_weight = 0;              // their weight
  double rate = 0;                      // gamma; 1 for batch EM
  double log_likelihood = 0;            // of this step's rows, before they were learned
  Events events = {};                   // all so far
  const Parameters* current = nullptr;  // theta after the step
  const Reporter* reporter = nullptr;
};

/// Is told; never changes anything.
class THALWEG_API Observer {
 public:
  virtual ~Observer();
  virtual void on(const Step& step) = 0;
};

}  // namespace thalweg
