// What an M-step may need beside the statistic, and what an online run carries from step to step.
#pragma once

#include <thalweg/core/events.hpp>
#include <thalweg/core/statistic.hpp>

#include <vector>

namespace thalweg {

struct Context {
  double rows = 0;           // total weight of the rows behind the statistic
  double floor = 1e-6;       // smallest variance relative to the data's squared scale
  bool freeze = false;       // warm-up: the statistic moves, the parameters stay
  Events* events = nullptr;  // where repairs are counted

  void count(Event event) const {
    if (events) events->count(event);
  }
};

/// Belongs to one online run. `state` is saved with it (the filter of a hidden Markov model); `sums` is scratch paper.
struct Carry {
  std::vector<double> state;
  Sums sums;
};

}  // namespace thalweg
