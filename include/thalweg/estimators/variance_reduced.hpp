// Variance-reduced EM (Chen, Zhu, Teh & Zhang 2018): small steps whose noise vanishes with the distance from an anchor,
// S += g (s_b(theta) - s_b(anchor) + S(anchor) - S), theta = theta-bar(S): many EM steps for two passes over the rows.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/border.hpp>
#include <thalweg/core/model.hpp>
#include <thalweg/core/regularisation.hpp>
#include <thalweg/data/slices.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/iterative.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace thalweg {

struct VarianceReducedOptions {
  std::optional<std::size_t> batch_size = {};  // rows a mini-batch; default: see batch_size()
  std::optional<double> rate = {};       // g, in (0, 1]: does not grow; default: found on the way
  double tolerance = 1e-8;               // nat a row that may be left to gain
  std::uint64_t max_iterations = 10000;  // epochs
  std::uint64_t seed = 0;                // of the order of rows
  Regularisation regularisation = {};
  ThreadPool pool = {};
};

/// An epoch is a sweep, the E-step of all rows at the anchor, which also keeps the statistic of every mini-batch there, and a pass
/// of steps. What a pass gains hangs on g times the number of mini-batches, some fifty EM steps for a hundred of them at g = ½: g
/// grows by a fifth after each epoch that raised the likelihood; one that lowered it is undone and g halved (as g goes to 0 what
/// is left is one EM step). A mini-batch has a hundredth of the rows, but at least one for each free parameter: smaller ones lead
/// astray. They are drawn once at random, so that sorted rows do no harm. The same Block must be given to every call.
class THALWEG_API VarianceReduced final : public Iterative {
 public:
  VarianceReduced(const ModelHandle& model, const Schema& schema,
                  VarianceReducedOptions options = {});

  void begin(const Parameters& theta);

  /// A sweep at parameters() and, unless that was enough, a pass of steps from the better of them and the last anchor. True when
  /// it is done: then log_likelihood() belongs to parameters() exactly.
  bool iterate(const Block& rows);

  /// A sweep alone: for a run that is ended early, so that log_likelihood() belongs to parameters().
  void evaluate(const Block& rows);

  void run(const Block& rows);

  std::uint64_t iterations() const { return epochs_; }
  std::uint64_t passes() const { return passes_; }  // E-steps that each row had
  double rate() const { return rate_; }
  std::size_t batch_size(std::size_t rows) const;

  Archive save() const;

  void load(const Archive& archive);

 private:
  static constexpr double first_rate = 0.5;
  static constexpr double growth = 1.2;

  /// A copy in the order drawn, units as a whole: gathered anew for every visit, rows would cost more than their E-step.
  void shuffle(const Block& rows);

  /// The mini-batches.
  Pieces drawn() const { return {mixed_.block(), batch_size(mixed_.rows()), plan_.unit}; }

  static std::vector<std::size_t> shuffled(std::size_t count, Random random);

  /// The E-step of all rows at theta, mini-batch by mini-batch. theta is the next anchor if the objective is not lower there.
  bool sweep(const Block& rows);

  /// Every mini-batch once, in an order of its own. The first step is EM's: there theta is still the anchor.
  void pass();

  /// S += g (target - S). Differences may lead out of the domain: then by less. False where nothing helps.
  bool move();

  static double rounding(double value) { return 1e-14 * std::abs(value); }

  std::shared_ptr<const Model> model_;
  Schema schema_;
  Admitted admitted_;
  VarianceReducedOptions options_;
  Parameters anchor_;         // where statistic_, log_likelihood_ and objective_ were taken
  Statistic moving_;          // S of the steps
  Sums now_;                  // of one mini-batch
  std::vector<double> kept_;  // of all mini-batches at the anchor
  Table mixed_;               // the rows; their order follows from the seed
  double weight_ = 0;
  std::uint64_t epochs_ = 0;
  std::uint64_t passes_ = 0;
  double rate_;
  std::vector<Sums> parts_;  // workspace
};

}  // namespace thalweg
