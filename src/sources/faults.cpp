// Counts faults by kind, and saves the counts with a fit.
#include <thalweg/core/error.hpp>
#include <thalweg/sources/faults.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace thalweg {

OnError parse_on_error(std::string_view text) {
  constexpr std::array<std::string_view, 3> names = {"stop", "skip", "missing"};
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end())
    throw UsageError(option("on_error") + " \"" + std::string(text) +
                     "\" is unknown, expected stop, skip or missing");
  return static_cast<OnError>(found - names.begin());
}

void Faults::add(const std::string& kind, std::string message, bool row_lost) {
  ++(row_lost ? rows_skipped_ : cells_missing_);
  ++kinds_[kind];
  if (first_.size() < shown) first_.push_back(std::move(message));
}

void Faults::save(Archive& archive) const {
  std::vector<std::string> kinds;
  std::vector<std::uint64_t> counts = {rows_skipped_, cells_missing_};
  for (const auto& [kind, count] : kinds_) {
    kinds.push_back(kind);
    counts.push_back(count);
  }
  archive.put("faults/counts", std::move(counts));
  archive.put("faults/kinds", kinds);
  archive.put("faults/first", first_);
}

void Faults::load(const Archive& archive) {
  const std::vector<std::string> kinds = archive.texts("faults/kinds");
  const std::vector<std::uint64_t>& counts = archive.counts("faults/counts");
  if (counts.size() != kinds.size() + 2)
    throw Error("saved state \"faults\" does not fit together");
  rows_skipped_ = counts[0];
  cells_missing_ = counts[1];
  kinds_.clear();
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds_[kinds[i]] = counts[i + 2];
  first_ = archive.texts("faults/first");
}

}  // namespace thalweg
