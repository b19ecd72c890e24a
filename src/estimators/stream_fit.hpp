// The online part of a fit: passes over a source, with the baseline beside it and the rows kept while they fit.
#pragma once

#include "estimators/kept_rows.hpp"
#include "estimators/reservoir.hpp"
#include <thalweg/core/source.hpp>
#include <thalweg/estimators/fit_options.hpp>

#include <cstdint>
#include <optional>

namespace thalweg {

class StreamFit {
 public:
  StreamFit(const FitSetting& setting, const Source& source);

  /// Passes until there were enough, a pass changed little, or the fit is to end.
  void run(Source& source, FitResult& result);

  const KeptRows& kept() const { return kept_; }
  const Online& online() const { return online_; }

  /// In the middle of `run`.
  Archive save() const;

  /// Before `run`, which then goes on from there. Rows that were learned and come again are not learned twice: they are told by
  /// their numbers.
  void load(const Archive& archive);

 private:
  static OnlineOptions options(const FitSetting& setting, const Source& source);

  /// What comes first may be one end of a file that is sorted. So rows are gathered while they fit, and learned in random order:
  /// starts are found on a sample of them. Those that do not fit follow as they come.
  void learn_gathered(Source& source, FitResult& result);

  Block gather(const Source& source, Source::Iterator& block, FitResult& result);
  void learn_in_random_order(const Block& rows, std::uint64_t before, FitResult& result);

  /// Rows go on to come sorted as those that were gathered did: each takes the place of one that is drawn from these, which is learned.
  void learn_exchanged(Source& source, Source::Iterator& block, const Block& left,
                       FitResult& result);
  bool finds_order(const Schema& schema) const;

  /// A stream is compared by progressive likelihood: the baseline sees and scores the very same rows.
  void begin_baseline();
  void expect_gathered();

  void learn_pass(Source& source, FitResult& result);

  void learn(const Block& block, FitResult& result);

  /// Whether its rows are kept for the end, and how many.
  void begin_reservoir(const Schema& schema);

  void learn_online(const Block& block);

  /// Rows kept from the whole stream say whether the average, the last iterate or the start is the result: more work makes nothing worse.
  void decide(FitResult& result) const;

  /// To where the saved run was: kept rows have to come again, others need not where the source knows the way.
  void go_back(Source& source, const FitResult& result);

  static void next_pass(Source& source);

  /// Passes stop when a whole pass moves what would be reported by less than the parameter tolerance of batch EM.
  bool changed_little(const Parameters& before, const Parameters& after) const;

  void take(FitResult& result) const;

  const FitSetting& setting_;
  Schema schema_;
  Online online_;
  std::optional<Online> baseline_;
  KeptRows kept_;
  std::uint64_t limit_ = 0;         // bytes that may be kept
  bool gathers_ = false;            // the rows of the first pass
  std::uint64_t gathered_ = 0;      // so many
  bool may_exchange_ = true;        // false: began with an earlier version
  bool exchanges_ = false;          // what was gathered with what follows
  std::uint64_t learned_ = 0;       // rows of this pass
  std::uint64_t known_ = 0;         // … of them before the state was saved
  std::optional<Parameters> last_;  // reported after the pass before
  std::optional<Reservoir> reservoir_;
  std::optional<Parameters> start_;  // with which the stream began, and its statistic
  std::optional<Statistic> start_statistic_;
  bool resumed_ = false;
  Archive position_;  // where a saved run was in the source
  const Source* source_ = nullptr;
};

}  // namespace thalweg
