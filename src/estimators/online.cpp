// Online EM with a buffer, starts that race, and averaging.
#include "estimators/scoring.hpp"
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/online.hpp>

#include <algorithm>

namespace thalweg {

Online::Online(const ModelHandle& model, Schema schema, OnlineOptions options)
    : model_(model.shared()),
      schema_(std::move(schema)),
      options_(std::move(options)),
      plan_(model_->plan(schema_)),
      border_(plan_.unit),
      buffer_(schema_.width()) {
  buffer_size_ =
      options_.buffer.value_or(options_.thorough ? thorough_buffer(plan_) : default_buffer(plan_));
  race_rows_ = 4 * buffer_size_;
  settle_recursion();
  if (recursion_.batch_size == 0) throw UsageError("a mini-batch needs at least one row");
}

void Online::expect(std::uint64_t length) {
  if (!runs_.empty()) return;
  options_.length = length;
  settle_recursion();
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
                .warmup = options_.warmup,
                .cautious = !textbook,
                .average = settled_average(),
                .regularisation = options_.regularisation,
                .pool = options_.pool,
                .seed = options_.seed};
  // Half of these rows at least are there once as many have come: as many as starts are found on.
  if (recursion_.average.kind == Averaging::Kind::automatic && !sample_)
    sample_.emplace(schema_.width(), static_cast<std::size_t>(2 * default_buffer(plan_)),
                    options_.seed);
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
  if (runs_.empty()) {
    require_rows(plan_, buffer_.rows());
    launch();
    if (given_) runs_.front().maximise_now();  // nothing will follow that could
  }
  for (Recursion& run : runs_) run.finish();
  scored_.reset();
  if (sample_ && !polish) score();
}

