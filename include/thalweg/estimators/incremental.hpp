// Incremental EM (Neal & Hinton 1998): every block of rows keeps its share of the statistic, and each visit replaces it:
// total += s_b(theta) - kept_b, theta = theta-bar(total / weight). M-steps come as often as in online EM, yet it converges.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/border.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/regularisation.hpp>
#include <thalweg/data/slices.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/iterative.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace thalweg {

struct IncrementalOptions {
  std::optional<std::size_t> batch_size = {};  // rows a block; default: see incremental_block
  std::optional<std::uint64_t> warmup = {};    // rows before the first M-step; default: all
  double tolerance = 1e-8;                     // nat a row that may be left to gain
  std::uint64_t max_iterations = 10000;        // passes
  Regularisation regularisation = {};
  ThreadPool pool = {};
  std::uint64_t seed = 0;  // of what an E-step draws
};

/// As many rows as free parameters, but at least a hundred blocks: more of them gain little, and each costs an M-step.
inline std::size_t incremental_block(std::size_t free_parameters, std::size_t rows) {
  return std::clamp<std::size_t>(free_parameters, 1, std::max<std::size_t>(rows / 100, 1));
}

/// The same Block must be given to every call: what is kept belongs to its rows.
class THALWEG_API Incremental final : public Iterative {
 public:
  Incremental(const ModelHandle& model, const Schema& schema, IncrementalOptions options = {});

  void begin(const Parameters& theta);

  /// One block: its E-step, its share of the total replaced, one M-step. True at the end of a pass.
  bool visit(const Block& rows);

  /// Goes on to the end of the pass. True when it is done: then a true E-step was made, and log_likelihood() belongs to
  /// parameters() exactly.
  bool iterate(const Block& rows);

  /// An E-step over all rows at parameters().
  void evaluate(const Block& rows);

  void run(const Block& rows);

  std::uint64_t iterations() const { return passes_; }
  std::uint64_t passes() const { return passes_ + evaluations_; }  // E-steps that each row had
  std::size_t block_size(std::size_t rows) const;

  /// Bytes for what the blocks keep.
  std::uint64_t memory() const { return kept_.size() * sizeof(double); }

  Archive save() const;

  void load(const Archive& archive);

 private:
  [[noreturn]] static void refuse_other_rows();

  /// Posteriors, rows × K, where they are fewer numbers than the blocks' statistics and the model can make the one of the other.
  std::size_t room(std::size_t rows, std::size_t blocks) const;

  /// Looks at rows that are new, and where their blocks lie: whole units, next to block_size() rows.
  void look_at(const Block& rows);

  void make_room(const Block& rows);

  /// What the block keeps, as a statistic; nothing in the first pass.
  void recall(const Block& block, std::size_t first);

  /// The block's statistic at theta, kept from now on. One that is not finite is left out: the block keeps what it had.
  double expect(const Block& block, std::size_t first);

  /// S is the mean over the rows visited so far, from the second pass on over all. M-steps on a few rows would throw a good start
  /// away: by default the first one waits for the end of the first pass.
  void maximise_total(std::uint64_t visited);

  /// The sum of all that is kept was gathered on the way: it replaces the total, whose differences leave rounding behind.
  void end_pass(const Block& rows);

  static std::vector<double> values(const Sums& sums);
  static void get(const Archive& archive, const std::string& name, Sums& sums);

  std::shared_ptr<const Model> model_;
  const Components* components_;  // null: the model has none
  Schema schema_;
  Admitted admitted_;
  std::optional<Pieces> blocks_;  // of the rows that were looked at
  IncrementalOptions options_;
  Parameters pass_began_at_;
  Sums total_;                 // what all blocks keep together
  Sums fresh_;                 // the same of the blocks visited in this pass
  Sums now_;                   // of one block
  Sums before_;                // … what it kept so far
  std::vector<double> kept_;   // block statistics, or posteriors (rows × classes)
  std::uint64_t classes_ = 0;  // K where posteriors are kept
  std::uint64_t next_ = 0;     // block
  std::uint64_t rows_ = 0;
  double weight_ = 0;  // of the rows visited at least once
  double scored_ = 0;  // this pass, each block before it was learned
  std::uint64_t passes_ = 0;
  std::uint64_t evaluations_ = 0;
  Explanation seen_;  // workspace
  std::vector<Sums> parts_;
};

}  // namespace thalweg
