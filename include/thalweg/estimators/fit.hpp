// A whole fit over a source, by method: which estimator runs when, how often the rows are read, and what comes out.
#pragma once

#include <thalweg/core/source.hpp>
#include <thalweg/data/distinct.hpp>
#include <thalweg/estimators/entropy.hpp>
#include <thalweg/estimators/exact.hpp>
#include <thalweg/estimators/incremental.hpp>
#include <thalweg/estimators/online.hpp>
#include <thalweg/estimators/variance_reduced.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  std::uint64_t passes = 1;                       // of the online method
  Terms terms = {};                               // in place of those of `online` and `batch`
  std::function<bool()> stop = {};                // asked between blocks; true ends the fit early
};

struct FitResult {
  Parameters parameters;
  Statistic statistic;
  Method method =
      Method::online;        // what was done in the end: online, batch (also after online) or exact
  std::string why;           // in a sentence
  std::uint64_t rows = 0;    // of one pass
  double weight = 0;         // of one pass
  std::uint64_t passes = 0;  // over the rows, iterations of batch EM included
  std::optional<double>
      progressive;  // mean log-likelihood, each mini-batch scored before it was learned
  std::optional<double>
      log_likelihood;  // of all rows at `parameters`, where a batch E-step ended the fit
  std::optional<double> entropy =
      {};  // of the posterior of all rows, where log_likelihood is known
           // and they were in memory
  std::uint64_t iterations =
      0;                     // of batch EM; passes of incremental, epochs of variance-reduced EM
  std::uint64_t memory = 0;  // bytes that incremental EM kept beside the rows
  std::optional<double> rate = {};  // at which variance-reduced EM ended
  bool converged = false;           // batch EM by its stop rule, passes by theirs
  bool stopped = false;             // early, on request
  std::size_t batch_size = 0;       // m of the online part, 0 without one
  std::uint64_t buffer = 0;         // rows on which the starts were found
  Events events;
  std::vector<StartRecord> starts;
  std::optional<double>
      baseline;  // mean log-likelihood of the baseline: of all rows if log_likelihood is, else progressive
};

template <Model M = AnyModel>
class Fit {
 public:
  Fit(std::shared_ptr<const M> model, FitOptions options)
      : model_(std::move(model)), options_(std::move(options)) {
    options_.online.terms = options_.terms;
    options_.batch.terms = options_.terms;
  }

  void begin(Parameters theta) { given_ = std::move(theta); }
  void observe(Observer& observer) { observers_.push_back(&observer); }

  /// The simplest model of the kind (one component), fitted to the same rows for comparison. Rows with labels are not
  /// compared: their likelihood is that of rows and labels together.
  void compare_with(std::shared_ptr<const M> baseline) { baseline_ = std::move(baseline); }

  FitResult run(Source& source) {
    const bool streamed = streams(options_.method) || options_.method == Method::automatic;
    FitResult result = options_.method == Method::exact ? run_exact(source)
                       : streamed                       ? run_online(source)
                                                        : run_kept(source);
    for (const StartRecord& start : result.starts) {
      if (!start.chosen) continue;
      // What the stream or batch EM went on from has its own repairs since; where nothing followed, those of the start stand.
      const bool start_is_all = streams(result.method) && !result.progressive;
      if (start_is_all)
        result.events.add(start.repairs);
      else
        result.events.add(start.repairs, Event::component_reborn);
    }
    return result;
  }

 private:
  /// The first rows of an input, kept as long as they fit.
  struct Kept {
    Table rows;
    bool whole = true;

    void add(const Block& block, std::uint64_t limit) {
      if (!whole) return;
      const std::size_t beside = (block.side.weight ? 1 : 0) + (block.side.label ? 1 : 0);
      const std::uint64_t a_row = (block.columns + beside) * sizeof(double);
      if ((rows.rows() + block.rows) * a_row > limit) {
        whole = false;
        rows = Table();
      } else {
        rows.append(block);
      }
    }
  };

  bool stop_wanted() const { return options_.stop && options_.stop(); }