/// A needs some rows for each parameter: fewer say less than the average of the path.
void Online::score() {
  const Block rows = sample_->block();
  if (!run().path() || rows.rows < 5 * plan_.free_parameters) return;
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
  if (runs_.empty())
    throw Error("no parameters yet: " + std::to_string(rows_until_start()) +
                " more rows fill the start buffer (or finish)");
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

Archive Online::save() const {
  Archive archive;
  archive.put("buffer", buffer_);
  archive.put("counts", std::vector<std::uint64_t>{runs_.size(), raced_, given_ ? 1U : 0U});
  archive.put("offered", offered_);
  if (given_) archive.put("given", *given_);
  for (std::size_t r = 0; r < runs_.size(); ++r)
    archive.put("run" + std::to_string(r) + "/", runs_[r].save());
  save_prior(recursion_.regularisation, archive);
  save_starts(records_, archive);
  if (sample_) sample_->save(archive);
  if (scored_) archive.put("scored/theta", scored_->theta);
  if (scored_) archive.put("scored/statistic", scored_->statistic);
  return archive;
}

void Online::load(const Archive& archive) {
  const auto& counts = archive.counts("counts");
  std::vector<StartRecord> records = load_starts(archive);
  if (counts.size() != 3 || counts[0] > options_.racers + 1 ||
      (plan_.unit == Unit::row && counts[1] > race_rows_))
    throw Error("saved online fit is damaged");
  if (counts[0] > records.size() && (counts[0] > 1 || !records.empty()))
    throw Error("saved online fit has runs without a start");
  archive.get("buffer", buffer_);
  offered_ = archive.count_or("offered", 0);
  border_ = Admission(plan_.unit);
  border_.admit(*model_, schema_, buffer_.block());
  if (plan_.unit == Unit::row && buffer_.rows() > buffer_size_)
    throw Error("saved online fit is damaged, or had a larger buffer");
  raced_ = counts[1];
  given_.reset();
  if (counts[2] == 1) archive.get("given", given_.emplace(plan_.parameters));
  load_prior(archive, plan_, recursion_.regularisation);
  runs_.clear();
  for (std::size_t r = 0; r < counts[0]; ++r) {
    runs_.emplace_back(model_, schema_, recursion_);
    runs_.back().load(archive.nested("run" + std::to_string(r) + "/"));
  }
  if (!runs_.empty()) border_.admit(*model_, schema_, runs_.front().waiting());
  records_ = std::move(records);
  load_scored(archive);
  watch_first();
}

/// States of earlier versions have neither; their runs have no path to score.
void Online::load_scored(const Archive& archive) {
  scored_.reset();
  if (!sample_ || !archive.has_count("sample/places")) return;
  sample_->load(archive);
  border_.admit(*model_, schema_, sample_->block());
  if (archive.nested("scored/").empty()) return;
  scored_.emplace(Scored{Parameters(plan_.parameters), Statistic(plan_.statistic)});
  archive.get("scored/theta", scored_->theta);
  archive.get("scored/statistic", scored_->statistic);
}

namespace {

std::size_t missing(std::uint64_t wanted, std::uint64_t there) {
  return wanted > there ? wanted - there : 0;
}

}  // namespace

void Online::learn_part(const Block& block) {
  if (sample_ && !(started() && runs_.front().repeats())) sample_->add(block);
  std::size_t taken = 0;
  if (runs_.empty()) {
    const auto end = unit_after(block, missing(buffer_size_, buffer_.rows()), plan_.unit);
    taken = end.value_or(block.rows);
    if (buffer_.empty() && buffer_size_ * buffer_.bytes_a_row() <= most_reserved)
      buffer_.reserve(buffer_size_);
    buffer_.append(block.slice(0, taken));
    tell_buffered(taken);
    if (!end) return;
    launch();
  }
  if (runs_.size() > 1) {  // the race ends after an exact number of rows, however they are cut
    const Block left = block.slice(taken, block.rows - taken);
    const auto end = unit_after(left, missing(race_rows_, raced_), plan_.unit);
    const std::size_t part = end.value_or(left.rows);
    learn_all(left.slice(0, part));
    raced_ += part;
    taken += part;
    if (end) finish_race();
  }
  if (taken < block.rows) learn_all(block.slice(taken, block.rows - taken));
}

void Online::launch() {
  const Block rows = buffer_.block();
  if (!given_ && options_.impose) {
    const Regularisation regularisation =
        settle(*model_, options_.regularisation, plan_, rows, nullptr);
    given_ = look_for_starts(rows, regularisation).front().theta;
    options_.impose(*given_);
  }
  recursion_.regularisation =
      settle(*model_, options_.regularisation, plan_, rows, given_ ? &*given_ : nullptr);
  if (buffer_size_ == 0) {
    calibrate(*model_, rows, *given_);
    runs_.emplace_back(model_, schema_, recursion_);
    runs_.back().begin(*given_);
  } else if (given_) {
    calibrate(*model_, rows, *given_);
    const Expectation e = expect_all(*model_, *given_, plan_, rows, options_.pool);
    add_run(*given_, mean(e.sums()));
  } else {
    for (Start& start : look_for_starts(rows, recursion_.regularisation)) {
      records_.push_back(start.record);
      const bool races =
          runs_.empty() || (runs_.size() < options_.racers && start.record.stands_alone());
      if (!races) continue;
      add_run(std::move(start.theta), std::move(start.statistic));
      runs_.back().trust_start();
    }
  }
  buffer_ = Table(schema_.width());
  watch_first();
}

std::vector<Start> Online::look_for_starts(const Block& rows,
                                           const Regularisation& regularisation) const {
  constexpr double unknown = 16;
  const double longer =
      options_.length ? std::max(real(*options_.length) / real(rows.rows), 1.0) : unknown;
  return find_starts(model_, schema_, rows,
                     {.starts = options_.starts,
                      .confirmed = !options_.starts,
                      .budget = options_.start_budget * longer,
                      .seed = options_.seed,
                      .regularisation = regularisation,
                      .pool = options_.pool,
                      .stop = options_.stop});
}

void Online::add_run(Parameters theta, Statistic statistic) {
  runs_.emplace_back(model_, schema_, recursion_);
  runs_.back().begin(std::move(theta), std::move(statistic), buffer_.rows());
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
