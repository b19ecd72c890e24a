// Starts found on some of the rows, compared after a short EM.
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/core/schedule.hpp>
#include <thalweg/data/picked_rows.hpp>
#include <thalweg/estimators/starts.hpp>

#include <algorithm>
#include <cmath>

namespace thalweg {
namespace {

/// The short EM of one start, in portions, on some of the rows and then on all.
class ShortEm {
 public:
  ShortEm(const ModelHandle& model, const Schema& schema, const Block& rows,
          const StartOptions& options, std::uint64_t number);

  /// At most so many iterations more, fewer where they gain nothing or the search is to stop. The first on these rows is always made.
  void go_on(const Block& rows, std::uint64_t iterations);

  /// Components without data begin again; false where there are none.
  bool revive();

  /// A jump that EM cannot make, and a few iterations after it; what is better than before is kept. False where there is none to try.
  bool jump(std::uint64_t iterations);

  /// It is too far behind on some of the rows to go on to all.
  void drop() { record_.dropped = true; }
  bool dropped() const { return record_.dropped; }

  std::uint64_t number() const { return record_.number; }

  /// E-steps of one row.
  double visits() const { return visits_; }

  double value() const {  // a guess that does not explain the data at all goes last
    return std::isfinite(record_.after_short_em) ? record_.after_short_em : -HUGE_VAL;
  }
  Start result() const;

 private:
  void begin(const Parameters& theta);

