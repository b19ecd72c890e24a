// The table of starts as part of a saved state.
#include <thalweg/core/error.hpp>
#include <thalweg/estimators/starts.hpp>

#include <utility>

namespace thalweg {
namespace {

constexpr std::uint64_t repeated = 1;  // bits of what became of a start
constexpr std::uint64_t dropped = 2;

}  // namespace

void save_starts(const std::vector<StartRecord>& records, Archive& archive) {
  std::vector<double> numbers;
  std::vector<std::uint64_t> visits;
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> repair_counts;
  for (const StartRecord& record : records) {
    numbers.insert(numbers.end(), {record.at_start, record.after_short_em, record.in_race});
    visits.push_back(record.visits);
    counts.insert(counts.end(), {record.number,
                                 (record.repeats ? repeated : 0U) | (record.dropped ? dropped : 0U),
                                 record.chosen ? 1U : 0U});
    const std::vector<std::uint64_t> repairs = record.repairs.counts();
    repair_counts.insert(repair_counts.end(), repairs.begin(), repairs.end());
  }
  archive.put("starts/numbers", std::move(numbers));
  archive.put("starts/visits", std::move(visits));
  archive.put("starts/counts", std::move(counts));
  archive.put("starts/repairs", std::move(repair_counts));
}

std::vector<StartRecord> load_starts(const Archive& archive) {
  const auto& numbers = archive.numbers("starts/numbers");
  const auto& counts = archive.counts("starts/counts");
  const auto& repairs = archive.counts("starts/repairs");
  constexpr std::size_t kinds = 3 * event_kinds;
  std::vector<std::uint64_t> visits(numbers.size() / 3);
  if (archive.has_count("starts/visits")) visits = archive.counts("starts/visits");
  if (numbers.size() % 3 != 0 || visits.size() != numbers.size() / 3 ||
      counts.size() != numbers.size() || repairs.size() != numbers.size() / 3 * kinds)
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
         .chosen = counts[3 * r + 2] == 1,
         .visits = visits[r]});
  return records;
}

}  // namespace thalweg
