// How a stream starts: rows fill the buffer, those after it pay for the search and wait, the race begins and ends.
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

}  // namespace

void Online::learn_part(const Block& block) {
  if (block.rows == 0) return;
  if (!runs_.empty() && !buffer_.empty()) buffer_ = Table(schema_.width());
  std::size_t taken = 0;
  if (runs_.empty() && !search_) {
    const auto end = unit_after(block, missing(buffer_size_, buffer_.rows()), plan_.unit);
    taken = end.value_or(block.rows);
    fill(block.slice(0, taken));
    if (!end) return;
    launch();
    buffer_ = Table(schema_.width());
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
    *hurries_ = std::isinf(credit);
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

void Online::launch() {
  if (given_) return launch_given(buffer_.block());
  const auto rows = std::make_shared<const Table>(std::exchange(buffer_, Table(schema_.width())));
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
  std::vector<Start> starts = search.finish();
  if (options_.impose) {
    given_ = starts.front().theta;
    options_.impose(*given_);
    return launch_given(rows);
  }
  recursion_.regularisation = settle(*model_, options_.regularisation, plan_, rows);
  for (Start& start : starts) {
    records_.push_back(start.record);
    const bool races =
        runs_.empty() || (runs_.size() < options_.racers && start.record.stands_alone());
    if (races) add_run(std::move(start.theta), std::move(start.statistic), rows.rows);
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
