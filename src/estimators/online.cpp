// Online EM with a buffer, starts that race, and averaging.
#include "estimators/scoring.hpp"
#include <thalweg/estimators/online.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {

namespace {

constexpr std::size_t rows_a_parameter = 5;
constexpr std::size_t always_cheap = 5000;

/// Half of these are there at least once as many have come: as many as starts are found on, and enough for the scoring step where they
/// take little room.
std::size_t rows_for_scoring(const Plan& plan, std::size_t columns) {
  constexpr std::size_t room = std::size_t{16} << 20U;
  const auto usual = static_cast<std::size_t>(2 * default_buffer(plan));
  const std::size_t enough = 2 * rows_a_parameter * plan.free_parameters;
  return enough * columns * sizeof(double) > room ? usual : std::max(usual, enough);
}

/// The first statistics are means over a few rows, from which variances collapse and components die. Cappé's experiments wait for 20
/// rows; five for each free parameter are what plain averages need (as for a start without a race).
std::uint64_t textbook_warmup(const Plan& plan) {
  return std::max<std::uint64_t>(20, 5 * plan.free_parameters);
}

}  // namespace

Online::Online(const ModelHandle& model, Schema schema, OnlineOptions options)
    : model_(model.shared()),
      schema_(std::move(schema)),
      options_(std::move(options)),
      plan_(model_->plan(schema_)),
      border_(plan_.unit),
      buffer_(schema_.width()) {
  settle_buffer(stream_buffer(plan_, schema_.width()));
  settle_recursion();
  if (recursion_.batch_size == 0) throw UsageError("a mini-batch needs at least one row");
}

void Online::expect(std::uint64_t length) {
  if (!runs_.empty() || search_) return;
  options_.length = length;
  if (options_.thorough) settle_buffer(thorough_buffer(plan_));
  settle_recursion();
}

void Online::settle_buffer(std::uint64_t usual) {
  buffer_size_ = options_.buffer.value_or(usual);
  race_rows_ = 4 * buffer_size_;
}

void Online::settle_recursion() {
  const auto p = static_cast<std::uint64_t>(plan_.free_parameters);
  const bool textbook = buffer_size_ == 0;
  // m about p, but at least 500 steps where the length is known.
  std::uint64_t m = std::max<std::uint64_t>(p, 1);
  if (options_.length)
    m = std::clamp<std::uint64_t>(m, 1, std::max<std::uint64_t>(*options_.length / 500, 1));
  recursion_ = {.update = options_.update,
                .step = options_.step,
                .batch_size = options_.batch_size.value_or(textbook ? 1 : m),
                .warmup = options_.warmup.value_or(textbook ? textbook_warmup(plan_) : 0),
                .cautious = !textbook,
                .average = settled_average(),
                .regularisation = options_.regularisation,
                .pool = options_.pool,
                .seed = options_.seed};
  if (recursion_.average.kind == Averaging::Kind::automatic && !sample_)
    sample_.emplace(schema_.width(), rows_for_scoring(plan_, schema_.width()), options_.seed);
}

Averaging Online::settled_average() const {
  const Averaging average = options_.average.under(options_.step).resolve(options_.length);
  const bool scores = options_.update == Update::em && average.of == Averaging::Of::statistic &&
                      buffer_size_ > 0 && plan_.unit == Unit::row && capability<Tangent>(*model_);
  if (average.kind != Averaging::Kind::automatic || scores) return average;
  return {.of = average.of};
}

void Online::begin(Parameters theta) {
  given_ = std::move(theta);
  early_.reset();
  if (buffer_size_ == 0) launch();
}

void Online::begin(Parameters theta, Statistic statistic, std::uint64_t rows) {
  recursion_.regularisation = settled_at(*model_, options_.regularisation, theta);
  runs_.emplace_back(model_, schema_, recursion_);
  runs_.back().begin(std::move(theta), std::move(statistic), rows);
  runs_.back().trust_start();
  watch_first();
}