  FitResult run_online(Source& source) {
    OnlineOptions online_options = options_.online;
    if (!online_options.length) online_options.length = source.rows();
    if (options_.method == Method::gradient) online_options.update = Update::gradient;
    Online<M> online(model_, source.schema(), online_options);
    for (Observer* observer : observers_) online.observe(*observer);
    if (given_) online.begin(*given_);

    std::optional<Online<M>> baseline = online_baseline(source.schema(), online);

    const bool may_polish = options_.method == Method::automatic;
    // Without polishing only an input that never leaves the buffer is kept, so that it can be scored.
    const std::uint64_t a_row = (source.schema().width() + 1) * sizeof(double);
    const std::uint64_t limit = may_polish ? options_.keep : online.buffer_size() * a_row;
    Kept kept{.rows = Table(source.schema().width())};
    // Rows that cannot fit, whatever stands beside them, are not even begun to be kept.
    const std::uint64_t at_least = source.schema().width() * sizeof(double);
    if (online_options.length && *online_options.length * at_least > limit) kept.whole = false;
    FitResult result;
    std::optional<Parameters> last;
    for (;;) {
      for (const Block& block : source) {
        online.learn(block);
        if (block.side.label) baseline.reset();
        if (result.passes == 0) {
          if (baseline) baseline->learn(block);
          result.rows += block.rows;
          result.weight += block.total_weight();
          kept.add(block, limit);
        }
        if (stop_wanted()) break;
      }
      result.stopped = stop_wanted();
      online.finish();
      if (++result.passes == 1) {
        result.progressive = online.run().progressive();
        if (baseline) {
          baseline->finish();
          result.baseline = baseline->run().progressive();
        }
      }
      if (result.stopped || result.passes >= options_.passes) break;
      Parameters now = online.reported();
      result.converged = last && pass_changed_little(*last, now);
      if (result.converged) break;
      last = std::move(now);
      online.repeat(result.weight);
      if (!source.rewind())
        throw Error(
            "several passes need an input that can be read again, or that fits into --keep");
    }

    const Recursion<M>& run = online.run();
    result.method = options_.method == Method::gradient ? Method::gradient : Method::online;
    result.parameters = run.reported();
    result.statistic = run.reported_statistic();
    result.events = run.events();
    result.batch_size = online.batch_size();
    result.buffer = std::min<std::uint64_t>(online.buffer_size(), result.rows);
    result.starts = online.starts();
    if (may_polish && kept.whole && !result.stopped) {
      options_.batch.terms = online.terms();
      polish(online.candidates(), kept.rows.block(), source.schema(), result);
      result.why = "online first, then batch EM: all " + std::to_string(result.rows) +
                   " rows fit into --keep";
      result.passes += result.iterations + 1;
    } else {
      if (kept.whole && !result.progressive) score(kept.rows.block(), source.schema(), result);
      result.why = why_online(result);
    }
    return result;
  }

  /// Nothing was left for the stream: the likelihood of the buffer is all there is to tell.
  void score(const Block& rows, const Schema& schema, FitResult& result) const {
    const Plan plan = model_->plan(schema);
    result.log_likelihood =
        expect_all(*model_, result.parameters, plan, rows, options_.terms.crew).log_likelihood();
    result.entropy = entropy(*model_, result.parameters, rows, options_.terms.crew);
    if (baseline_ && !rows.side.label) result.baseline = batch_baseline(schema, rows, rows);
  }

  /// Batch EM from every candidate; the best end wins. The runs are in the order of the table of starts.
  void polish(const std::vector<Parameters>& candidates, const Block& kept, const Schema& schema,
              FitResult& result) {
    const std::optional<Table> distinct = distinct_rows(kept);
    const Block rows = distinct ? distinct->block() : kept;
    const double best = best_end([&] { return Batch<M>(model_, schema, options_.batch); },
                                 candidates, rows, result);
    result.method = Method::batch;
    if (!given_ && rows.rows <= rows_for_jumps && !result.stopped) jump(rows, schema, best, result);
    conclude(rows, schema, result);
  }

