// The online stages of a fit: passes over a source until it ends or is stopped.
#include "estimators/stream_fit.hpp"

#include "core/change.hpp"
#include "core/order_test.hpp"
#include "core/row_order.hpp"
#include "estimators/sure_gain.hpp"
#include <thalweg/core/border.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/data/picked_rows.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace thalweg {
namespace {

constexpr std::uint64_t rows_that_decide = 500;

}  // namespace

StreamFit::StreamFit(const FitSetting& setting, const Source& source)
    : setting_(setting),
      schema_(source.schema()),
      online_(setting.model, source.schema(), options(setting, source)),
      kept_{.rows = Table(source.schema().width())} {
  for (Observer* observer : setting_.observers) online_.observe(*observer);
  if (setting_.continued)
    online_.begin(setting_.given.front(), *setting_.continued, setting_.continued_rows);
  else if (!setting_.given.empty())
    online_.begin(setting_.given.front());
  begin_baseline();
  begin_reservoir(source.schema());
  // Without polishing only an input that never leaves the buffer is kept, so that it can be scored.
  const std::uint64_t a_row = (source.schema().width() + 1) * sizeof(double);
  const bool may_polish = setting_.options.method == Method::automatic;
  limit_ = may_polish ? setting_.options.keep : online_.buffer_size() * a_row;
  gathers_ = may_polish && !setting_.options.live && !setting_.continued;
  if (gathers_) return;
  // Rows that cannot fit, whatever stands beside them, are not even begun to be kept.
  const std::optional<std::uint64_t> length = options(setting, source).length;
  const std::uint64_t at_least = source.schema().width() * sizeof(double);
  if (length && *length * at_least > limit_) kept_.whole = false;
}

void StreamFit::run(Source& source, FitResult& result) {
  source_ = &source;
  if (resumed_) go_back(source, result);
  for (;;) {
    learn_pass(source, result);
    // A scoring step is of no use to a polish, and who stops a fit does not wait for one.
    const bool polish = setting_.options.method == Method::automatic && kept_.whole;
    online_.finish(polish || result.stopped);
    if (++result.passes == 1) {
      result.progressive = online_.run().progressive();
      if (baseline_) {
        baseline_->finish();
        result.baseline = baseline_->run().progressive();
      }
    }
    if (result.stopped || result.passes >= setting_.options.passes) break;
    Parameters now = online_.reported();
    result.converged = last_ && changed_little(*last_, now);
    if (result.converged) break;
    last_ = std::move(now);
    online_.repeat(result.weight);
    learned_ = 0;
    next_pass(source);
  }
  take(result);
  const bool is_polished = setting_.options.method == Method::automatic && kept_.whole;
  if (reservoir_ && !is_polished && !result.stopped && result.progressive) decide(result);
}

Archive StreamFit::save() const {
  Archive archive;
  archive.put("online/", online_.save());
  archive.put("counts", std::vector<std::uint64_t>{learned_, kept_.whole ? 1U : 0U,
                                                   baseline_ ? 1U : 0U, last_ ? 1U : 0U});
  if (baseline_) archive.put("baseline/", baseline_->save());
  if (last_) archive.put("last", *last_);
  if (reservoir_) {
    Archive kept;
    reservoir_->save(kept);
    archive.put("reservoir/", kept);
  }
  if (start_) {
    archive.put("has_start", std::uint64_t{1});
    archive.put("start", *start_);
    archive.put("start_statistic", *start_statistic_);
  }
  if (gathers_ || gathered_ > 0) archive.put("gathered", gathered_);
  if (may_exchange_) archive.put("exchange", std::uint64_t{exchanges_ ? 1U : 0U});
  Archive position;
  if (source_->save_position(position)) archive.put("position/", position);
  return archive;
}

