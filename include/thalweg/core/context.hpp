// What an M-step may need beside the statistic, and what an online run carries from step to step.
#pragma once

#include <thalweg/core/events.hpp>
#include <thalweg/core/fixed.hpp>
#include <thalweg/core/statistic.hpp>
#include <thalweg/core/thread_pool.hpp>
#include <thalweg/data/units.hpp>

#include <cstdint>
#include <vector>

namespace thalweg {

struct Context {
  double rows = 0;                   // total weight of the rows behind the statistic
  double floor = 1e-6;               // smallest variance relative to the data's squared scale
  double ridge = 0;                  // added to every variance, in the data's own squared units
  bool freeze = false;               // warm-up: the statistic moves, the parameters stay
  Events* events = nullptr;          // where repairs are counted
  const Statistic* prior = nullptr;  // S_0 of a conjugate prior, its weight n_0 counts rows
  const Fixed* fixed = nullptr;      // parameters that stay as they are
  const ThreadPool* pool = nullptr;  // threads for the E-step
  std::uint64_t seed = 0;            // of what the E-step draws
  std::uint64_t visit = 0;           // … in this step

  void count(Event event, Place place = {}) const {
    if (events) events->count(event, place);
  }
  bool holds(std::string_view piece, std::size_t k) const {
    return fixed && fixed->holds(piece, k);
  }
  /// Nothing but the statistic decides: what fast paths need.
  bool plain() const { return !prior && !fixed; }
};

/// Belongs to one online run, or to one that draws. `state` is saved with it (the filter of a hidden Markov model, factors of
/// covariances); sums and parts are workspace.
struct Carry {
  Unit unit = Unit::row;  // of the model: slices of a mini-batch do not cut it
  std::vector<double> state;
  Sums sums;
  std::vector<Sums> parts;
};

}  // namespace thalweg
