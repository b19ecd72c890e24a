// How a stream starts: rows fill the buffer, those after it pay for the search and wait, the race begins and ends.
#include "data/distinct.hpp"
#include <thalweg/core/capabilities.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/online.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace thalweg {

namespace {

std::size_t missing(std::uint64_t wanted, std::uint64_t there) {
  return wanted > there ? wanted - there : 0;
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
  *hurries_ = std::isinf(credit);
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

bool Online::few_distinct(const Block& rows) const {
  constexpr std::size_t handful = 8;
  const std::size_t enough = std::min(plan_.free_parameters, std::max(plan_.rows_needed, handful));
  const auto distinct = distinct_rows(rows);
  return distinct && distinct->rows() < enough;
}

bool Online::full_of_copies() const {
  if (plan_.unit != Unit::row || given_ || buffer_size_ == 0 ||
      buffer_.rows() >= most_buffers * buffer_size_)
    return false;
  return few_distinct(buffer_.block());
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
          .stop = [stop = options_.stop, now = hurries_] { return *now && stop && stop(); }};
}

void Online::add_run(Parameters theta, Statistic statistic, std::uint64_t rows) {
  runs_.emplace_back(model_, schema_, recursion_);
  runs_.back().begin(std::move(theta), std::move(statistic), rows);
}

}  // namespace thalweg