void StreamFit::load(const Archive& archive) {
  const auto& counts = archive.counts("counts");
  if (counts.size() != 4) throw Error("saved fit is damaged");
  learned_ = counts[0];
  kept_.whole = counts[1] == 1;
  if (counts[2] == 0) baseline_.reset();
  if (counts[3] == 1) archive.get("last", last_.emplace(online_.plan().parameters));
  const Archive kept = archive.nested("reservoir/");
  if (kept.empty()) reservoir_.reset();  // of an earlier version: nothing was kept
  if (reservoir_) reservoir_->load(kept);
  if (archive.has_count("has_start")) {
    archive.get("start", start_.emplace(online_.plan().parameters));
    archive.get("start_statistic", start_statistic_.emplace(online_.plan().statistic));
  }
  // A state of an earlier version has learned its rows in their order, and goes on so.
  gathered_ = archive.count_or("gathered", 0);
  may_exchange_ = archive.has_count("exchange");
  exchanges_ = archive.count_or("exchange", 0) == 1;
  gathers_ = archive.has_count("gathered") && (exchanges_ || learned_ <= gathered_);
  if (gathered_ > 0 && kept_.whole) expect_gathered();
  if (baseline_) baseline_->load(archive.nested("baseline/"));
  online_.load(archive.nested("online/"));
  position_ = archive.nested("position/");
  resumed_ = true;
}

OnlineOptions StreamFit::options(const FitSetting& setting, const Source& source) {
  OnlineOptions online = setting.options.online;
  online.at_once = true;
  if (!online.length) online.length = source.rows();
  if (setting.options.method == Method::automatic) online.thorough = true;
  if (setting.options.method == Method::gradient) online.update = Update::gradient;
  return online;
}

/// All rows are there: what follows is batch EM.
void StreamFit::expect_gathered() {
  online_.expect(gathered_);
  if (baseline_) begin_baseline();
}

void StreamFit::begin_baseline() {
  if (!setting_.baseline || setting_.continued || online_.buffer_size() == 0) return;
  baseline_.emplace(setting_.baseline, schema_,
                    OnlineOptions{.step = Schedule::reciprocal(),
                                  .batch_size = online_.batch_size(),
                                  .buffer = online_.buffer_size(),
                                  .average = {.kind = Averaging::Kind::off},
                                  .starts = 1,
                                  .at_once = true,
                                  .racers = 1,
                                  .seed = setting_.options.online.seed,
                                  .regularisation = setting_.baseline_regularisation(),
                                  .pool = setting_.options.pool});
}

void StreamFit::learn_pass(Source& source, FitResult& result) {
  if (gathers_ && result.passes == 0) return learn_gathered(source, result);
  const std::uint64_t known = std::exchange(known_, 0);
  for (const Block& block : source) {
    const std::size_t again =
        known > block.number(0) ? std::min<std::size_t>(block.rows, known - block.number(0)) : 0;
    if (result.passes == 0) kept_.add(block, limit_);
    if (again == block.rows) continue;
    learn(block.slice(again, block.rows - again), result);
    if ((result.stopped = setting_.rest())) return;
  }
  result.stopped = setting_.rest();  // a silent pipe ends without a block
}

void StreamFit::learn_gathered(Source& source, FitResult& result) {
  auto block = source.begin();
  Block left = gather(source, block, result);
  const Unit unit = online_.plan().unit;
  const Block rows = kept_.rows.block();
  std::size_t whole = rows.rows;
  if (left.rows > 0 && !begins_unit(left, 0, unit))  // a unit goes on in what is left
    while (whole > 0 && !begins_unit(rows, --whole, unit)) {
    }
  exchanges_ = exchanges_ || finds_order(source.schema());
  if (exchanges_) return learn_exchanged(source, block, left, result);
  learn_in_random_order(rows.slice(0, whole), 0, result);
  if (kept_.whole || result.stopped) return;
  if (learned_ < gathered_) learn(rows.slice(learned_, gathered_ - learned_), result);
  kept_.rows = Table(source.schema().width());
  while (block != Source::end()) {
    learn(left.rows > 0 ? std::exchange(left, {}) : *block, result);
    if ((result.stopped = setting_.rest())) return;
    ++block;
  }
  result.stopped = setting_.rest();
}