  /// A run of the estimator that `make` gives from every candidate; gives the highest objective.
  template <class Make>
  double best_end(const Make& make, const std::vector<Parameters>& candidates, const Block& rows,
                  FitResult& result) {
    double best = -HUGE_VAL;
    for (std::size_t c = 0; c < candidates.size() && !result.stopped; ++c) {
      auto run = make();
      if (c == 0)
        for (Observer* observer : observers_) run.observe(*observer);
      run.begin(candidates[c]);
      while (!result.stopped && !run.iterate(rows)) result.stopped = stop_wanted();
      if (result.stopped) run.evaluate(rows);
      if (c == 0 || run.objective() > best) {
        best = run.objective();
        take(run, result);
        for (std::size_t r = 0; r < result.starts.size(); ++r) result.starts[r].chosen = r == c;
      }
    }
    return best;
  }

  void conclude(const Block& rows, const Schema& schema, FitResult& result) const {
    result.entropy = entropy(*model_, result.parameters, rows, options_.terms.crew);
    if (baseline_ && !rows.side.label) result.baseline = batch_baseline(schema, rows, rows);
  }

  /// The other methods for rows in memory: each row is visited as it is, however often it repeats.
  void refine(const std::vector<Parameters>& candidates, const Block& rows, const Schema& schema,
              FitResult& result) {
    const BatchOptions& common = options_.batch;
    const OnlineOptions& online = options_.online;
    result.method = options_.method;
    if (options_.method == Method::incremental) {
      IncrementalOptions options{.batch_size = online.batch_size,
                                 .warmup = {},
                                 .tolerance = common.tolerance,
                                 .max_iterations = common.max_iterations,
                                 .terms = common.terms};
      const bool textbook = online.buffer && *online.buffer == 0;
      if (online.warmup > 0 || textbook) options.warmup = online.warmup;
      best_end([&] { return Incremental<M>(model_, schema, options); }, candidates, rows, result);
      result.why = "incremental EM on rows kept in memory, as asked";
    } else {
      VarianceReducedOptions options{.batch_size = online.batch_size,
                                     .rate = {},
                                     .tolerance = common.tolerance,
                                     .max_iterations = common.max_iterations,
                                     .seed = online.seed,
                                     .terms = common.terms};
      if (online.step.kind() == Schedule::Kind::constant)
        options.rate = online.step.constant_rate();
      best_end([&] { return VarianceReduced<M>(model_, schema, options); }, candidates, rows,
               result);
      result.why = "variance-reduced EM on rows kept in memory, as asked";
    }
    conclude(rows, schema, result);
  }

  /// The first rows may have hidden a rare cluster. On small data jumps that EM cannot make are tried once more, on all rows; what
  /// leads higher is taken.
  void jump(const Block& rows, const Schema& schema, double best, FitResult& result) {
    constexpr std::size_t attempts = 4;
    constexpr int trial = 30;  // iterations that show whether a jump leads higher
    Random random(options_.online.seed, 0, 2);
    const double weight = rows.total_weight();
    for (std::size_t failures = 0; failures < attempts && !result.stopped;) {
      Parameters theta = result.parameters;
      if (!rearrange(*model_, rows, options_.batch.terms.context(weight), failures, random, theta))
        return;
      Batch<M> batch(model_, schema, options_.batch);
      batch.begin(std::move(theta));
      bool done = false;
      for (int i = 0; i < trial && !done; ++i) done = batch.iterate(rows);
      if (!(batch.objective() > best + 1e-4 * weight)) {
        ++failures;
        continue;
      }
      while (!done && !result.stopped) {
        done = batch.iterate(rows);
        result.stopped = !done && stop_wanted();
      }
      if (result.stopped) batch.evaluate(rows);
      best = batch.objective();
      take(batch, result);
      failures = 0;
    }
  }
  static constexpr std::size_t rows_for_jumps = 50'000;

  /// The baseline is fitted by maximum likelihood: a prior's shape and fixed parameters belong to the model.
  Terms baseline_terms() const {
    return {
        .floor = options_.terms.floor, .ridge = options_.terms.ridge, .crew = options_.terms.crew};
  }

