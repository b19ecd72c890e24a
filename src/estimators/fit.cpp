// A whole fit: the method is chosen, rows are kept or passed over, stages follow each other.
#include "estimators/exact_fit.hpp"
#include "estimators/multi_start.hpp"
#include "estimators/start_sample.hpp"
#include "estimators/stream_fit.hpp"
#include "estimators/watched.hpp"
#include <thalweg/core/border.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/estimators/entropy.hpp>
#include <thalweg/estimators/fit.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {

Fit::Fit(const ModelHandle& model, const FitOptions& options)
    : setting_{.model = model.shared(), .options = options} {
  const auto asks = [](const auto& part) {
    return part.regularisation.asked() || part.pool.size() > 1;
  };
  if (asks(options.online) || asks(options.batch))
    throw UsageError(
        "a fit has one regularisation and one pool: give them in FitOptions, not in its online or "
        "batch options");
  if (options.batch.stop_by == StopBy::change && options.method != Method::batch)
    throw UsageError("a stop by the change of an iteration belongs to batch EM");
  if (options.runs > 0 && options.method != Method::batch)
    throw UsageError("several runs from searches of their own belong to batch EM");
  if (options.passes > 1 && !streams(options.method) && options.method != Method::automatic)
    throw UsageError(option("passes") + " are of " + option("method", "online") + " and gradient");
  if (options.batch.reduce)
    throw UsageError("sums of several engines come together in Batch, which leaves out no stage");
  setting_.options.online.regularisation = setting_.options.regularisation;
  setting_.options.batch.regularisation = setting_.options.regularisation;
  setting_.options.online.pool = setting_.options.pool;
  setting_.options.batch.pool = setting_.options.pool;
  setting_.options.batch.seed = options.online.seed;
}

void Fit::begin(std::vector<Parameters> starts) {
  if (starts.size() > 1 && setting_.options.method != Method::batch)
    throw UsageError("only batch EM starts from several parameters (give one start)");
  setting_.given = std::move(starts);
}

void Fit::go_on_from(const Parameters& theta, const Statistic& statistic, std::uint64_t rows) {
  if (!streams(setting_.options.method))
    throw UsageError("only online methods can go on from statistics");
  setting_.given = {theta};
  setting_.continued = statistic;
  setting_.continued_rows = rows;
}

FitResult Fit::run(Source& source) {
  const Method method = setting_.options.method;
  result_ = FitResult();
  if (saved_)
    thalweg::load(saved_->nested("result/"), setting_.model->plan(source.schema()), result_);
  if (method == Method::exact) {
    run_exact(source);
  } else if (streams(method) || method == Method::automatic) {
    run_online(source);
  } else {
    try {
      run_kept(source);
    } catch (const Stopped&) {
      result_.stopped = true;
    }
  }
  for (const StartRecord& start : result_.starts) {
    if (!start.chosen) continue;
    // What the stream or batch EM went on from has its own repairs since; where nothing followed, those of the start stand.
    const bool start_is_all = streams(result_.method) && !result_.progressive;
    if (start_is_all)
      result_.events.add(start.repairs);
    else
      result_.events.add(start.repairs, Event::component_reborn);
  }
  return std::move(result_);
}

Archive Fit::save() const {
  Archive archive;
  archive.put("stage", static_cast<std::uint64_t>(stage_));
  Archive result;
  thalweg::save(result_, result);
  archive.put("result/", result);
  archive.put("state/", under_way_());
  if (!read_.empty()) archive.put("read/", read_);
  return archive;
}

void Fit::load(Archive archive) {
  if (archive.count("stage") > static_cast<std::uint64_t>(Stage::summing))
    throw Error("saved fit is damaged");
  stage_ = static_cast<Stage>(archive.count("stage"));
  read_ = archive.nested("read/");
  saved_ = std::move(archive);
}

std::optional<Archive> Fit::saved(Stage stage) {
  if (!saved_ || stage_ != stage) return std::nullopt;
  return std::exchange(saved_, std::nullopt)->nested("state/");
}

void Fit::expect_rows_again(Source& source) const {
  if (!read_.empty()) source.expect_again(read_);
}

void Fit::require_the_same(std::uint64_t rows) const {
  if (!read_.empty() && rows != result_.rows)
    throw Error("the input has " + std::to_string(rows) + " rows, " + std::to_string(result_.rows) +
                " were learned before (resume with the input of the first run)");
}

template <class Part>
void Fit::enter(Stage stage, const Part& part) {
  stage_ = stage;
  under_way_ = [&part] { return part.save(); };
}

void Fit::run_exact(Source& source) {
  ExactFit exact(setting_, source);
  if (const auto state = saved(Stage::summing)) exact.load(*state, result_.rows);
  enter(Stage::summing, exact);
  exact.run(source, result_);
}

void Fit::run_online(Source& source) {
  if (const auto state = saved(Stage::iterating)) {
    expect_rows_again(source);
    KeptRows kept{.rows = Table(source.schema().width())};
    for (const Block& block : source) kept.add(block, setting_.options.keep);
    require_the_same(kept.rows.rows());
    MultiStart runs(setting_, source.schema());
    runs.load(*state);
    return polish(runs, kept.rows.block());
  }
  StreamFit stream(setting_, source);
  if (const auto state = saved(Stage::streaming)) stream.load(*state);
  enter(Stage::streaming, stream);
  stream.run(source, result_);
  const KeptRows& kept = stream.kept();
  if (setting_.options.method == Method::automatic && kept.whole && !result_.stopped) {
    source.save_position(read_);
    MultiStart runs(setting_, source.schema());
    runs.begin(stream.online().candidates(), stream.online().regularisation());
    polish(runs, kept.rows.block());
  } else {
    const Block rows = kept.whole ? kept.rows.block() : stream.online().all_rows();
    if (!result_.progressive && rows.rows == result_.rows && rows.rows > 0)
      score(rows, source.schema());
    result_.why = why_online();
  }
}

