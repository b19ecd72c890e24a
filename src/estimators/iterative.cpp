// What all iterations over kept rows share: counting, stopping, telling.
#include <thalweg/core/error.hpp>
#include <thalweg/estimators/iterative.hpp>

#include <cstddef>
#include <utility>

namespace thalweg {

Iterative::Iterative(Plan plan, StopRule rule)
    : plan_(std::move(plan)), theta_(plan_.parameters), statistic_(plan_.statistic), rule_(rule) {}

void Iterative::tell(Step step) const {
  step.phase = Phase::batch;
  step.events = events_;
  step.current = &theta_;
  step.reporter = this;
  for (Observer* observer : observers_) observer->on(step);
}

Archive Iterative::saved(std::vector<double> numbers, std::vector<std::uint64_t> counts) const {
  counts.push_back(converged_ ? 1 : 0);
  Archive archive;
  archive.put("theta", theta_);
  archive.put("statistic", statistic_);
  archive.put("numbers", std::move(numbers));
  archive.put("counts", std::move(counts));
  archive.put("events", events_.counts());
  rule_.save(archive, "rule");
  return archive;
}

void Iterative::restore(const Archive& archive, const std::string& who,
                        std::initializer_list<double*> numbers,
                        std::initializer_list<std::uint64_t*> counts) {
  const auto& saved_numbers = archive.numbers("numbers");
  const auto& saved_counts = archive.counts("counts");
  if (saved_numbers.size() != numbers.size() || saved_counts.size() != counts.size() + 1)
    throw Error("saved " + who + " is damaged");
  archive.get("theta", theta_);
  archive.get("statistic", statistic_);
  for (std::size_t i = 0; i < numbers.size(); ++i) *numbers.begin()[i] = saved_numbers[i];
  for (std::size_t i = 0; i < counts.size(); ++i) *counts.begin()[i] = saved_counts[i];
  converged_ = saved_counts.back() == 1;
  events_ = Events::from_counts(archive.counts("events"));
  rule_.load(archive, "rule");
}

}  // namespace thalweg
