// Moments of the rows, gathered for a maximum in closed form.
#include "estimators/exact.hpp"

#include "core/slices.hpp"
#include <thalweg/core/error.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {
namespace {

/// Moments are an E-step in which nothing is hidden.
class Tally final : public Prepared {
 public:
  Tally(const Exact& exact, const Parameters& gauge) : exact_(exact), gauge_(gauge) {}
  double expect(const Block& block, Sums& sums, Work& /*work*/) const override {
    exact_.tally(gauge_, block, sums);
    return 0;
  }
  void explain(const Block& /*block*/, Explanation& out) const override { out = {}; }

 private:
  const Exact& exact_;
  const Parameters& gauge_;
};

}  // namespace

Moments::Moments(const Exact& exact, const Schema& schema, Unit unit, Parameters gauge,
                 ThreadPool pool)
    : exact_(exact),
      gauge_(std::move(gauge)),
      pool_(std::move(pool)),
      cutter_(2 * pool_.size() * slice_rows, unit),
      sums_(exact.observed(schema)) {}

void Moments::add(const Block& block) {
  cutter_.feed(block, [this](const Block& slices) { add_slices(slices); });
}

Statistic Moments::finish() {
  cutter_.flush([this](const Block& slices) { add_slices(slices); });
  return mean(sums_);
}

Archive Moments::save() const {
  Archive archive;
  archive.put("gauge", gauge_);
  archive.put("sums", std::vector<double>(sums_.values().begin(), sums_.values().end()));
  archive.put("weight", sums_.weight);
  archive.put("waiting", cutter_.waiting());
  return archive;
}

void Moments::load(const Archive& archive) {
  const std::vector<double>& sums = archive.numbers("sums");
  if (sums.size() != sums_.size()) throw Error("saved moments are of another model");
  archive.get("gauge", gauge_);
  std::copy(sums.begin(), sums.end(), sums_.data());
  sums_.weight = archive.number("weight");
  Table waiting;
  archive.get("waiting", waiting);
  add(waiting.block());  // with fewer threads some of it may be more than a piece
}

void Moments::add_slices(const Block& slices) {
  double nothing = 0;
  expect_in_slices(Tally(exact_, gauge_), slices, &pool_, sums_, parts_, nothing, cutter_.unit());
}

}  // namespace thalweg
