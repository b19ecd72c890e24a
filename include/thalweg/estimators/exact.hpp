// The maximum in closed form: the moments of all rows in one pass, in compute slices whose sums are added in order, so that
// neither the cut of the input nor the number of threads changes a bit. Memory is that of the moments, some times over.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/cutter.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/core/model.hpp>
#include <thalweg/core/slices.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace thalweg {

template <ExactModel M>
class Moments {
 public:
  /// `gauge`: parameters whose constants are set.
  Moments(const M& model, const Schema& schema, Parameters gauge, Crew crew = {})
      : tally_{model},
        gauge_(std::move(gauge)),
        crew_(std::move(crew)),
        cutter_(2 * crew_.size() * slice_rows),
        sums_(model.observed(schema)) {}

  void add(const Block& block) {
    cutter_.feed(block, [this](const Block& slices) { add_slices(slices); });
  }
  /// The mean form, when all rows were added.
  Statistic finish() {
    cutter_.flush([this](const Block& slices) { add_slices(slices); });
    return mean(sums_);
  }
  const Parameters& gauge() const { return gauge_; }

  Archive save() const {
    Archive archive;
    archive.put("gauge", gauge_);
    archive.put("sums", std::vector<double>(sums_.values().begin(), sums_.values().end()));
    archive.put("weight", sums_.weight);
    archive.put("waiting", cutter_.waiting());
    return archive;
  }
  void load(const Archive& archive) {
    const std::vector<double>& sums = archive.numbers("sums");
    if (sums.size() != sums_.size()) throw Error("saved moments are of another model");
    archive.get("gauge", gauge_);
    std::copy(sums.begin(), sums.end(), sums_.data());
    sums_.weight = archive.number("weight");
    Table waiting;
    archive.get("waiting", waiting);
    add(waiting.block());  // with fewer threads some of it may be more than a piece
  }

 private:
  /// Moments are an E-step in which nothing is hidden.
  struct Tally {
    const M& model;
    double expect(const Parameters& theta, const Block& block, Sums& sums) const {
      model.tally(theta, block, sums);
      return 0;
    }
  };

  void add_slices(const Block& slices) {
    double nothing = 0;
    expect_in_slices(tally_, gauge_, slices, &crew_, sums_, parts_, nothing);
  }

  Tally tally_;
  Parameters gauge_;
  Crew crew_;
  Cutter cutter_;
  std::vector<Sums> parts_;
  Sums sums_;
};

}  // namespace thalweg
