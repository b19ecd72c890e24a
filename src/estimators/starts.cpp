// Starts found on some of the rows, compared after a short EM.
#include "core/text.hpp"
#include "estimators/short_em.hpp"
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/core/schedule.hpp>
#include <thalweg/data/picked_rows.hpp>
#include <thalweg/estimators/starts.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace thalweg {

double parse_start_budget(std::string_view text) {
  if (text == "full") return std::numeric_limits<double>::infinity();
  const auto passes = to_number(text);
  if (passes && *passes > 0 && std::isfinite(*passes)) return *passes;
  throw UsageError(option("start_budget") + " \"" + std::string(text) +
                   "\" is not a positive number of passes, or full");
}

namespace {

constexpr std::uint64_t usual_starts = 8;
constexpr std::size_t most_starts = 200;  // where the budget has no end
constexpr double at_rest = 5e-5;          // nat a row; short EM ends at steps of 1e-6

bool better(const ShortEm& a, const ShortEm& b) {
  return a.dropped() != b.dropped() ? b.dropped() : a.value() > b.value();
}

/// Of two that follow each other.
bool alike(const ShortEm& a, const ShortEm& b, double apart) {
  return a.dropped() == b.dropped() && a.value() - b.value() < apart;
}

/// Rounding does not decide which of several that ended at the very same value is first.
void put_in_order_of_numbers(std::vector<ShortEm>& runs) {
  constexpr double rounding = 1e-9;
  for (auto begin = runs.begin(); begin != runs.end();) {
    auto end = std::next(begin);
    while (end != runs.end() && end->dropped() == begin->dropped() &&
           std::prev(end)->value() - end->value() < rounding)
      ++end;
    std::stable_sort(begin, end,
                     [](const ShortEm& a, const ShortEm& b) { return a.number() < b.number(); });
    begin = end;
  }
}

/// Of starts that ended at so many different places: are there probably no others? Where all places are as likely to be ended at as any
/// shares of them, w (n - 1) / (n - w - 2) places are expected (Boender & Rinnooy Kan 1987).
bool all_seen(std::size_t starts, std::size_t places) {
  if (starts < places + 3) return false;
  const double n = real(starts);
  const double w = real(places);
  return w * (n - 1) / (n - w - 2) <= w + 0.5;
}

/// Starts come in groups of a few and are compared on some of the rows, where they are many, after a few iterations. Only the better half gets more,
/// only the best few see all rows, and the best of those go to their ends: most of the work goes where it may win.
class Search {
 public:
  Search(const ModelHandle& model, const Schema& schema, const Block& buffer,
         const StartOptions& options)
      : model_(model),
        schema_(schema),
        buffer_(buffer),
        plan_(model->plan(schema)),
        options_(options) {
    usual_ = options.starts.value_or(usual_starts);
    if (plan_.starts > 0) usual_ = std::min<std::uint64_t>(usual_, plan_.starts);
    usual_ = std::max<std::uint64_t>(usual_, 1);
    const bool asked = options.starts && !options.confirmed;
    const double more = asked ? std::max(1.0, real(usual_) / real(usual_starts)) : 1.0;
    budget_ = visits_within(options.budget * more, real(buffer.rows), plan_);
    to_their_ends_ = options.confirmed && budget_ > many_passes * real(buffer.rows);
    if (!to_their_ends_ && budget_ < ample * real(usual_ * buffer.rows)) look_at_some();
    const double affordable = budget_ / (3 * 4 * real(some_.rows));  // two iterations and its seeds
    if (!asked && affordable < real(usual_))
      usual_ = std::max<std::uint64_t>(static_cast<std::uint64_t>(affordable), 1);
  }

  std::vector<Start> find() {
    do {
      screen();
    } while (goes_on());
    guesses_.reset();
    if (!to_their_ends_) finish();
    jump();
    return table();
  }

 private:
  static constexpr double for_screening = 0.6;  // of the budget
  static constexpr double ample = 100;          // passes for each start
  static constexpr double many_passes = 2000;
  static constexpr std::size_t few_rows = 1000;

  /// Rows spread over all, where they are independent and enough.
  void look_at_some() {
    const std::size_t n = std::max(buffer_.rows / 4, std::min(buffer_.rows, few_rows));
    if (n == buffer_.rows || plan_.unit != Unit::row || n < 4 * plan_.rows_needed ||
        buffer_.is_sparse())
      return;
    std::vector<std::size_t> places(n);
    Random random(options_.seed, 0, 6);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t from = i * buffer_.rows / n;
      places[i] = from + random.index((i + 1) * buffer_.rows / n - from);
    }
    some_ = picked_.pick(buffer_, places);
  }

  bool looks_at_some() const { return some_.rows < buffer_.rows; }

  double spent() const {
    double visits = 0;
    for (const ShortEm& run : runs_) visits += run.visits();
    return visits;
  }

  /// Iterations of so many runs on these rows that a share of what is left pays for.
  std::uint64_t iterations(double share, std::size_t runs, const Block& rows,
                           std::uint64_t most) const {
    const double affordable = share * (budget_ - spent()) / real(runs * rows.rows);
    return affordable < real(most) ? static_cast<std::uint64_t>(std::max(affordable, 1.0)) : most;
  }