  /// A stream is compared by progressive likelihood: the baseline sees and scores the very same rows.
  std::optional<Online<M>> online_baseline(const Schema& schema, const Online<M>& online) const {
    if (!baseline_ || online.buffer_size() == 0) return std::nullopt;
    return std::make_optional<Online<M>>(baseline_, schema,
                                         OnlineOptions{.step = Schedule::reciprocal(),
                                                       .batch_size = online.batch_size(),
                                                       .buffer = online.buffer_size(),
                                                       .average = {.kind = Averaging::Kind::off},
                                                       .starts = 1,
                                                       .racers = 1,
                                                       .seed = options_.online.seed,
                                                       .terms = baseline_terms()});
  }

  /// One component has no latent variable: a single EM iteration is the maximum, a second E-step its likelihood.
  template <class Rows>
  double batch_baseline(const Schema& schema, const Block& buffer, Rows& rows) const {
    Random random(options_.online.seed);
    Batch<M> batch(baseline_, schema, {.max_iterations = 1, .terms = baseline_terms()});
    batch.begin(baseline_->start(buffer, random));
    batch.iterate(rows);
    if constexpr (std::derived_from<Rows, Source>) rows.rewind();
    batch.iterate(rows);
    return batch.log_likelihood() / batch.statistic().weight;
  }

  /// The first rows give the gauge; no row is kept or read twice.
  FitResult run_exact(Source& source) {
    if constexpr (!ExactModel<M>) {
      refuse_exact();
    } else {
      const Schema& schema = source.schema();
      const Plan plan = model_->plan(schema);
      model_->observed(schema);  // refuses before any row is read
      if (options_.terms.prior || options_.terms.prior_strength > 0)
        throw UsageError("the closed form is the maximum of the likelihood, it knows no prior");
      FitResult result;
      Table buffer(schema.width());
      std::optional<Moments<M>> moments;
      const auto launch = [&] {
        Parameters gauge = given_ ? *given_ : Parameters(plan.parameters);
        calibrate(*model_, buffer.block(), gauge);
        moments.emplace(*model_, schema, std::move(gauge), options_.terms.crew);
        moments->add(buffer.block());
      };
      for (const Block& block : source) {
        check(*model_, schema, block);
        result.rows += block.rows;
        result.weight += block.total_weight();
        for (Observer* observer : observers_)
          observer->on({.phase = Phase::buffer, .rows = result.rows, .batch_rows = block.rows});
        const std::size_t taken =
            moments ? 0 : std::min<std::size_t>(block.rows, slice_rows - buffer.rows());
        buffer.append(block.slice(0, taken));
        if (!moments && buffer.rows() == slice_rows) launch();
        if (moments) moments->add(block.slice(taken, block.rows - taken));
        if (stop_wanted()) break;
      }
      result.stopped = stop_wanted();
      require_rows(plan, result.rows);
      if (!moments) launch();
      result.method = Method::exact;
      result.parameters = moments->gauge();
      result.statistic = Statistic(plan.statistic);
      result.log_likelihood =
          result.weight * model_->solve(moments->finish(),
                                        options_.terms.context(result.weight, &result.events),
                                        result.parameters, result.statistic);
      result.passes = 1;
      result.converged = !result.stopped;
      result.why = "the maximum in closed form from the moments of all rows, as asked";
      return result;
    }
  }

  FitResult run_kept(Source& source) {
    const Schema& schema = source.schema();
    const Plan plan = model_->plan(schema);
    const std::uint64_t buffer_size = options_.online.buffer.value_or(default_buffer(plan));
    FitResult result;
    Kept kept{.rows = Table(schema.width())};
    Table buffer(schema.width());
    for (const Block& block : source) {
      check(*model_, schema, block);
      buffer.append(block.slice(0, std::min<std::size_t>(block.rows, buffer_size - buffer.rows())));
      result.rows += block.rows;
      result.weight += block.total_weight();
      kept.add(block, options_.keep);
      if (!kept.whole && options_.method != Method::batch)
        throw Error(std::string(name(options_.method)) +
                    " EM keeps all rows in memory, and they do not fit into --keep "
                    "(raise it, or use --method online or batch)");
    }
    require_rows(plan, result.rows);
    result.buffer = buffer.rows();
    options_.batch.terms = settle(*model_, options_.terms, plan, buffer.block());
    const std::vector<Parameters> candidates = batch_candidates(schema, buffer.block(), result);
    if (options_.method != Method::batch) {
      refine(candidates, kept.rows.block(), schema, result);
      return result;
    }
    if (kept.whole) {
      polish(candidates, kept.rows.block(), schema, result);
      result.why = "batch EM on rows kept in memory, as asked";
    } else {
      read_again(candidates.front(), source, result);
      if (baseline_ && !buffer.labelled() && source.rewind())
        result.baseline = batch_baseline(schema, buffer.block(), source);
      result.why = "batch EM, the input read again for every iteration, as asked";
    }
    result.passes = result.iterations + 1;
    return result;
  }

