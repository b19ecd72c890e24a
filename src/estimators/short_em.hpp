// The short EM of one start, in portions, on some of the rows and then on all.
#pragma once

#include <thalweg/core/capabilities.hpp>
#include <thalweg/estimators/starts.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace thalweg {

/// How many rows of an E-step are one piece of work: some milliseconds.
std::size_t rows_of_a_piece(const Plan& plan);

class ShortEm {
 public:
  /// `guesses`: on these rows.
  ShortEm(const ModelHandle& model, const Schema& schema, const Guesses& guesses, const Block& rows,
          const StartOptions& options, std::uint64_t number, bool to_the_end);

  /// Next come at most so many iterations more, fewer where they gain nothing or the search is to stop. The first on these rows is always
  /// made.
  void set_out(const Block& rows, std::uint64_t iterations);

  /// Some of that: slices of an E-step while `most` (E-steps of one row) lasts, at least one. What it cost; 0: nothing is left.
  double work(double most);

  /// Components without data begin again; false where there are none.
  bool revive();

  /// A copy after a jump that EM cannot make, with a few iterations before it; none where there is none to try.
  std::optional<ShortEm> jump(std::uint64_t iterations);
  /// Where it has come to, if that is better than here.
  void land(ShortEm other);

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
  void conclude(const Expectation& e);

  /// An E-step that is under way, over the first rows.
  struct UnderWay {
    std::shared_ptr<const Parameters> theta;
    Expectation e;
    std::size_t rows = 0;
  };

  std::shared_ptr<const Model> model_;
  Schema schema_;
  Block rows_;
  StartOptions options_;
  bool to_the_end_;  // as the stop rule of batch EM knows it, with leaps
  Batch batch_;
  Admitted admitted_;
  std::optional<UnderWay> e_step_;
  Events repaired_;         // by E-steps
  std::uint64_t left_ = 0;  // iterations of this portion
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
