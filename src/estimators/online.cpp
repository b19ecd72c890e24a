// Online EM with a buffer, starts that race, and averaging.
#include "data/distinct.hpp"
#include "estimators/early.hpp"
#include "estimators/scoring.hpp"
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/online.hpp>

#include <algorithm>

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

}  // namespace

namespace {

/// The first statistics are means over a few rows, from which variances collapse and components die. Cappé's experiments wait for 20
/// rows; five for each free parameter are what plain averages need (as for a start without a race).
std::uint64_t textbook_warmup(const Plan& plan) {
  return std::max<std::uint64_t>(20, 5 * plan.free_parameters);
}

/// theta-bar knows no scale: from S_0 = 0 the first step is as good as one of rate 1. Where its rate is less, S_0 is what belongs to the
/// start: E_theta[s].
Statistic moments_at(const Model& model, const Plan& plan, const Parameters& theta) {
  const auto* const tangent = capability<Tangent>(model);
  if (!tangent)
    throw UsageError(
        "a step with an offset weighs the statistic of the start, which this model does not tell",
        {"leave the offset out", "use a " + option("buffer")});
  Statistic S(plan.statistic);
  tangent->moments(theta, S);
  return S;
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

std::uint64_t Online::first_early_rows() const {
  if (given_) return 1;
  return std::min(rows_of_early_model(plan_), buffer_size_);
}

std::uint64_t Online::rows_until_model() const {
  const std::uint64_t first = first_early_rows();
  return started() || first_rows().rows() > first ? 0 : first - first_rows().rows();
}

std::size_t Online::early_rows() const {
  const Block rows = first_rows().block();
  if (search_) return rows.rows;
  std::size_t found = 0;
  for (std::uint64_t wanted = first_early_rows(); wanted > 0 && wanted <= rows.rows; wanted *= 2) {
    const auto end = unit_after(rows, wanted, plan_.unit);
    if (!end) break;
    found = *end;
  }
  return found;
}

const Recursion& Online::early() const {
  const std::size_t rows = early_rows();
  if (rows == 0)
    throw Error("no parameters yet: " + std::to_string(rows_until_model()) +
                " more rows give a first model (or finish)");
  if (!early_ || early_->rows() != rows)
    early_ = find_early_run(first_rows().block().slice(0, rows));
  return *early_;
}

Recursion Online::find_early_run(const Block& rows) const {
  RecursionOptions options = recursion_;
  Parameters theta = given_.value_or(Parameters(plan_.parameters));
  Statistic statistic(plan_.statistic);
  if (given_) {
    calibrate(*model_, rows, theta);
  } else {
    Start start = find_early(model_, schema_, plan_, rows, options_.regularisation, options_.seed,
                             options_.pool);
    theta = std::move(start.theta);
    statistic = std::move(start.statistic);
  }
  if (!given_ && options_.impose) options_.impose(theta);
  if (given_ || options_.impose)
    statistic = mean(expect_all(*model_, theta, plan_, rows, options_.pool).sums());
  options.regularisation = settle(*model_, options_.regularisation, plan_, rows, &theta);
  Recursion run(model_, schema_, options);
  run.begin(std::move(theta), std::move(statistic), rows.rows);
  return run;
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
  archive.put("buffer", first_rows());
  if (catches_up()) {
    Table rest(schema_.width());
    rest.append(waiting_.block().slice(caught_up_, waiting()));
    archive.put("waiting", rest);
    archive.put("paying", paying_);
    archive.put("work", work_);
  }
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
  const bool longer = plan_.unit == Unit::row && buffer_.rows() > buffer_size_;
  const auto distinct =
      longer ? distinct_rows(buffer_.block().slice(0, buffer_size_)) : std::nullopt;
  if (longer && !(distinct && distinct->rows() < plan_.free_parameters))
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
  load_waiting(archive);
  load_scored(archive);
  watch_first();
}

/// A search that was under way is done again as far as it was.
void Online::load_waiting(const Archive& archive) {
  early_.reset();
  search_.reset();
  waiting_ = Table(schema_.width());
  caught_up_ = 0;
  work_ = 0;
  paying_ = archive.count_or("paying", 0);
  if (!archive.has_count("paying")) return;
  archive.get("waiting", waiting_);
  border_.admit(*model_, schema_, waiting_.block());
  work_ = archive.number("work");
  if (!runs_.empty()) return;
  if (buffer_.empty() || buffer_.rows() < buffer_size_ || given_)
    throw Error("saved online fit is damaged");
  launch();
  search_->reach(credit());
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
  if (block.rows == 0) return;
  if (!runs_.empty() && !buffer_.empty()) buffer_ = Table(schema_.width());
  std::size_t taken = 0;
  while (runs_.empty() && !search_) {
    const Block left = block.slice(taken, block.rows - taken);
    const auto end = unit_after(left, missing(full(), buffer_.rows()), plan_.unit);
    const std::size_t part = end.value_or(left.rows);
    fill(left.slice(0, part));
    taken += part;
    if (!end) return;
    if (full_of_copies()) continue;
    launch();
    if (!search_) buffer_ = Table(schema_.width());
    if (options_.at_once) catch_up(HUGE_VAL);
  }
  constexpr std::size_t some = 1024;  // rows that wait are a copy
  while (taken < block.rows && catches_up()) {
    const std::size_t part = std::min(block.rows - taken, some);
    wait(block.slice(taken, part));
    taken += part;
  }
  if (taken < block.rows) learn_started(block.slice(taken, block.rows - taken));
}

void Online::fill(const Block& block) {
  if (buffer_.empty() && buffer_size_ * buffer_.bytes_a_row() <= most_reserved)
    buffer_.reserve(buffer_size_);
  buffer_.append(block);
  tell_buffered(block.rows);
}

double Online::pace() const {
  constexpr double least = 32;
  constexpr double most = 5000;
  const double rows = real(std::max<std::uint64_t>(buffer_size_, 1));
  const double budget = visits_within(search_options(rows).budget, rows, plan_);
  return std::max(std::clamp(std::ceil(budget / rows), least, most), 4 * real(options_.racers));
}

double Online::credit() const {
  return paying_ >= 4 * buffer_size_ ? HUGE_VAL : pace() * real(paying_);
}

void Online::wait(const Block& block) {
  const std::size_t until_last = missing(4 * buffer_size_, paying_);
  if (until_last > 0 && until_last < block.rows) {
    wait(block.slice(0, until_last));
    return wait(block.slice(until_last, block.rows - until_last));
  }
  waiting_.append(block);
  paying_ += block.rows;
  catch_up(credit());
}

/// How far it comes depends on the rows that have come, not on their portions.
void Online::catch_up(double credit) {
  if (search_) {
    if (!search_->reach(credit)) return;
    work_ = search_->done();
    launch_found();
  }
  const Block rows = waiting_.block();
  const double each = real(std::max<std::uint64_t>(options_.racers, 1));
  const double affordable = std::ceil((credit - work_) / each);
  if (affordable > 0) {
    const std::size_t part = affordable < real(waiting()) ? static_cast<std::size_t>(affordable)
                                                          : static_cast<std::size_t>(waiting());
    learn_started(rows.slice(caught_up_, part));
    caught_up_ += part;
    work_ += each * real(part);
  }
  if (2 * caught_up_ < waiting_.rows()) return;
  Table rest(schema_.width());
  rest.append(rows.slice(caught_up_, waiting()));
  waiting_ = std::move(rest);
  caught_up_ = 0;
}

void Online::learn_started(const Block& block) {
  std::size_t taken = 0;
  if (runs_.size() > 1) {  // the race ends after an exact number of rows, however they are cut
    const auto end = unit_after(block, missing(race_rows_, raced_), plan_.unit);
    taken = end.value_or(block.rows);
    learn_all(block.slice(0, taken));
    raced_ += taken;
    if (end) finish_race();
  }
  if (taken < block.rows) learn_all(block.slice(taken, block.rows - taken));
}

std::uint64_t Online::full() const {
  if (plan_.unit != Unit::row || buffer_size_ == 0) return buffer_size_;
  return (buffer_.rows() / buffer_size_ + 1) * buffer_size_;
}

/// Fewer distinct rows than parameters.
bool Online::full_of_copies() const {
  if (plan_.unit != Unit::row || given_ || buffer_size_ == 0 ||
      buffer_.rows() >= most_buffers * buffer_size_)
    return false;
  const auto distinct = distinct_rows(buffer_.block());
  return distinct && distinct->rows() < plan_.free_parameters;
}

namespace {

/// Where copies of few rows came first, no row counts for more than a fiftieth of a buffer.
std::optional<Table> without_copies(const Block& rows, std::uint64_t buffer) {
  std::optional<Table> distinct = distinct_rows(rows);
  if (!distinct) return std::nullopt;
  Table fewer(rows.columns);
  for (std::size_t t = 0; t < distinct->rows(); ++t) {
    Block row = distinct->block().slice(t, 1);
    const double weight = std::min(row.weight(0), std::max(real(buffer) / 50, 1.0));
    row.side.weight = &weight;
    fewer.append(row);
  }
  return fewer;
}

}  // namespace

void Online::launch() {
  if (given_) return launch_given(buffer_.block());
  const bool copies = plan_.unit == Unit::row && buffer_.rows() > buffer_size_;
  std::optional<Table> fewer =
      copies ? without_copies(buffer_.block(), buffer_size_) : std::nullopt;
  const auto rows = std::make_shared<const Table>(
      fewer ? std::move(*fewer) : std::exchange(buffer_, Table(schema_.width())));
  const Regularisation regularisation =
      settle(*model_, options_.regularisation, plan_, rows->block());
  StartOptions options = search_options(real(rows->rows()));
  options.regularisation = regularisation;
  search_.emplace(model_, schema_, rows, options);
}

void Online::launch_given(const Block& rows) {
  recursion_.regularisation = settle(*model_, options_.regularisation, plan_, rows, &*given_);
  calibrate(*model_, rows, *given_);
  if (buffer_size_ == 0) {
    runs_.emplace_back(model_, schema_, recursion_);
    const bool weighs_the_start = options_.step.offset() > 0 && options_.update == Update::em;
    if (weighs_the_start)
      runs_.back().begin(*given_, moments_at(*model_, plan_, *given_), 0);
    else
      runs_.back().begin(*given_);
  } else {
    const Expectation e = expect_all(*model_, *given_, plan_, rows, options_.pool);
    add_run(*given_, mean(e.sums()), rows.rows);
  }
  early_.reset();
  watch_first();
}

void Online::launch_found() {
  StartSearch search = std::move(*search_);
  search_.reset();
  const Block rows = search.rows().block();
  const Table all = std::exchange(buffer_, Table(schema_.width()));  // where copies were left out
  std::vector<Start> starts = search.finish();
  if (options_.impose) {
    given_ = starts.front().theta;
    options_.impose(*given_);
    return launch_given(all.empty() ? rows : all.block());
  }
  recursion_.regularisation = settle(*model_, options_.regularisation, plan_, rows);
  for (Start& start : starts) {
    records_.push_back(start.record);
    const bool races =
        runs_.empty() || (runs_.size() < options_.racers && start.record.stands_alone());
    if (!races) continue;
    if (all.empty()) {
      add_run(std::move(start.theta), std::move(start.statistic), rows.rows);
      runs_.back().trust_start();
    } else {
      const Expectation e = expect_all(*model_, start.theta, plan_, all.block(), options_.pool);
      add_run(std::move(start.theta), mean(e.sums()), all.rows());
    }
  }
  early_.reset();
  watch_first();
}

StartOptions Online::search_options(double rows) const {
  constexpr double unknown = 16;
  const double longer = options_.length ? std::max(real(*options_.length) / rows, 1.0) : unknown;
  return {.starts = options_.starts,
          .confirmed = !options_.starts,
          .budget = options_.start_budget * longer,
          .seed = options_.seed,
          .pool = options_.pool,
          .stop = options_.stop};
}

void Online::add_run(Parameters theta, Statistic statistic, std::uint64_t rows) {
  runs_.emplace_back(model_, schema_, recursion_);
  runs_.back().begin(std::move(theta), std::move(statistic), rows);
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