/// As many rows as fit; what is left of the block in which there was no more room.
Block StreamFit::gather(const Source& source, Source::Iterator& block, FitResult& result) {
  Admission border(online_.plan().unit);
  Block left;
  for (; block != Source::end(); ++block) {
    const Block& here = *block;
    border.admit(*setting_.model, source.schema(), here);
    if (here.rows == 0) continue;
    const std::uint64_t room = limit_ / bytes_of(here.slice(0, 1));
    const auto taken = static_cast<std::size_t>(
        std::min<std::uint64_t>(here.rows, room - std::min(room, kept_.rows.rows())));
    kept_.rows.append(here.slice(0, taken));
    for (Observer* observer : setting_.observers)
      observer->on({.phase = Phase::buffer, .rows = kept_.rows.rows(), .batch_rows = taken});
    left = here.slice(taken, here.rows - taken);
    if (left.rows > 0 || setting_.stopping()) break;
  }
  result.stopped = setting_.stopping();  // a silent pipe ends without a block
  if (result.stopped) setting_.rest();
  gathered_ = kept_.rows.rows();
  kept_.whole = left.rows == 0;
  if (kept_.whole && learned_ == 0) expect_gathered();
  return left;
}

void StreamFit::learn_in_random_order(const Block& rows, std::uint64_t before, FitResult& result) {
  const std::vector<std::size_t> places =
      shuffled_places(rows, online_.plan().unit, setting_.options.online.seed, 0);
  constexpr std::size_t some = 1024;  // rows between two rests: whole steps
  const std::size_t step = online_.batch_size();
  const std::size_t piece = (some + step - 1) / step * step;
  const bool stopped = result.stopped;  // before: what was gathered until then is learned
  PickedRows picked;
  while (learned_ - before < places.size()) {
    const auto at = static_cast<std::size_t>(learned_ - before);
    learn(picked.pick(rows, std::span(places).subspan(at, std::min(piece, places.size() - at))),
          result);
    if (!stopped && (result.stopped = setting_.rest())) return;
  }
}

bool StreamFit::finds_order(const Schema& schema) const {
  const Block rows = kept_.rows.block();
  if (kept_.whole || !may_exchange_ || !setting_.options.mends_order || learned_ > 0 ||
      online_.plan().unit != Unit::row || rows.is_sparse())
    return false;
  const auto found = order_of(rows);
  if (!found) return false;
  Message text = "the order of the rows would mislead a fit (" + in_words(*found, schema.columns) +
                 "): those that come are mixed within " + std::to_string(rows.rows) +
                 " rows, what fits into " + option("keep");
  text.advise("give a plain file");
  text.advise("raise " + option("keep"));
  if (setting_.options.tell) setting_.options.tell({.text = std::move(text), .warning = true});
  return true;
}

void StreamFit::learn_exchanged(Source& source, Source::Iterator& block, const Block& left,
                                FitResult& result) {
  constexpr std::uint64_t exchange_salt = 0x65786368616e6765;
  constexpr std::size_t some = 1024;
  Table& window = kept_.rows;
  Table out(source.schema().width());
  std::uint64_t drawn = 0;
  std::uint64_t again = learned_;  // rows that come a second time after the fit was resumed
  const auto give = [&] {
    const auto known = static_cast<std::size_t>(std::min<std::uint64_t>(again, out.rows()));
    again -= known;
    const bool is_new = known < out.rows();
    if (is_new) learn(out.block().slice(known, out.rows() - known), result);
    out.clear();
    return result.stopped = is_new ? setting_.rest() : setting_.stopping();
  };
  Admission border(online_.plan().unit);
  for (Block here = left; !result.stopped; here = *block) {
    border.admit(*setting_.model, source.schema(), here);
    for (std::size_t t = 0; t < here.rows; ++t) {
      const std::size_t slot =
          Random(setting_.options.online.seed ^ exchange_salt, drawn++).index(window.rows());
      out.append(window.block().slice(slot, 1));
      window.replace(slot, here, t);
      if (out.rows() == some && give()) return;
    }
    if (give()) return;
    if (++block == Source::end()) break;
  }
  learn_in_random_order(window.block(), drawn, result);
  window = Table(source.schema().width());
}

void StreamFit::begin_reservoir(const Schema& schema) {
  constexpr std::uint64_t most = 4096;
  if (online_.buffer_size() == 0 || online_.plan().unit != Unit::row || schema.width() == 0) return;
  const std::uint64_t fit = setting_.options.keep / 4 / ((schema.width() + 2) * sizeof(double));
  reservoir_.emplace(schema.width(), std::clamp<std::uint64_t>(fit, rows_that_decide, most),
                     setting_.options.online.seed);
}

