// Batch EM (Dempster, Laird & Rubin 1977): an E-step over all rows, then one M-step, until the stop rule is content.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/border.hpp>
#include <thalweg/core/model.hpp>
#include <thalweg/core/regularisation.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/iterative.hpp>
#include <thalweg/estimators/squarem.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

namespace thalweg {

enum class Acceleration { none, squarem };

/// When batch EM is content, and where it ends.
enum class StopBy {
  gap,  // little is left to gain, see StopRule; the last E-step is at the parameters that are reported
  change,  // an iteration changed the mean log-likelihood by little; an M-step is the last thing (scikit-learn)
};

struct BatchOptions {
  double tolerance = 1e-8;  // nat a row that may be left to gain, or that an iteration may change
  std::uint64_t max_iterations = 10000;
  double enough = 0;  // nat a row that may be left to gain after `patience` iterations
  std::uint64_t patience = 0;
  StopBy stop_by = StopBy::gap;
  double bound = -HUGE_VAL;  // what the first change is from, where that is known: nat a row
  Acceleration accelerate = Acceleration::none;
  Regularisation regularisation = {};
  ThreadPool pool = {};
  std::uint64_t seed = 0;  // of what an E-step draws
  Reduce reduce = {};      // makes the sums of every E-step those of all engines
};

class THALWEG_API Batch final : public Iterative {
 public:
  Batch(const ModelHandle& model, const Schema& schema, BatchOptions options = {});

  void begin(const Parameters& theta);

  /// One E-step and, unless that was enough, one M-step. True when it is done: then log_likelihood() belongs to
  /// parameters() exactly, or, with StopBy::change, to those before the last M-step. A source must have been rewound. Accelerated,
  /// the E-step after a leap may show that it led down; then nothing but the leap is undone. Leaps are stopped by the gap.
  bool iterate(const Block& rows);
  bool iterate(Source& rows);

  /// The same from an E-step at parameters() that was taken elsewhere: the seam between the sums and the M-step, where those of
  /// several machines come together.
  bool step(const Expectation& e);

  /// An E-step alone: for a run that is ended early, so that log_likelihood() belongs to parameters().
  void evaluate(const Block& rows);
  void evaluate(Source& rows);

  /// Iterates on a block until done.
  void run(const Block& rows);

  bool exhausted() const override { return by_change() && iterations_ >= options_.max_iterations; }
  std::uint64_t iterations() const { return iterations_; }
  double rate() const { return rule_.rate(); }

  Archive save() const;

  void load(const Archive& archive);

 private:
  template <class Rows>
  Expectation expect(Rows& rows);
  void take(const Expectation& e);

  double objective_of(const Expectation& e) const;
  double left_to_gain() const override;

  bool by_change() const { return options_.stop_by == StopBy::change; }
  bool leaps() const { return options_.accelerate == Acceleration::squarem; }

  /// Nat a row that may be left to gain by now.
  double tolerance() const {
    return iterations_ < options_.patience ? options_.tolerance
                                           : std::max(options_.tolerance, options_.enough);
  }

  /// Whether the rule is content with this E-step; `before`: the objective of a row at the last one.
  bool content(double before);

  /// Aitken's estimate is made for EM itself, so the stop rule is told of nothing else: near the end leaps cease, and begin again
  /// if it finds that this was too early.
  void accelerate(const Parameters& before, double weight);

  std::shared_ptr<const Model> model_;
  Schema schema_;
  Admitted admitted_;
  BatchOptions options_;
  Squarem squarem_;
  bool probing_ = false;  // accelerated, and for the stop rule's sake plain for a while
  double change_ = 0;
  std::uint64_t iterations_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace thalweg