void Fit::polish(MultiStart& runs, const Block& rows) {
  enter(Stage::iterating, runs);
  runs.polish(rows, result_);
  result_.why = "online first, then batch EM: all " + std::to_string(result_.rows) +
                " rows fit into " + option("keep");
  result_.passes += result_.iterations + 1;
}

void Fit::score(const Block& rows, const Schema& schema) {
  const Plan plan = setting_.model->plan(schema);
  const ThreadPool& pool = setting_.options.pool;
  result_.log_likelihood =
      expect_all(*setting_.model, result_.parameters, plan, rows, pool).log_likelihood();
  result_.entropy = entropy(*setting_.model, result_.parameters, rows, pool, plan.unit);
  if (setting_.baseline && !rows.side.label)
    result_.baseline = setting_.batch_baseline(schema, rows, rows);
}

void Fit::run_kept(Source& rows) {
  const FitOptions& options = setting_.options;
  // Where nothing is left to evaluate, an E-step may be cut short.
  const bool at_once = options.batch.stop_by == StopBy::change && options.keep == 0;
  Watched source(rows, at_once ? options.stop : nullptr);
  const Schema& schema = source.schema();
  const Plan plan = setting_.model->plan(schema);
  KeptRows kept{.rows = Table(schema.width())};
  StartSample sample(schema.width(), options.online.buffer.value_or(thorough_buffer(plan)),
                     plan.unit, source.rows(), options.online.seed);
  Admission border(plan.unit);
  expect_rows_again(source);
  for (const Block& block : source) {
    border.admit(*setting_.model, schema, block);
    sample.add(block);
    kept.add(block, options.keep);
    if (!kept.whole && options.method != Method::batch)
      throw Error(std::string(name(options.method)) +
                      " EM keeps all rows in memory, and they do not fit into " + option("keep"),
                  {"raise " + option("keep"), "use " + option("method", "online") + " or batch"});
  }
  if (sample.has_to_look_again() && kept.whole) {
    sample.look_again(kept.rows.block());
  } else if (sample.has_to_look_again()) {
    setting_.rewind(source);
    sample.look_again(source);
  }
  require_the_same(sample.rows());
  source.save_position(read_);
  result_.rows = sample.rows();
  result_.weight = sample.weight();
  require_rows(plan, sample.rows_that_count());
  const Block buffer = sample.block();
  result_.buffer = buffer.rows;
  MultiStart runs(setting_, schema);
  const Regularisation regularisation =
      settle(*setting_.model, options.regularisation, plan, buffer);
  runs.find_by(options.runs, [&](std::uint64_t run) {
    return search(schema, buffer, regularisation, run).front().theta;
  });
  if (const auto state = saved(Stage::iterating)) {
    runs.load(*state);
  } else {
    runs.begin(batch_candidates(schema, buffer, regularisation), regularisation);
  }
  enter(Stage::iterating, runs);
  if (options.method != Method::batch) return runs.refine(kept.rows.block(), result_);
  if (kept.whole) {
    runs.polish(kept.rows.block(), result_);
    result_.why = "batch EM on rows kept in memory, as asked";
  } else {
    runs.read_again(source, result_);
    if (setting_.baseline && !buffer.side.label && source.rewind())
      result_.baseline = setting_.batch_baseline(schema, buffer, source);
    result_.why = options.keep > 0 ? "batch EM, the input read again for every iteration, as asked"
                                   : "batch EM, as asked";
  }
  result_.passes = result_.iterations + 1;
}

std::vector<Start> Fit::search(const Schema& schema, const Block& buffer,
                               const Regularisation& regularisation, std::uint64_t run) const {
  if (buffer.rows == 0)
    throw UsageError(option("buffer", "0") + " needs starting parameters (" + option("init") + ")");
  const OnlineOptions& online = setting_.options.online;
  std::vector<Start> starts =
      find_starts(setting_.model, schema, buffer,
                  {.starts = online.starts,
                   .confirmed = !online.starts,
                   .budget = online.start_budget * real(result_.rows) / real(buffer.rows),
                   .seed = online.seed + run,
                   .regularisation = regularisation,
                   .pool = online.pool,
                   .stop = online.stop});
  if (online.impose)
    for (Start& start : starts) online.impose(start.theta);
  return starts;
}

std::vector<Parameters> Fit::batch_candidates(const Schema& schema, const Block& buffer,
                                              const Regularisation& regularisation) {
  std::vector<Parameters> candidates = setting_.given;
  for (Parameters& theta : candidates) calibrate(*setting_.model, buffer, theta);
  if (!candidates.empty() || setting_.options.runs > 0) return candidates;
  for (Start& start : search(schema, buffer, regularisation, 0)) {
    const bool tried = candidates.empty() || (candidates.size() < setting_.options.online.racers &&
                                              start.record.stands_alone());
    if (tried) candidates.push_back(std::move(start.theta));
    result_.starts.push_back(start.record);
  }
  result_.starts.front().chosen = true;
  return candidates;
}

Message Fit::why_online() const {
  if (result_.stopped) return "interrupted: this is what was learned until then";
  if (setting_.options.method == Method::automatic)
    return "one online pass in constant memory: the input does not fit into " + option("keep");
  const std::string kind = result_.method == Method::gradient ? "gradient" : "online";
  return result_.passes == 1 ? "one " + kind + " pass, as asked"
                             : std::to_string(result_.passes) + " " + kind + " passes, as asked";
}

}  // namespace thalweg