/// A stream begins after an exact number of rows, however they are cut.
void StreamFit::learn_online(const Block& block) {
  std::size_t taken = 0;
  while (reservoir_ && !online_.started() && taken < block.rows) {
    const auto part = static_cast<std::size_t>(
        std::clamp<std::uint64_t>(online_.rows_until_start(), 1, block.rows - taken));
    online_.learn(block.slice(taken, part));
    taken += part;
    if (!online_.started()) continue;
    start_ = online_.run().parameters();
    start_statistic_ = online_.run().statistic();
  }
  if (taken < block.rows) online_.learn(block.slice(taken, block.rows - taken));
}

void StreamFit::learn(const Block& block, FitResult& result) {
  learn_online(block);
  if (block.is_sparse()) reservoir_.reset();
  if (reservoir_ && result.passes == 0) reservoir_->add(block);
  learned_ += block.rows;
  if (block.side.label) baseline_.reset();
  if (result.passes > 0) return;
  if (baseline_) baseline_->learn(block);
  result.rows += block.rows;
  result.weight += block.total_weight();
}

void StreamFit::go_back(Source& source, const FitResult& result) {
  if (result.passes >= setting_.options.passes) throw Error("saved fit is damaged");
  if (gathers_ && result.passes == 0) {
    if (!position_.empty()) source.expect_again(position_);
    return;
  }
  if (result.passes > 0 && kept_.whole)
    for (const Block& block : source) kept_.add(block, limit_);
  for (std::uint64_t pass = 0; pass < result.passes; ++pass) next_pass(source);
  known_ = learned_;
  if (position_.empty()) return;
  const bool keeping = result.passes == 0 && kept_.whole;
  keeping ? source.expect_again(position_) : source.load_position(position_);
}

void StreamFit::next_pass(Source& source) {
  if (!source.rewind())
    throw Error("several passes need an input that can be read again, or that fits into " +
                option("keep"));
}

bool StreamFit::changed_little(const Parameters& before, const Parameters& after) const {
  return change(before, after) < 100 * setting_.options.batch.tolerance;
}

void StreamFit::take(FitResult& result) const {
  thalweg::take(online_, result);
  if (!result.progressive) result.steps = 0;  // those that stand for the rows of the start
  if (setting_.options.method == Method::gradient) result.method = Method::gradient;
  result.buffer =
      setting_.continued ? 0 : std::min<std::uint64_t>(online_.buffer_size(), result.rows);
}

void StreamFit::decide(FitResult& result) const {
  const Block rows = reservoir_->block();
  // A prior makes more of a fit than these rows; a start that was given may lie outside of what was asked for.
  if (rows.rows < rows_that_decide || online_.regularisation().prior) return;
  const Parameters as_it_is = result.parameters;
  double most = 0;
  std::string what;
  const auto compare = [&](const Parameters& theta, const Statistic& statistic, const char* name) {
    const double gain = sure_gain(*setting_.model, as_it_is, theta, rows);
    if (!(gain > most)) return;
    most = gain;
    what = name;
    result.parameters = theta;
    result.statistic = statistic;
  };
  const Recursion& run = online_.run();
  compare(run.parameters(), run.statistic(), "the last parameters");
  if (start_ && setting_.given.empty())
    compare(*start_, *start_statistic_, "the parameters of the start");
  if (what.empty() || !setting_.options.tell) return;
  setting_.options.tell({.text = what + " are better than those that were averaged (by " +
                                 std::to_string(most) + " nat a row on " +
                                 std::to_string(rows.rows) +
                                 " rows from all over the input): they are the result",
                         .warning = true});
}

void take(const Online& online, FitResult& result) {
  const Recursion& run = online.run();
  result.method = Method::online;
  result.parameters = online.reported();
  result.statistic = online.reported_statistic();
  result.events = run.events();
  result.steps = run.steps();
  result.batch_size = online.batch_size();
  result.starts = online.starts();
  result.regularisation = online.regularisation();
}

}  // namespace thalweg
