// Skips from one row that is kept to the next: a row that is not kept costs nothing.
#include "estimators/reservoir.hpp"

#include <thalweg/core/error.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/core/schedule.hpp>

#include <algorithm>
#include <cmath>

namespace thalweg {
namespace {

constexpr std::uint64_t reservoir_salt = 0x7265736572766f;

}  // namespace

double Reservoir::draw() { return 1 - Random(seed_ ^ reservoir_salt, drawn_++).uniform(); }

void Reservoir::go_on() {
  threshold_ *= std::exp(std::log(draw()) / real(wanted_));
  const double skipped = std::floor(std::log(draw()) / std::log1p(-threshold_));
  constexpr double never = 1e18;
  next_ += static_cast<std::uint64_t>(std::min(skipped, never)) + 1;
}

void Reservoir::add(const Block& rows) {
  std::size_t taken = 0;
  if (kept_.rows() < wanted_) {
    taken = std::min(rows.rows, wanted_ - kept_.rows());
    kept_.append(rows.slice(0, taken));
    if (kept_.rows() == wanted_) {
      next_ = seen_ + taken - 1;
      go_on();
    }
  }
  if (kept_.rows() == wanted_)
    while (next_ < seen_ + rows.rows) {
      const auto slot = static_cast<std::size_t>((1 - draw()) * real(wanted_));
      kept_.replace(std::min(slot, wanted_ - 1), rows, static_cast<std::size_t>(next_ - seen_));
      go_on();
    }
  seen_ += rows.rows;
}

void Reservoir::save(Archive& archive) const {
  archive.put("rows", kept_);
  archive.put("at", std::vector<std::uint64_t>{seen_, next_, drawn_});
  archive.put("threshold", threshold_);
}

void Reservoir::load(const Archive& archive) {
  const auto& at = archive.counts("at");
  archive.get("rows", kept_);
  threshold_ = archive.number("threshold");
  const bool full = kept_.rows() == wanted_;
  if (at.size() != 3 || kept_.rows() > wanted_ || (full && at[1] < at[0]) ||
      !(threshold_ > 0 && threshold_ <= 1))
    throw Error("saved rows of a stream are damaged");
  seen_ = at[0];
  next_ = at[1];
  drawn_ = at[2];
}

}  // namespace thalweg
