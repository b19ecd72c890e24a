#include <thalweg/core/error.hpp>
#include <thalweg/estimators/starts.hpp>

namespace thalweg {

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