  /// How many may go on: not more than pay for as many iterations.
  std::size_t survivors(std::size_t most, double share, double each) const {
    const double affordable = share * (budget_ - spent()) / (each * real(buffer_.rows));
    return affordable < real(most) ? static_cast<std::size_t>(std::max(affordable, 1.0)) : most;
  }

  /// The better half, and as many as are raced.
  std::size_t half(std::size_t of) const {
    return std::max<std::size_t>((of + 1) / 2, std::min<std::size_t>(of, options_.survivors));
  }

  /// A portion for runs `first` on; then the best of them come first.
  void round(std::size_t first, std::size_t count, const Block& rows, std::uint64_t portion) {
    const auto begin = runs_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    for (auto run = begin; run != end; ++run) {
      run->go_on(rows, portion);
      if (run->revive()) run->go_on(rows, portion);
    }
    std::stable_sort(begin, end, better);
  }

  void screen() {
    const std::size_t before = runs_.size();
    const double at_first = spent();
    if (!guesses_) guesses_ = guesses(*model_, plan_, some_);
    for (std::size_t r = before; r < before + usual_; ++r) {
      if (r > 0 && options_.stopped()) break;
      runs_.emplace_back(model_, schema_, *guesses_, some_, options_, r + 1, to_their_ends_);
    }
    const std::size_t here = runs_.size() - before;
    round(before, here, some_, iterations(1.0 / 3, here, some_, options_.iterations * 3 / 20));
    if (to_their_ends_) {
      round(before, here, some_, 2 * options_.iterations);
    } else {
      const std::size_t better_half = half(here);
      round(before, better_half, some_,
            iterations(1.0 / 3, better_half, some_, options_.iterations / 4));
    }
    last_cost_ = spent() - at_first;
    std::stable_sort(runs_.begin(), runs_.end(), better);
  }

  std::size_t different_ends() const {
    const double of_no_account = std::max(at_rest, 0.25 / buffer_.total_weight());
    std::size_t ends = 1;
    for (std::size_t r = 1; r < runs_.size(); ++r)
      ends += alike(runs_[r - 1], runs_[r], of_no_account) ? 0 : 1;
    return ends;
  }

  bool goes_on() const {
    if (!options_.confirmed || plan_.starts > 0 || options_.stopped()) return false;
    const double now = spent();
    const bool pays = now + last_cost_ < for_screening * budget_;
    const bool cheap = now < visits_within(0, 0, plan_) / 4;  // spent, whether it is needed or not
    return pays && runs_.size() < most_starts &&
           (cheap || !all_seen(runs_.size(), different_ends()));
  }

  /// The best few on all rows, the best of them to their ends.
  void finish() {
    std::size_t alive = half(std::min<std::size_t>(runs_.size(), usual_));
    if (looks_at_some()) {
      alive = survivors(alive, 0.5, 2);
      for (std::size_t r = alive; r < runs_.size(); ++r) runs_[r].drop();
      round(0, alive, buffer_, iterations(0.5, alive, buffer_, options_.iterations / 4));
    }
    alive = survivors(std::min<std::size_t>(alive, options_.survivors), 1, 10);
    round(0, alive, buffer_, iterations(1, alive, buffer_, options_.iterations));
    std::stable_sort(runs_.begin(), runs_.end(), better);
  }

  void jump() {
    const std::uint64_t after = options_.iterations / 5;
    const double a_jump = real(after + 3) * real(buffer_.rows);
    for (std::uint64_t j = 0; j < options_.jumps; ++j)
      if (options_.stopped() || budget_ - spent() < a_jump || !runs_.front().jump(after)) break;
    std::stable_sort(runs_.begin(), runs_.end(), better);
  }

  std::vector<Start> table() {
    put_in_order_of_numbers(runs_);
    std::vector<Start> starts;
    starts.reserve(runs_.size());
    for (const ShortEm& run : runs_) starts.push_back(run.result());
    for (std::size_t r = 1; r < starts.size(); ++r)
      starts[r].record.repeats = alike(runs_[r - 1], runs_[r], at_rest);
    std::stable_partition(starts.begin(), starts.end(),
                          [](const Start& start) { return start.record.stands_alone(); });
    return starts;
  }

  const ModelHandle& model_;
  const Schema& schema_;
  const Block& buffer_;
  Plan plan_;
  const StartOptions& options_;
  std::uint64_t usual_ = usual_starts;  // of a group
  double budget_ = 0;                   // E-steps of one row
  double last_cost_ = 0;                // of the last group
  bool to_their_ends_ =
      false;  // all of them, where that is cheap: as the stop rule of batch EM knows it
  PickedRows picked_;
  Block some_ = buffer_;
  std::unique_ptr<const Guesses> guesses_;  // on those
  std::vector<ShortEm> runs_;
};

}  // namespace

std::vector<Start> find_starts(const ModelHandle& model, const Schema& schema, const Block& buffer,
                               const StartOptions& options) {
  return Search(model, schema, buffer, options).find();
}

}  // namespace thalweg
