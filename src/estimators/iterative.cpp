// What all iterations over kept rows share: counting, stopping, telling.
#include "core/change.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/estimators/iterative.hpp>

#include <algorithm>
#include <cmath>
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

double Iterative::moved_from(const Parameters& before) {
  const LargestChange largest = largest_change(before, theta_);
  moved_scaled_ = largest.size;
  moved_entry_ = largest.piece ? largest.piece->offset + largest.entry : nowhere;
  moved_by_ =
      largest.piece ? std::abs(theta_.data()[moved_entry_] - before.data()[moved_entry_]) : 0;
  return largest.size;
}

Moving Iterative::moving() const {
  Moving moving{.by = moved_by_,
                .scaled = moved_scaled_,
                .gain = rule_.gain(),
                // Two E-steps tell no rate: as much as was gained, which is a rate of a half.
                .left = rule_.knows() ? left_to_gain() : std::max(left_to_gain(), rule_.gain()),
                .rate = rule_.rate(),
                .allowed = rule_.tolerance()};
  for (const Piece& piece : theta_.layout().pieces()) {
    if (moved_entry_ < piece.offset || moved_entry_ >= piece.offset + piece.size()) continue;
    const EntryAt at = entry_at(piece, moved_entry_ - piece.offset);
    moving.parameter = piece.name;
    moving.component = at.component;
    moving.row = at.row;
    moving.column = at.column;
  }
  return moving;
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
  if (moved_entry_ != nowhere) {
    archive.put("moved/entry", std::uint64_t{moved_entry_});
    archive.put("moved/far", std::vector<double>{moved_by_, moved_scaled_});
  }
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
  moved_entry_ = nowhere;
  if (!archive.has_count("moved/entry")) return;  // nothing has, or a state of an earlier version
  const auto& far = archive.numbers("moved/far");
  moved_entry_ = archive.count("moved/entry");
  if (far.size() != 2 || moved_entry_ >= theta_.size()) throw Error("saved " + who + " is damaged");
  moved_by_ = far[0];
  moved_scaled_ = far[1];
}

}  // namespace thalweg
