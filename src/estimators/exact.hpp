// The maximum in closed form: the moments of all rows in one pass, in compute slices whose sums are added in order, so that
// neither the cut of the input nor the number of threads changes a bit. Memory is that of the moments, some times over.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/cutter.hpp>

#include <vector>

namespace thalweg {

class Moments {
 public:
  /// `gauge`: parameters whose constants are set.
  Moments(const Exact& exact, const Schema& schema, Unit unit, Parameters gauge,
          ThreadPool pool = {});

  void add(const Block& block);
  /// The mean form, when all rows were added.
  Statistic finish();
  const Parameters& gauge() const { return gauge_; }

  Archive save() const;
  void load(const Archive& archive);

 private:
  void add_slices(const Block& slices);

  const Exact& exact_;
  Parameters gauge_;
  ThreadPool pool_;
  Cutter cutter_;
  std::vector<Sums> parts_;
  Sums sums_;
};

}  // namespace thalweg