  std::shared_ptr<const Model> model_;
  Block rows_;
  StartOptions options_;
  Batch batch_;
  StartRecord record_;
  Events reborn_;
  Random random_;             // of the jumps
  std::size_t failures_ = 0;  // jumps in a row that led nowhere
  double visits_ = 0;
  double last_ = -HUGE_VAL;  // objective a row before
  bool begun_ = false;       // on these rows
  bool done_ = false;
};

ShortEm::ShortEm(const ModelHandle& model, const Schema& schema, const Block& rows,
                 const StartOptions& options, std::uint64_t number)
    : model_(model.shared()),
      rows_(rows),
      options_(options),
      batch_(model, schema,
             {.tolerance = 0,
              .max_iterations = 1'000'000,
              .regularisation = options.regularisation,
              .pool = options.pool}),
      random_(options.seed, number, 1) {
  Random random(options.seed, number);
  record_.number = number;
  record_.at_start = std::numeric_limits<double>::quiet_NaN();
  begin(model->start(batch_.plan(), rows, random));
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
    begin(Parameters(batch_.parameters()));
  }
  for (std::uint64_t i = 0; i < iterations && !done_; ++i) {
    if (begun_ && options_.stopped()) return;
    done_ = batch_.iterate(rows_);
    visits_ += real(rows_.rows);
    const double now = batch_.objective() / rows_.total_weight();
    if (std::isnan(record_.at_start)) record_.at_start = now;
    begun_ = true;
    done_ = done_ || now - last_ < options_.enough;
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
  start.record.repairs = batch_.events();
  start.record.repairs.add(reborn_, Event::component_reborn);
  return start;
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

/// What the search may still cost, in E-steps of one row.
struct Budget {
  double all = 0;
  double left = 0;

  void spend(const std::vector<ShortEm>& runs, std::size_t first) {
    double spent = 0;
    for (std::size_t r = first; r < runs.size(); ++r) spent += runs[r].visits();
    left = all - spent;
  }

  /// Iterations of so many runs on so many rows that a share of what is left pays for.
  std::uint64_t iterations(double share, double runs_rows, std::uint64_t least,
                           std::uint64_t most) const {
    const double affordable = share * left / runs_rows;
    return affordable < real(most)
               ? std::max(least, static_cast<std::uint64_t>(std::max(affordable, 0.0)))
               : most;
  }
};

/// Starts compared in three rounds: all get a few iterations on some of the rows, the better half some more on all, the best few the
/// rest. Most of the work goes where it may win.
class Rounds {
 public:
  Rounds(const ModelHandle& model, const Schema& schema, const Block& buffer, const Plan& plan,
         const StartOptions& options)
      : model_(model), schema_(schema), buffer_(buffer), plan_(plan), options_(options) {
    const double B = real(buffer.rows);
    const std::uint64_t usual = options.starts.value_or(usual_starts);
    exact_ = options.starts && !options.confirmed;
    const double more = exact_ ? std::max(1.0, real(usual) / real(usual_starts)) : 1.0;
    all_ = visits_within(options.budget * more, B, plan);
    wanted_ = std::max<std::uint64_t>(
        plan.starts > 0 ? std::min<std::uint64_t>(usual, plan.starts) : usual, 1);
    if (all_ < 3 * first_portion * real(wanted_) * B) look_at_some();
    if (!exact_)  // each two iterations at least, beside its seeds
      wanted_ = std::clamp<std::uint64_t>(
          static_cast<std::uint64_t>(all_ / (3 * 4 * real(first_.rows))), 1, wanted_);
  }

  double all() const { return all_; }
  std::uint64_t wanted() const { return wanted_; }

  /// Adds starts to the runs, those that went the whole way first, best first. What it cost.
  double add_to(std::vector<ShortEm>& runs, double allowed) const {
    const std::size_t before = runs.size();
    for (std::size_t r = before; r < before + wanted_; ++r) {
      if (r > 0 && options_.stopped()) break;
      runs.emplace_back(model_, schema_, first_, options_, r + 1);
    }
    Budget budget{allowed, allowed};
    budget.spend(runs, before);
    std::size_t alive = runs.size() - before;
    const auto round = [&](const Block& rows, double share, std::uint64_t least, std::uint64_t most,
                           bool last) {
      const std::uint64_t portion =
          budget.iterations(share, real(alive) * real(rows.rows), least, most);
      const auto begin = runs.begin() + static_cast<std::ptrdiff_t>(before);
      const auto end = begin + static_cast<std::ptrdiff_t>(alive);
      for (auto run = begin; run != end; ++run) {
        run->go_on(rows, portion);
        if (!last && run->revive()) run->go_on(rows, portion);
      }
      std::stable_sort(begin, end,
                       [](const ShortEm& a, const ShortEm& b) { return a.value() > b.value(); });
      budget.spend(runs, before);
    };
    const auto go_on_with = [&](std::size_t most, double share, double iterations) {
      const double affordable = share * budget.left / (iterations * real(buffer_.rows));
      alive = std::clamp<std::size_t>(
          affordable < real(most) ? static_cast<std::size_t>(std::max(affordable, 0.0)) : most, 1,
          most);
    };
    round(first_, 1.0 / 3, 1, options_.iterations * 3 / 20, false);
    const std::size_t half =
        std::max<std::size_t>((alive + 1) / 2, std::min<std::size_t>(alive, options_.survivors));
    go_on_with(half, 0.5, 2);
    if (first_.rows < buffer_.rows)
      for (std::size_t r = before + alive; r < runs.size(); ++r) runs[r].drop();
    round(buffer_, 0.5, 1, options_.iterations / 4, false);
    go_on_with(
        std::max<std::size_t>((alive + 1) / 2, std::min<std::size_t>(alive, options_.survivors)), 1,
        10);
    round(buffer_, 1, 1, options_.iterations, true);
    return budget.all - budget.left;
  }

 private:
  static constexpr std::uint64_t usual_starts = 8;
  static constexpr double first_portion = 15;
  static constexpr std::size_t some = 4;  // one row in so many

  /// Rows spread over all, where they are independent and enough.
  void look_at_some() {
    const std::size_t n = buffer_.rows / some;
    if (plan_.unit != Unit::row || n < 4 * plan_.rows_needed || buffer_.is_sparse()) return;
    std::vector<std::size_t> places(n);
    Random random(options_.seed, 0, 6);
    for (std::size_t i = 0; i < n; ++i) places[i] = some * i + random.index(some);
    first_ = picked_.pick(buffer_, places);
  }

  const ModelHandle& model_;
  const Schema& schema_;
  const Block& buffer_;
  const Plan& plan_;
  const StartOptions& options_;
  bool exact_ = false;
  double all_ = 0;
  std::uint64_t wanted_ = 1;
  PickedRows picked_;
  Block first_ = buffer_;
};

}  // namespace

std::vector<Start> find_starts(const ModelHandle& model, const Schema& schema, const Block& buffer,
                               const StartOptions& options) {
  const Plan plan = model->plan(schema);
  const auto better = [](const ShortEm& a, const ShortEm& b) {
    return a.dropped() != b.dropped() ? b.dropped() : a.value() > b.value();
  };
  constexpr double at_rest = 5e-5;  // nat a row; short EM ends at steps of 1e-6
  const auto alike = [](const ShortEm& a, const ShortEm& b, double apart) {
    return a.dropped() == b.dropped() && a.value() - b.value() < apart;
  };
  std::vector<ShortEm> runs;
  const double of_no_account = std::max(at_rest, 0.25 / buffer.total_weight());
  const auto different_ends = [&] {
    std::size_t ends = 1;
    for (std::size_t r = 1; r < runs.size(); ++r)
      ends += alike(runs[r - 1], runs[r], of_no_account) ? 0 : 1;
    return ends;
  };
  const Rounds rounds(model, schema, buffer, plan, options);
  double left = rounds.all();
  for (;;) {
    const std::size_t before = runs.size();
    const double cost = rounds.add_to(runs, left);
    left -= cost;
    std::stable_sort(runs.begin(), runs.end(), better);
    const bool as_many = runs.size() == before + rounds.wanted();
    const bool goes_on = options.confirmed && plan.starts == 0 && as_many && !options.stopped() &&
                         !all_seen(runs.size(), different_ends()) && cost < left;
    if (!goes_on) break;
  }
  const std::uint64_t after_a_jump = options.iterations / 5;
  const double a_jump = real(after_a_jump + 3) * real(buffer.rows);
  for (std::uint64_t j = 0; j < options.jumps && !options.stopped() && left > a_jump; ++j) {
    const double visits = runs.front().visits();
    if (!runs.front().jump(after_a_jump)) break;
    left -= runs.front().visits() - visits;
  }
  std::stable_sort(runs.begin(), runs.end(), better);
  put_in_order_of_numbers(runs);
  std::vector<Start> starts;
  starts.reserve(runs.size());
  for (const ShortEm& run : runs) starts.push_back(run.result());
  for (std::size_t r = 1; r < starts.size(); ++r)
    starts[r].record.repeats = alike(runs[r - 1], runs[r], at_rest);
  std::stable_partition(starts.begin(), starts.end(),
                        [](const Start& start) { return start.record.stands_alone(); });
  return starts;
}

namespace {

constexpr std::uint64_t repeated = 1;  // bits of what became of a start
constexpr std::uint64_t dropped = 2;

}  // namespace

void save_starts(const std::vector<StartRecord>& records, Archive& archive) {
  std::vector<double> numbers;
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> repair_counts;
  for (const StartRecord& record : records) {
    numbers.insert(numbers.end(), {record.at_start, record.after_short_em, record.in_race});
    counts.insert(counts.end(), {record.number,
                                 (record.repeats ? repeated : 0U) | (record.dropped ? dropped : 0U),
                                 record.chosen ? 1U : 0U});
    const std::vector<std::uint64_t> repairs = record.repairs.counts();
    repair_counts.insert(repair_counts.end(), repairs.begin(), repairs.end());
  }
  archive.put("starts/numbers", std::move(numbers));
  archive.put("starts/counts", std::move(counts));
  archive.put("starts/repairs", std::move(repair_counts));
}

std::vector<StartRecord> load_starts(const Archive& archive) {
  const auto& numbers = archive.numbers("starts/numbers");
  const auto& counts = archive.counts("starts/counts");
  const auto& repairs = archive.counts("starts/repairs");
  constexpr std::size_t kinds = 3 * event_kinds;
  if (numbers.size() % 3 != 0 || counts.size() != numbers.size() ||
      repairs.size() != numbers.size() / 3 * kinds)
    throw Error("saved table of starts is damaged");
  std::vector<StartRecord> records;
  for (std::size_t r = 0; r < numbers.size() / 3; ++r)
    records.push_back(
        {.number = counts[3 * r],
         .at_start = numbers[3 * r],
         .after_short_em = numbers[3 * r + 1],
         .in_race = numbers[3 * r + 2],
         .repeats = (counts[3 * r + 1] & repeated) != 0,
         .dropped = (counts[3 * r + 1] & dropped) != 0,
         .repairs = Events::from_counts({&repairs[r * kinds], &repairs[r * kinds] + kinds}),
         .chosen = counts[3 * r + 2] == 1});
  return records;
}

}  // namespace thalweg
