// A few EM iterations from a guess, jumps that EM cannot make, and what they cost.
#include "estimators/short_em.hpp"

#include <thalweg/core/schedule.hpp>
#include <thalweg/data/slices.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace thalweg {

std::size_t rows_of_a_piece(const Plan& plan) {
  constexpr double most = 2e-3;  // seconds
  std::size_t rows = slice_rows;
  while (rows > 128 && real(rows) * seconds_of_a_visit(plan) > most) rows /= 2;
  return rows;
}

ShortEm::ShortEm(const ModelHandle& model, const Schema& schema, const Guesses& guesses,
                 const Block& rows, const StartOptions& options, std::uint64_t number,
                 bool to_the_end)
    : model_(model.shared()),
      schema_(schema),
      rows_(rows),
      options_(options),
      to_the_end_(to_the_end),
      batch_(model, schema,
             {.tolerance = to_the_end ? options.enough : 0,
              .max_iterations = 1'000'000,
              .accelerate = to_the_end ? Acceleration::squarem : Acceleration::none,
              .regularisation = options.regularisation,
              .pool = options.pool}),
      random_(options.seed, number, 1) {
  Random random(options.seed, number);
  record_.number = number;
  record_.at_start = std::numeric_limits<double>::quiet_NaN();
  begin(guesses.draw(random));
  visits_ = 4 * real(rows.rows);  // what k-means may take
}

void ShortEm::begin(const Parameters& theta) {
  batch_.begin(theta);
  done_ = false;
  last_ = -HUGE_VAL;
}

void ShortEm::set_out(const Block& rows, std::uint64_t iterations) {
  left_ = iterations;
  if (rows.rows == rows_.rows) return;
  rows_ = rows;
  begun_ = false;
  Parameters theta = batch_.parameters();
  calibrate(*model_, rows, theta);  // constants are those of all rows in the end
  begin(theta);
}

double ShortEm::work(double most) {
  if (!e_step_) {
    if (left_ == 0 || done_ || (begun_ && options_.stopped())) return 0;
    --left_;
    admitted_.require(*model_, schema_, rows_);
    auto theta = std::make_shared<const Parameters>(batch_.parameters());
    const Work key{.events = &repaired_, .visit = batch_.iterations()};
    Expectation e(*model_, *theta, batch_.plan(), options_.pool, key,
                  rows_of_a_piece(batch_.plan()));
    e_step_.emplace(UnderWay{std::move(theta), std::move(e)});
  }
  UnderWay& now = *e_step_;
  now.e.count_in(repaired_);
  // Whole pieces, so that they fall together with the slices of an E-step over all rows at once.
  const double piece = real(rows_of_a_piece(batch_.plan()));
  const double pieces = std::max(std::ceil(most / piece), 1.0);
  const double rest = real(rows_.rows - now.rows);
  const bool at_once = batch_.plan().unit != Unit::row || pieces * piece >= rest;
  const std::size_t rows =
      at_once ? rows_.rows - now.rows : static_cast<std::size_t>(pieces * piece);
  now.e.add(rows_.slice(now.rows, rows));
  now.rows += rows;
  if (now.rows < rows_.rows) return real(rows);
  now.e.finish();
  conclude(now.e);
  e_step_.reset();
  return real(rows);
}

/// The M-step after an E-step over all rows.
void ShortEm::conclude(const Expectation& e) {
  done_ = batch_.step(e);
  visits_ += real(rows_.rows);
  const double now = batch_.objective() / rows_.total_weight();
  if (std::isnan(record_.at_start)) record_.at_start = now;
  begun_ = true;
  done_ = done_ || (!to_the_end_ && now - last_ < options_.enough);
  record_.after_short_em = last_ = now;
}

bool ShortEm::revive() {
  Parameters theta = batch_.parameters();
  const Context context = options_.regularisation.context(rows_.total_weight(), &reborn_);
  if (thalweg::revive(*model_, rows_, context, theta) == 0) return false;
  begin(theta);
  return true;
}

std::optional<ShortEm> ShortEm::jump(std::uint64_t iterations) {
  Parameters theta = batch_.parameters();
  const Context context = options_.regularisation.context(rows_.total_weight());
  if (!thalweg::rearrange(*model_, rows_, context, failures_, random_, theta)) return std::nullopt;
  std::optional<ShortEm> other(*this);
  other->begin(theta);
  other->set_out(rows_, iterations);
  return other;
}

void ShortEm::land(ShortEm other) {
  const bool higher = other.value() > value() + 10 * options_.enough;
  const std::size_t failures = higher ? 0 : failures_ + 1;
  const double visits = other.visits_ + 3 * real(rows_.rows);
  if (higher) *this = std::move(other);
  failures_ = failures;
  visits_ = visits;
}

Start ShortEm::result() const {
  Start start{batch_.parameters(), batch_.statistic(), record_};
  start.record.visits = static_cast<std::uint64_t>(visits_);
  start.record.repairs = batch_.events();
  start.record.repairs.add(repaired_);
  start.record.repairs.add(reborn_, Event::component_reborn);
  return start;
}

}  // namespace thalweg
