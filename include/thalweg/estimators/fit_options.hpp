// What a whole fit is asked for, and what comes out of it.
#pragma once

#include <thalweg/core/remark.hpp>
#include <thalweg/estimators/batch.hpp>
#include <thalweg/estimators/online.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

enum class Method {
  automatic,         // online; rows that fit into memory are kept and polished by batch EM
  online,            // one pass or several, constant memory
  batch,             // start on the first rows, then batch EM
  incremental,       // the same start, then incremental EM on rows in memory
  variance_reduced,  // … or variance-reduced EM
  gradient,          // online, but steps along the gradient
  exact,             // one pass for the moments of the rows, then the maximum in closed form
};

THALWEG_API Method parse_method(std::string_view text);
THALWEG_API std::string_view name(Method method);

/// Reads the rows as they come and forgets them.
inline bool streams(Method method) {
  return method == Method::online || method == Method::gradient;
}

struct FitOptions {
  Method method = Method::automatic;
  OnlineOptions online = {};  // batch_size, seed and a constant step are also for rows in memory
  BatchOptions batch = {};    // tolerance and iterations are those of every method that iterates
  std::uint64_t keep = std::uint64_t{64} << 20U;  // bytes of rows that may be kept
  bool to_the_end =
      false;  // the polish of `automatic` reaches the tolerance whatever it costs; without this it ends, once what is cheap
              // has been spent, a tenth of a standard error from the maximum
  bool live = false;  // rows come as they happen: each is learned at once, in its order
  bool mends_order =
      true;  // rows that were gathered and look sorted change places with those that follow
  std::uint64_t passes = 1;  // of the online method
  std::uint64_t runs =
      0;  // batch EM: searches for a start by their own seeds, a run from the best of each; 0: from the best
  // few of one search, or, where rows are read again, the best
  Regularisation regularisation = {};  // of the whole fit; none in `online` and `batch`
  ThreadPool pool = {};                // … and so are the threads
  Tell tell = {};                      // told what a user should know while it runs
  std::function<bool()> stop = {};     // asked between blocks; true ends the fit early
  std::function<void(bool stopping)> rest =
      {};  // called between blocks and iterations: then Fit::save may be
};

struct FitResult {
  Parameters parameters;  // none where it was stopped before it had any
  Statistic statistic;    // none before the first E-step
  Method method =
      Method::online;        // what was done in the end: online, batch (also after online) or exact
  Message why;               // in a sentence
  std::uint64_t rows = 0;    // of one pass
  double weight = 0;         // of one pass
  std::uint64_t passes = 0;  // over the rows, iterations of batch EM included
  std::optional<double>
      progressive;  // mean log-likelihood, each mini-batch scored before it was learned
  std::optional<double>
      log_likelihood;  // of all rows at `parameters`, where a batch E-step ended the fit; with StopBy::change at the last E-step
  std::optional<double> entropy =
      {};  // of the posterior of all rows, where log_likelihood is known
           // and they were in memory
  std::uint64_t iterations =
      0;                     // of batch EM; passes of incremental, epochs of variance-reduced EM
  std::uint64_t steps = 0;   // M-steps of the online part
  std::uint64_t memory = 0;  // bytes that incremental EM kept beside the rows
  std::optional<double> rate = {};    // at which variance-reduced EM ended
  bool converged = false;             // batch EM by its stop rule, passes by theirs
  bool stopped = false;               // early, on request
  std::size_t batch_size = 0;         // m of the online part, 0 without one
  std::uint64_t buffer = 0;           // rows on which the starts were found
  std::optional<Moving> moving = {};  // how a method that iterates ended
  Events events;
  std::vector<StartRecord> starts;
  Regularisation regularisation = {};  // settled: what the M-steps were told
  std::optional<double>
      baseline;  // mean log-likelihood of the baseline: of all rows if log_likelihood is, else progressive
};

/// What an online run has found until now.
THALWEG_API void take(const Online& online, FitResult& result);

/// What a fit has found until now, as part of its saved state: all but what its end puts into words.
THALWEG_API void save(const FitResult& result, Archive& archive);
THALWEG_API void load(const Archive& archive, const Plan& plan, FitResult& result);

/// What every stage of a fit works with.
struct THALWEG_API FitSetting {
  std::shared_ptr<const Model> model;
  FitOptions options;
  std::shared_ptr<const Model> baseline = {};  // the simplest model of the kind, for comparison
  std::vector<Parameters> given = {};          // where to start; several are for batch EM alone
  std::optional<Statistic> continued = {};     // … with this statistic of earlier rows
  std::uint64_t continued_rows = 0;
  std::vector<Observer*> observers = {};

  bool stopping() const { return options.stop && options.stop(); }

  /// A moment between blocks or iterations, at which the state may be saved. True: the fit is to end.
  bool rest() const {
    const bool end = stopping();
    if (options.rest) options.rest(end);
    return end;
  }

  /// Batch EM reads them many times: an Error where they come only once.
  void rewind(Source& source) const;

  /// The baseline is fitted by maximum likelihood: a prior's shape and fixed parameters belong to the model.
  Regularisation baseline_regularisation() const {
    return {.floor = options.regularisation.floor, .ridge = options.regularisation.ridge};
  }

  /// One component has no latent variable: a single EM iteration is the maximum, a second E-step its likelihood. A source is rewound
  /// in between.
  double batch_baseline(const Schema& schema, const Block& buffer, const Block& rows) const;
  double batch_baseline(const Schema& schema, const Block& buffer, Source& rows) const;
};

}  // namespace thalweg
