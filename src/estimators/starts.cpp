// Starts found on some of the rows, compared after a short EM.
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/core/schedule.hpp>
#include <thalweg/estimators/starts.hpp>

#include <algorithm>
#include <cmath>

namespace thalweg {
namespace {

/// The short EM of one start, in portions.
class ShortEm {
 public:
  ShortEm(const ModelHandle& model, const Schema& schema, const Block& buffer,
          const StartOptions& options, std::uint64_t number);

  /// At most so many iterations more, fewer where they gain nothing or the search is to stop. The first is always made.
  void go_on(std::uint64_t iterations);

  /// Components without data begin again; false where there are none.
  bool revive();

  /// Tries jumps that EM cannot make, a few iterations after each; keeps what is better than before.
  void jump(std::uint64_t attempts, std::uint64_t iterations);

  std::uint64_t number() const { return record_.number; }

  /// E-steps of one row.
  std::uint64_t visits() const { return batch_.iterations() * buffer_.rows; }

  double value() const {  // a guess that does not explain the data at all goes last
    return std::isfinite(record_.after_short_em) ? record_.after_short_em : -HUGE_VAL;
  }
  Start result() const;

 private:
  std::shared_ptr<const Model> model_;
  Block buffer_;
  StartOptions options_;
  Batch batch_;
  StartRecord record_;
  Events reborn_;
  double last_ = -HUGE_VAL;  // objective a row before
  bool begun_ = false;
  bool done_ = false;
};

ShortEm::ShortEm(const ModelHandle& model, const Schema& schema, const Block& buffer,
                 const StartOptions& options, std::uint64_t number)
    : model_(model.shared()),
      buffer_(buffer),
      options_(options),
      batch_(model, schema,
             {.tolerance = 0,
              .max_iterations = 1'000'000,
              .regularisation = options.regularisation,
              .pool = options.pool}) {
  Random random(options.seed, number);
  record_.number = number;
  batch_.begin(model->start(batch_.plan(), buffer, random));
}

void ShortEm::go_on(std::uint64_t iterations) {
  for (std::uint64_t i = 0; i < iterations && !done_; ++i) {
    if (begun_ && options_.stopped()) return;
    done_ = batch_.iterate(buffer_);
    const double now = batch_.objective() / buffer_.total_weight();
    if (!begun_) record_.at_start = now;
    begun_ = true;
    done_ = done_ || now - last_ < options_.enough;
    record_.after_short_em = last_ = now;
  }
}

bool ShortEm::revive() {
  Parameters theta = batch_.parameters();
  const Context context = options_.regularisation.context(buffer_.total_weight(), &reborn_);
  if (thalweg::revive(*model_, buffer_, context, theta) == 0) return false;
  batch_.begin(theta);
  done_ = false;
  last_ = -HUGE_VAL;
  return true;
}

void ShortEm::jump(std::uint64_t attempts, std::uint64_t iterations) {
  Random random(options_.seed, record_.number, 1);
  std::size_t failures = 0;
  for (std::uint64_t i = 0; i < attempts && !options_.stopped(); ++i) {
    ShortEm other = *this;
    Parameters theta = batch_.parameters();
    const Context context = options_.regularisation.context(buffer_.total_weight());
    if (!thalweg::rearrange(*model_, buffer_, context, failures, random, theta)) return;
    other.batch_.begin(theta);
    other.done_ = false;
    other.last_ = -HUGE_VAL;
    other.go_on(iterations);
    if (other.value() > value() + 10 * options_.enough) {
      *this = std::move(other);
      failures = 0;
    } else {
      ++failures;
    }
  }
}

Start ShortEm::result() const {
  Start start{batch_.parameters(), batch_.statistic(), record_};
  start.record.repairs = batch_.events();
  start.record.repairs.add(reborn_, Event::component_reborn);
  return start;
}

constexpr double cheap = 1e8;  // multiplications and additions: some hundredths of a second

/// Rounding does not decide which of several that ended at the very same value is first.
void put_in_order_of_numbers(std::vector<ShortEm>& runs) {
  constexpr double rounding = 1e-9;
  for (auto begin = runs.begin(); begin != runs.end();) {
    auto end = std::next(begin);
    while (end != runs.end() && std::prev(end)->value() - end->value() < rounding) ++end;
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

/// Those from `first` on get a few iterations, the better half some more, the best few the rest; best first.
void halve(std::vector<ShortEm>& runs, std::size_t first, const StartOptions& options) {
  const auto begin = runs.begin() + static_cast<std::ptrdiff_t>(first);
  std::size_t alive = runs.size() - first;
  for (const std::uint64_t portion :
       {options.iterations * 3 / 20, options.iterations / 4, options.iterations}) {
    const auto end = begin + static_cast<std::ptrdiff_t>(alive);
    for (auto run = begin; run != end; ++run) {
      run->go_on(portion);
      if (portion < options.iterations && run->revive()) run->go_on(portion);
    }
    std::stable_sort(begin, end,
                     [](const ShortEm& a, const ShortEm& b) { return a.value() > b.value(); });
    alive = std::max<std::size_t>((alive + 1) / 2, std::min<std::size_t>(alive, options.survivors));
  }
}

}  // namespace

std::vector<Start> find_starts(const ModelHandle& model, const Schema& schema, const Block& buffer,
                               const StartOptions& options) {
  const Plan plan = model->plan(schema);
  const auto wanted = static_cast<std::size_t>(std::max<std::uint64_t>(
      plan.starts > 0 ? std::min<std::uint64_t>(options.starts, plan.starts) : options.starts, 1));
  const auto better = [](const ShortEm& a, const ShortEm& b) { return a.value() > b.value(); };
  constexpr double at_rest = 5e-5;  // nat a row; short EM ends at steps of 1e-6
  const auto alike = [](const ShortEm& a, const ShortEm& b, double apart) {
    return a.value() - b.value() < apart;
  };
  std::vector<ShortEm> runs;
  const double of_no_account = std::max(at_rest, 0.25 / buffer.total_weight());
  const auto different_ends = [&] {
    std::size_t ends = 1;
    for (std::size_t r = 1; r < runs.size(); ++r)
      ends += alike(runs[r - 1], runs[r], of_no_account) ? 0 : 1;
    return ends;
  };
  double cost = 0;  // multiplications and additions
  for (;;) {
    const std::size_t before = runs.size();
    for (std::size_t r = before; r < before + wanted; ++r) {
      if (r > 0 && options.stopped()) break;
      runs.emplace_back(model, schema, buffer, options, r + 1);
    }
    halve(runs, before, options);
    for (std::size_t r = before; r < runs.size(); ++r)
      cost += 4 * real(runs[r].visits()) * real(plan.statistic->size());
    std::stable_sort(runs.begin(), runs.end(), better);
    const bool as_many = before == 0 || runs.size() == before + wanted;
    const double next = cost * (1 + real(wanted) / real(runs.size()));
    const bool goes_on = options.confirmed && plan.starts == 0 && as_many && !options.stopped() &&
                         !all_seen(runs.size(), different_ends()) && next < cheap;
    if (!goes_on) break;
  }
  runs.front().jump(options.jumps, options.iterations / 5);
  std::stable_sort(runs.begin(), runs.end(), better);
  put_in_order_of_numbers(runs);
  std::vector<Start> starts;
  starts.reserve(runs.size());
  for (const ShortEm& run : runs) starts.push_back(run.result());
  for (std::size_t r = 1; r < starts.size(); ++r)
    starts[r].record.repeats = alike(runs[r - 1], runs[r], at_rest);
  std::stable_partition(starts.begin(), starts.end(),
                        [](const Start& start) { return !start.record.repeats; });
  return starts;
}

void save_starts(const std::vector<StartRecord>& records, Archive& archive) {
  std::vector<double> numbers;
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> repair_counts;
  for (const StartRecord& record : records) {
    numbers.insert(numbers.end(), {record.at_start, record.after_short_em, record.in_race});
    counts.insert(counts.end(), {record.number, record.repeats ? 1U : 0U, record.chosen ? 1U : 0U});
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
         .repeats = counts[3 * r + 1] == 1,
         .repairs = Events::from_counts({&repairs[r * kinds], &repairs[r * kinds] + kinds}),
         .chosen = counts[3 * r + 2] == 1});
  return records;
}

}  // namespace thalweg
