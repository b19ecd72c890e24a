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
#include <utility>
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

}  // namespace

/// Starts come in groups of a few and are compared on some of the rows, where they are many, after a few iterations. Only the better half gets more,
/// only the best few see all rows, and the best of those go to their ends: most of the work goes where it may win.
/// What is next is known from the phase and the round of portions that is under way, so that it can be done in pieces and copied.
class StartSearch::Search {
 public:
  Search(const ModelHandle& model, const Schema& schema, const Block& buffer,
         const StartOptions& options, std::shared_ptr<const Table> owned = {})
      : model_(model),
        schema_(schema),
        owned_(std::move(owned)),
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

  const Table& rows() const { return *owned_; }
  double done() const { return done_; }

  bool reach(double work) {
    while (phase_ != Phase::over && done_ < work) done_ += piece(work - done_);
    return phase_ == Phase::over;
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

 private:
  enum class Phase {
    drawing,     // a group of starts
    screening,   // all of them get a portion
    halving,     // the better half gets more
    confirming,  // the best few of all groups, on all rows
    finishing,   // the best of those, to their ends
    jumping,
    over,
  };

  /// A portion for each of some runs.
  struct Round {
    std::size_t first = 0;
    std::size_t end = 0;
    std::size_t at = 0;
    Block rows = {};
    std::uint64_t portion = 0;
    bool revived = false;  // … of which the one at work has begun a second
  };

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
    auto picked = std::make_shared<PickedRows>();
    some_ = picked->pick(buffer_, places);
    picked_ = std::move(picked);
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
  void begin_round(Phase phase, std::size_t first, std::size_t count, const Block& rows,
                   std::uint64_t portion) {
    phase_ = phase;
    round_ = {.first = first, .end = first + count, .at = first, .rows = rows, .portion = portion};
    if (count > 0) runs_[first].set_out(rows, portion);
  }

  /// What it cost.
  double piece(double most) {
    if (phase_ == Phase::drawing) return draw();
    if (phase_ == Phase::jumping) return jump(most);
    if (round_.at == round_.end) return end_round();
    ShortEm& run = runs_[round_.at];
    if (const double cost = run.work(most); cost > 0) return cost;
    if (!round_.revived && run.revive()) {
      round_.revived = true;
      run.set_out(round_.rows, round_.portion);
      return real(round_.rows.rows);
    }
    round_.revived = false;
    if (++round_.at < round_.end) runs_[round_.at].set_out(round_.rows, round_.portion);
    return 0;
  }

  double end_round() {
    const auto begin = runs_.begin();
    std::stable_sort(begin + static_cast<std::ptrdiff_t>(round_.first),
                     begin + static_cast<std::ptrdiff_t>(round_.end), better);
    switch (phase_) {
      case Phase::screening:
        halve();
        break;
      case Phase::halving:
        end_group();
        break;
      case Phase::confirming:
        finish();
        break;
      default:
        begin_jumping();
    }
    return 0;
  }

  double draw() {
    const std::size_t r = runs_.size();
    if (r == group_) at_group_ = spent();
    if (r == group_ + usual_ || (r > 0 && options_.stopped())) {
      const std::size_t here = r - group_;
      begin_round(Phase::screening, group_, here, some_,
                  iterations(1.0 / 3, here, some_, options_.iterations * 3 / 20));
      return 0;
    }
    if (!guesses_) guesses_ = guesses(*model_, plan_, some_);
    runs_.emplace_back(model_, schema_, *guesses_, some_, options_, r + 1, to_their_ends_);
    return runs_.back().visits();
  }

  void halve() {
    const std::size_t here = runs_.size() - group_;
    if (to_their_ends_)
      return begin_round(Phase::halving, group_, here, some_, 2 * options_.iterations);
    const std::size_t better_half = half(here);
    begin_round(Phase::halving, group_, better_half, some_,
                iterations(1.0 / 3, better_half, some_, options_.iterations / 4));
  }

  void end_group() {
    last_cost_ = spent() - at_group_;
    std::stable_sort(runs_.begin(), runs_.end(), better);
    group_ = runs_.size();
    if (goes_on()) {
      phase_ = Phase::drawing;
      return;
    }
    guesses_.reset();
    if (to_their_ends_) {
      begin_jumping();
    } else {
      confirm();
    }
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

  /// The best few on all rows.
  void confirm() {
    alive_ = half(std::min<std::size_t>(runs_.size(), usual_));
    if (!looks_at_some()) return finish();
    alive_ = survivors(alive_, 0.5, 2);
    for (std::size_t r = alive_; r < runs_.size(); ++r) runs_[r].drop();
    begin_round(Phase::confirming, 0, alive_, buffer_,
                iterations(0.5, alive_, buffer_, options_.iterations / 4));
  }

  /// The best of them to their ends.
  void finish() {
    alive_ = survivors(std::min<std::size_t>(alive_, options_.survivors), 1, 10);
    begin_round(Phase::finishing, 0, alive_, buffer_,
                iterations(1, alive_, buffer_, options_.iterations));
  }

  void begin_jumping() {
    std::stable_sort(runs_.begin(), runs_.end(), better);
    phase_ = Phase::jumping;
  }

  double jump(double most) {
    if (jumped_) {
      if (const double cost = jumped_->work(most); cost > 0) return cost;
      runs_.front().land(*std::exchange(jumped_, std::nullopt));
    }
    const std::uint64_t after = options_.iterations / 5;
    const double a_jump = real(after + 3) * real(buffer_.rows);
    if (jumps_++ < options_.jumps && !options_.stopped() && budget_ - spent() >= a_jump)
      jumped_ = runs_.front().jump(after);
    if (jumped_) return 3 * real(buffer_.rows);
    std::stable_sort(runs_.begin(), runs_.end(), better);
    phase_ = Phase::over;
    return 0;
  }

  ModelHandle model_;
  Schema schema_;
  std::shared_ptr<const Table> owned_;  // where the buffer lies, if it is ours
  Block buffer_;
  Plan plan_;
  StartOptions options_;
  std::uint64_t usual_ = usual_starts;  // of a group
  double budget_ = 0;                   // E-steps of one row
  double last_cost_ = 0;                // of the last group
  bool to_their_ends_ =
      false;  // all of them, where that is cheap: as the stop rule of batch EM knows it
  std::shared_ptr<const PickedRows> picked_;
  Block some_ = buffer_;
  std::shared_ptr<const Guesses> guesses_;  // on those
  std::vector<ShortEm> runs_;
  double done_ = 0;  // all work
  Phase phase_ = Phase::drawing;
  Round round_;
  std::size_t group_ = 0;          // where the group under way begins
  double at_group_ = 0;            // spent before it
  std::size_t alive_ = 0;          // runs that see all rows
  std::uint64_t jumps_ = 0;        // tried
  std::optional<ShortEm> jumped_;  // the one under way
};

StartSearch::StartSearch(const ModelHandle& model, const Schema& schema,
                         std::shared_ptr<const Table> rows, const StartOptions& options) {
  const Block block = rows->block();
  search_ = std::make_unique<Search>(model, schema, block, options, std::move(rows));
}
StartSearch::StartSearch(const StartSearch& other)
    : search_(std::make_unique<Search>(*other.search_)) {}
StartSearch& StartSearch::operator=(const StartSearch& other) { return *this = StartSearch(other); }
StartSearch::StartSearch(StartSearch&&) noexcept = default;
StartSearch& StartSearch::operator=(StartSearch&&) noexcept = default;
StartSearch::~StartSearch() = default;

const Table& StartSearch::rows() const { return search_->rows(); }
double StartSearch::done() const { return search_->done(); }
bool StartSearch::reach(double work) { return search_->reach(work); }

std::vector<Start> StartSearch::finish() {
  search_->reach(HUGE_VAL);
  return search_->table();
}

std::vector<Start> find_starts(const ModelHandle& model, const Schema& schema, const Block& buffer,
                               const StartOptions& options) {
  StartSearch::Search search(model, schema, buffer, options);
  search.reach(HUGE_VAL);
  return search.table();
}

}  // namespace thalweg
