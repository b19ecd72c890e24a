// A whole fit over a source, by method: which estimator runs when, how often the rows are read, and what comes out.
#pragma once

#include <thalweg/core/source.hpp>
#include <thalweg/estimators/fit_options.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

class MultiStart;

class THALWEG_API Fit {
 public:
  Fit(const ModelHandle& model, const FitOptions& options);

  void begin(const Parameters& theta) { begin(std::vector{theta}); }
  /// Batch EM: a run from each, the best end wins. Other methods have one start.
  void begin(std::vector<Parameters> starts);

  /// Online methods only: as if the rows behind the statistic had been the first of this fit.
  void go_on_from(const Parameters& theta, const Statistic& statistic, std::uint64_t rows);

  void observe(Observer& observer) { setting_.observers.push_back(&observer); }

  /// The simplest model of the kind (one component), fitted to the same rows for comparison. Rows with labels are not
  /// compared: their likelihood is that of rows and labels together.
  void compare_with(const ModelHandle& baseline) { setting_.baseline = baseline.shared(); }

  FitResult run(Source& source);

  /// The state, only from within FitOptions::rest.
  Archive save() const;

  /// Before `run`, with the same options and, in the same order, the same rows: it ends with the same bits as if it had never
  /// been interrupted.
  void load(Archive archive);

 private:
  enum class Stage : std::uint64_t {
    reading,    // nothing is known yet
    streaming,  // passes of online EM
    iterating,  // EM on kept rows, or batch EM that reads the source again
    summing,    // moments for the closed form
  };

  /// The state that was loaded, if it belongs to this stage; it is used up.
  std::optional<Archive> saved(Stage stage);

  template <class Part>
  void enter(Stage stage, const Part& part);

  /// EM goes on over rows that come again: they have to be those of the state that was loaded, and no more.
  void expect_rows_again(Source& source) const;
  void require_the_same(std::uint64_t rows) const;

  void run_exact(Source& source);

  void run_online(Source& source);

  void polish(MultiStart& runs, const Block& rows);

  /// Nothing was left for the stream: the likelihood of the buffer is all there is to tell.
  void score(const Block& rows, const Schema& schema);

  void run_kept(Source& rows);

  /// Starts on the buffer, by the seed of that run.
  std::vector<Start> search(const Schema& schema, const Block& buffer,
                            const Regularisation& regularisation, std::uint64_t run) const;

  /// The given parameters, or the best few starts on the buffer; none where each run has its own search.
  std::vector<Parameters> batch_candidates(const Schema& schema, const Block& buffer,
                                           const Regularisation& regularisation);

  Message why_online() const;

  FitSetting setting_;
  FitResult result_;  // so far
  Stage stage_ = Stage::reading;
  std::optional<Archive> saved_;  // a state to go on from
  Archive read_;                  // where the source stood when all rows had been read
  std::function<Archive()> under_way_;
};

}  // namespace thalweg
