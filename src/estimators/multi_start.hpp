// Rows in memory: an ascent from every candidate, the best end wins; on small data jumps that EM cannot make are tried from there.
#pragma once

#include <thalweg/estimators/fit_options.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace thalweg {

class MultiStart {
 public:
  MultiStart(const FitSetting& setting, Schema schema);

  /// So many runs, where no candidates are given: each start is found when its turn has come.
  void find_by(std::uint64_t runs, std::function<Parameters(std::uint64_t run)> find) {
    runs_ = runs;
    find_ = std::move(find);
  }

  /// `regularisation`: settled, see settle().
  void begin(std::vector<Parameters> candidates, Regularisation regularisation);

  /// Batch EM. The runs are in the order of the table of starts.
  void polish(const Block& kept, FitResult& result);

  /// The other methods for rows in memory: each row is visited as it is, however often it repeats.
  void refine(const Block& kept, FitResult& result);

  /// Batch EM, the source read again for every iteration; of starts that were compared, from the best alone.
  void read_again(Source& source, FitResult& result);

  /// In the middle of any of them.
  Archive save() const;

  /// In place of `begin`: it goes on from there, with the same rows.
  void load(const Archive& archive);

 private:
  template <class Estimator>
  void enter(Estimator& run, const Parameters& theta);

  std::size_t runs() const {
    return setting_.given.empty() && runs_ > 0 ? runs_ : candidates_.size();
  }
  const Parameters& candidate();

  /// After what is cheap a gap that means nothing will do.
  void be_content(const Block& rows);

  /// The first candidate goes to its end; others and jumps may cost what the search for starts may. Runs that were asked for always go.
  bool pays() const;
  void spend(const Block& rows);

  /// A run of the estimator that `make` gives from every candidate.
  template <class Make>
  void best_end(const Make& make, const Block& rows, FitResult& result);

  /// The first rows may have hidden a rare cluster. On small data jumps are tried once more, on all rows; what leads higher is
  /// taken.
  void jump(const Block& rows, FitResult& result);

  void conclude(const Block& rows, FitResult& result) const;

  template <class Estimator>
  void take(const Estimator& run, FitResult& result) const;

  const FitSetting& setting_;
  Schema schema_;
  Plan plan_;
  std::vector<Parameters> candidates_;
  std::uint64_t runs_ = 0;
  std::function<Parameters(std::uint64_t)> find_;
  BatchOptions batch_;
  std::size_t at_ = 0;          // which candidate; behind the last one: jumps
  double best_ = -HUGE_VAL;     // objective of the best end
  std::uint64_t failures_ = 0;  // jumps in a row that led nowhere
  std::uint64_t trial_ = 0;     // iterations of the jump under way
  Random random_;               // of the jumps
  bool asked_for_;              // all runs
  double spare_ = 0;            // E-steps of one row beside those of the first candidate
  std::uint64_t spent_ = 0;
  std::optional<Archive> saved_;  // a run to go on with
  std::function<Archive()> under_way_;
};

}  // namespace thalweg
