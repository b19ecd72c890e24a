// The short EM of one start, in portions, on some of the rows and then on all.
#pragma once

#include <thalweg/core/capabilities.hpp>
#include <thalweg/estimators/starts.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace thalweg {

class ShortEm {
 public:
  /// `guesses`: on these rows.
  ShortEm(const ModelHandle& model, const Schema& schema, const Guesses& guesses, const Block& rows,
          const StartOptions& options, std::uint64_t number, bool to_the_end);

  /// At most so many iterations more, fewer where they gain nothing or the search is to stop. The first on these rows is always made.
  void go_on(const Block& rows, std::uint64_t iterations);

  /// Components without data begin again; false where there are none.
  bool revive();

  /// A jump that EM cannot make, and a few iterations after it; what is better than before is kept. False where there is none to try.
  bool jump(std::uint64_t iterations);

  /// It is too far behind on some of the rows to go on to all.
  void drop() { record_.dropped = true; }
  bool dropped() const { return record_.dropped; }

  std::uint64_t number() const { return record_.number; }

  /// E-steps of one row.
  double visits() const { return visits_; }

  double value() const {  // a guess that does not explain the data at all goes last
    return std::isfinite(record_.after_short_em) ? record_.after_short_em : -HUGE_VAL;
  }
  Start result() const;

 private:
  void begin(const Parameters& theta);

  std::shared_ptr<const Model> model_;
  Block rows_;
  StartOptions options_;
  bool to_the_end_;  // as the stop rule of batch EM knows it, with leaps
  Batch batch_;
  StartRecord record_;
  Events reborn_;
  Random random_;             // of the jumps
  std::size_t failures_ = 0;  // jumps in a row that led nowhere
  double visits_ = 0;
  double last_ = -HUGE_VAL;  // objective a row before
  bool begun_ = false;       // on these rows
  bool done_ = false;
};

}  // namespace thalweg
