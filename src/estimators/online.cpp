// Online EM with a buffer, starts that race, and averaging.
#include "data/distinct.hpp"
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
                .average = options_.average.resolve(options_.length),
                .regularisation = options_.regularisation,
                .pool = options_.pool,
                .seed = options_.seed};
}

void Online::begin(Parameters theta) {
  given_ = std::move(theta);
  if (buffer_size_ == 0) launch();
}

void Online::begin(Parameters theta, Statistic statistic, std::uint64_t rows) {
  recursion_.regularisation = settled_at(*model_, options_.regularisation, theta);
  runs_.emplace_back(model_, schema_, recursion_);
  runs_.back().begin(std::move(theta), std::move(statistic), rows);
  watch_first();
}

void Online::learn(const Block& rows) {
  const Block block = border_.admit(*model_, schema_, rows, offered_);
  if (block.rows > 0) offered_ = block.number(block.rows - 1) + 1;
  if (buffer_size_ == 0 && runs_.empty())
    throw UsageError(option("buffer", "0") + " (textbook mode) needs starting parameters (" +
                     option("init") + ")");
  for_rows_that_count(block, plan_.unit, [this](const Block& part) { learn_part(part); });
}

void Online::finish() {
  if (runs_.empty()) {
    require_rows(plan_, buffer_.rows());
    launch();
    if (given_) runs_.front().maximise_now();  // nothing will follow that could
  }
  for (Recursion& run : runs_) run.finish();
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

namespace {

/// No more than a handful, and too few to tell the parameters.
bool few_distinct(const Block& rows, const Plan& plan) {
  constexpr std::size_t handful = 8;
  const std::size_t enough = std::min(plan.free_parameters, std::max(plan.rows_needed, handful));
  const auto distinct = distinct_rows(rows);
  return distinct && distinct->rows() < enough;
}

}  // namespace

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
  if (plan_.unit == Unit::row && buffer_.rows() > buffer_size_ &&
      !few_distinct(buffer_.block().slice(0, buffer_size_), plan_))
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
  watch_first();
}

namespace {

std::size_t missing(std::uint64_t wanted, std::uint64_t there) {
  return wanted > there ? wanted - there : 0;
}

}  // namespace

void Online::learn_part(const Block& block) {
  std::size_t taken = 0;
  while (runs_.empty()) {
    const Block left = block.slice(taken, block.rows - taken);
    const auto end = unit_after(left, missing(full(), buffer_.rows()), plan_.unit);
    const std::size_t part = end.value_or(left.rows);
    if (buffer_.empty() && buffer_size_ * buffer_.bytes_a_row() <= most_reserved)
      buffer_.reserve(buffer_size_);
    buffer_.append(left.slice(0, part));
    taken += part;
    tell_buffered(part);
    if (!end) return;
    if (!full_of_copies()) launch();
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

std::uint64_t Online::full() const {
  if (plan_.unit != Unit::row || buffer_size_ == 0) return buffer_size_;
  return (buffer_.rows() / buffer_size_ + 1) * buffer_size_;
}

bool Online::full_of_copies() const {
  if (plan_.unit != Unit::row || given_ || buffer_size_ == 0 ||
      buffer_.rows() >= most_buffers * buffer_size_)
    return false;
  return few_distinct(buffer_.block(), plan_);
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
  const bool copies = plan_.unit == Unit::row && buffer_.rows() > buffer_size_;
  const auto fewer = copies ? without_copies(buffer_.block(), buffer_size_) : std::nullopt;
  const Block rows = fewer ? fewer->block() : buffer_.block();
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
      // The statistic is that of all rows, wherever the start was found.
      if (fewer)
        start.statistic =
            mean(expect_all(*model_, start.theta, plan_, buffer_.block(), options_.pool).sums());
      add_run(std::move(start.theta), std::move(start.statistic));
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
