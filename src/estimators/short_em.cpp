// A few EM iterations from a guess, jumps that EM cannot make, and what they cost.
#include "estimators/short_em.hpp"

#include <thalweg/core/schedule.hpp>

#include <limits>
#include <utility>

namespace thalweg {

ShortEm::ShortEm(const ModelHandle& model, const Schema& schema, const Guesses& guesses,
                 const Block& rows, const StartOptions& options, std::uint64_t number,
                 bool to_the_end)
    : model_(model.shared()),
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

void ShortEm::go_on(const Block& rows, std::uint64_t iterations) {
  if (rows.rows != rows_.rows) {
    rows_ = rows;
    begun_ = false;
    Parameters theta = batch_.parameters();
    calibrate(*model_, rows, theta);  // constants are those of all rows in the end
    begin(theta);
  }
  for (std::uint64_t i = 0; i < iterations && !done_; ++i) {
    if (begun_ && options_.stopped()) return;
    done_ = batch_.iterate(rows_);
    visits_ += real(rows_.rows);
    const double now = batch_.objective() / rows_.total_weight();
    if (std::isnan(record_.at_start)) record_.at_start = now;
    begun_ = true;
    done_ = done_ || (!to_the_end_ && now - last_ < options_.enough);
    record_.after_short_em = last_ = now;
  }
}

bool ShortEm::revive() {
  Parameters theta = batch_.parameters();
  const Context context = options_.regularisation.context(rows_.total_weight(), &reborn_);
  if (thalweg::revive(*model_, rows_, context, theta) == 0) return false;
  begin(theta);
  return true;
}

bool ShortEm::jump(std::uint64_t iterations) {
  ShortEm other = *this;
  Parameters theta = batch_.parameters();
  const Context context = options_.regularisation.context(rows_.total_weight());
  if (!thalweg::rearrange(*model_, rows_, context, failures_, random_, theta)) return false;
  other.random_ = random_;
  other.begin(theta);
  other.go_on(rows_, iterations);
  const bool higher = other.value() > value() + 10 * options_.enough;
  const std::size_t failures = higher ? 0 : failures_ + 1;
  const double visits = other.visits_ + 3 * real(rows_.rows);
  if (higher) *this = std::move(other);
  failures_ = failures;
  visits_ = visits;
  return true;
}

Start ShortEm::result() const {
  Start start{batch_.parameters(), batch_.statistic(), record_};
  start.record.visits = static_cast<std::uint64_t>(visits_);
  start.record.repairs = batch_.events();
  start.record.repairs.add(reborn_, Event::component_reborn);
  return start;
}

}  // namespace thalweg