  /// The given parameters, or the best few starts on the buffer.
  std::vector<Parameters> batch_candidates(const Schema& schema, const Block& buffer,
                                           FitResult& result) {
    if (given_) {
      Parameters theta = *given_;
      calibrate(*model_, buffer, theta);
      return {std::move(theta)};
    }
    if (buffer.rows == 0) throw UsageError("buffer 0 needs starting parameters (--init)");
    std::vector<Parameters> candidates;
    for (Start& start : find_starts(model_, schema, buffer,
                                    {.starts = options_.online.starts,
                                    .seed = options_.online.seed,
                                    .terms = options_.batch.terms})) {
      const bool tried = candidates.empty() ||
                         (candidates.size() < options_.online.racers && !start.record.repeats);
      if (tried) candidates.push_back(std::move(start.theta));
      result.starts.push_back(start.record);
    }
    result.starts.front().chosen = true;
    return candidates;
  }

  void read_again(const Parameters& theta, Source& source, FitResult& result) {
    Batch<M> batch(model_, source.schema(), options_.batch);
    for (Observer* observer : observers_) batch.observe(*observer);
    batch.begin(theta);
    for (bool done = false; !done && !result.stopped; result.stopped = !done && stop_wanted()) {
      rewind(source);
      done = batch.iterate(source);
    }
    if (result.stopped) {
      rewind(source);
      batch.evaluate(source);
    }
    take(batch, result);
    result.method = Method::batch;
  }

  static void rewind(Source& source) {
    if (!source.rewind())
      throw Error(
          "batch EM reads the rows many times: this input cannot be read again and does not fit "
          "into --keep (raise --keep, or use --method online)");
  }

  template <class Estimator>
  void take(const Estimator& run, FitResult& result) {
    result.parameters = run.parameters();
    result.statistic = run.statistic();
    result.log_likelihood = run.log_likelihood();
    result.iterations = run.iterations();
    result.converged = run.converged();
    result.events = run.events();
    if constexpr (requires { run.passes(); }) result.passes = run.passes();
    if constexpr (requires { run.memory(); }) {
      result.memory = run.memory();
      result.batch_size = run.block_size(static_cast<std::size_t>(result.rows));
    }
    if constexpr (std::same_as<Estimator, VarianceReduced<M>>) {
      result.rate = run.rate();
      result.batch_size = run.batch_size(static_cast<std::size_t>(result.rows));
    }
  }

  /// Passes stop when a whole pass moves what would be reported by less than the parameter tolerance of batch EM.
  bool pass_changed_little(const Parameters& before, const Parameters& after) const {
    return change(*model_, before, after) < 100 * options_.batch.tolerance;
  }

  std::string why_online(const FitResult& result) const {
    if (result.stopped) return "interrupted: this is what was learned until then";
    if (options_.method == Method::automatic)
      return "one online pass in constant memory: the input does not fit into --keep";
    const std::string kind = result.method == Method::gradient ? "gradient" : "online";
    return result.passes == 1 ? "one " + kind + " pass, as asked"
                              : std::to_string(result.passes) + " " + kind + " passes, as asked";
  }

  std::shared_ptr<const M> model_;
  FitOptions options_;
  std::shared_ptr<const M> baseline_;
  std::optional<Parameters> given_;
  std::vector<Observer*> observers_;
};

extern template class THALWEG_API Fit<AnyModel>;

}  // namespace thalweg
