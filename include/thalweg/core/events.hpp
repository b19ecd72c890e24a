// Numerical events: not errors, but repairs that were made. Each is counted and has a name and a sentence.
#pragma once

#include <thalweg/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace thalweg {

enum class Event : std::size_t {
  empty_component,  // no data left for a component: it keeps its last parameters
  floor_reached,    // a variance or rate was lifted to its floor
  batch_left_out,   // a mini-batch whose statistic was not finite was not learned
};

inline constexpr std::size_t event_kinds = 3;

class THALWEG_API Events {
 public:
  void count(Event event, std::uint64_t times = 1) {
    counts_[static_cast<std::size_t>(event)] += times;
  }
  std::uint64_t operator[](Event event) const { return counts_[static_cast<std::size_t>(event)]; }
  bool any() const;
  void add(const Events& other);
  bool operator==(const Events&) const = default;

  std::vector<std::uint64_t> counts() const { return {counts_.begin(), counts_.end()}; }
  static Events from_counts(const std::vector<std::uint64_t>& counts);  // for saved states

  static std::string_view name(Event event);      // "empty_component"
  static std::string_view sentence(Event event);  // "a component without data kept its parameters"

 private:
  std::array<std::uint64_t, event_kinds> counts_{};
};

}  // namespace thalweg