void Online::learn(const Block& rows) {
  const Block block = border_.admit(*model_, schema_, rows, offered_);
  if (block.rows > 0) offered_ = block.number(block.rows - 1) + 1;
  if (block.rows > 0) scored_.reset();
  if (buffer_size_ == 0 && runs_.empty())
    throw UsageError(option("buffer", "0") + " (textbook mode) needs starting parameters (" +
                     option("init") + ")");
  for_rows_that_count(block, plan_.unit, [this](const Block& part) { learn_part(part); });
}

void Online::finish(bool polish) {
  if (runs_.empty() && !search_) {
    require_rows(plan_, buffer_.rows());
    const Table all = buffer_;
    launch();
    catch_up(HUGE_VAL);
    buffer_ = all;
    if (given_) runs_.front().maximise_now();  // nothing will follow that could
  }
  catch_up(HUGE_VAL);
  for (Recursion& run : runs_) run.finish();
  scored_.reset();
  if (sample_ && !polish) score();
}

/// A needs some rows for each parameter: fewer say less than the average of the path. Twenty E-steps over them are little beside the
/// pass, or little at all.
void Online::score() {
  const Block rows = sample_->block();
  const bool knows_enough = rows.rows >= rows_a_parameter * plan_.free_parameters;
  const bool too_dear = rows.rows > always_cheap && 10 * rows.rows > run().rows();
  if (!run().path() || !run().progressive() || !knows_enough || too_dear) return;
  const bool goes_on =
      !given_ && records_.empty();  // from an earlier fit, whose rows are not in the sample
  scored_ =
      score_path(*model_, *capability<Tangent>(*model_), plan_, *run().path(), run().reported(),
                 recursion_.regularisation, run().counted(), rows, !goes_on, options_.pool);
  if (scored_) scored_->statistic.weight = run().weight();
}

void Online::observe(Observer& observer) {
  observers_.push_back(&observer);
  if (!runs_.empty()) runs_.front().observe(observer);
}

void Online::repeat(double weight_of_a_pass) {
  for (Recursion& run : runs_) run.repeat(weight_of_a_pass);
}

const Recursion& Online::run() const {
  if (runs_.empty()) return early();
  return runs_[best()];
}

std::vector<Parameters> Online::candidates() const {
  std::vector<Parameters> all;
  for (const Recursion& run : runs_) all.push_back(run.reported());
  return all;
}

std::vector<StartRecord> Online::starts() const {
  std::vector<StartRecord> table = records_;
  for (std::size_t r = 0; r < std::min(runs_.size(), table.size()); ++r) mark(table[r], runs_[r]);
  if (!runs_.empty() && !table.empty()) table[best()].chosen = true;
  return table;
}

void Online::watch_first() {
  if (runs_.empty()) return;
  for (Observer* observer : observers_) runs_.front().observe(*observer);
}

void Online::learn_all(const Block& block) {
  for (Recursion& run : runs_) run.learn_admitted(block);
}

void Online::finish_race() {
  const std::size_t winner = best();
  for (std::size_t r = 0; r < runs_.size(); ++r) mark(records_[r], runs_[r]);
  if (winner != 0) {
    std::swap(runs_[0], runs_[winner]);
    std::swap(records_[0], records_[winner]);
  }
  runs_.erase(runs_.begin() + 1, runs_.end());
  runs_.front().forget_observers();
  watch_first();
}

void Online::mark(StartRecord& record, const Recursion& run) {
  if (std::isnan(record.in_race) && run.progressive()) record.in_race = *run.progressive();
}

std::size_t Online::best() const {
  const auto score = [this](std::size_t r) { return runs_[r].progressive().value_or(-HUGE_VAL); };
  std::size_t leader = 0;
  for (std::size_t r = 1; r < runs_.size(); ++r)
    if (score(r) > score(leader)) leader = r;
  return leader;
}

void Online::tell_buffered(std::size_t rows) {
  for (Observer* observer : observers_)
    observer->on({.phase = Phase::buffer, .rows = buffer_.rows(), .batch_rows = rows});
}

}  // namespace thalweg
