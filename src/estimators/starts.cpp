// Starts found on the first rows, compared after a short EM.
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/error.hpp>
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

}  // namespace

std::vector<Start> find_starts(const ModelHandle& model, const Schema& schema, const Block& buffer,
                               const StartOptions& options) {
  std::vector<ShortEm> runs;
  const std::size_t different = model->plan(schema).starts;
  const auto wanted = static_cast<std::size_t>(
      different > 0 ? std::min<std::uint64_t>(options.starts, different) : options.starts);
  for (std::uint64_t r = 1; r <= std::max<std::size_t>(wanted, 1); ++r) {
    if (r > 1 && options.stopped()) break;
    runs.emplace_back(model, schema, buffer, options, r);
  }
  const auto better = [](const ShortEm& a, const ShortEm& b) { return a.value() > b.value(); };
  std::size_t alive = runs.size();
  for (const std::uint64_t portion :
       {options.iterations * 3 / 20, options.iterations / 4, options.iterations}) {
    for (std::size_t r = 0; r < alive; ++r) {
      runs[r].go_on(portion);
      if (portion < options.iterations && runs[r].revive()) runs[r].go_on(portion);
    }
    std::stable_sort(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(alive), better);
    alive = std::max<std::size_t>((alive + 1) / 2, std::min<std::size_t>(alive, options.survivors));
  }
  runs.front().jump(options.jumps, options.iterations / 5);
  std::stable_sort(runs.begin(), runs.end(), better);
  std::vector<Start> starts;
  starts.reserve(runs.size());
  for (const ShortEm& run : runs) starts.push_back(run.result());
  constexpr double alike = 5e-5;  // nat a row; short EM ends at steps of 1e-6
  for (std::size_t r = 1; r < starts.size(); ++r)
    starts[r].record.repeats = runs[r - 1].value() - runs[r].value() < alike;
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
