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
  empty_component,      // no data left for a component: it keeps its last parameters
  floor_reached,        // a variance, rate or probability was lifted to its floor
  batch_left_out,       // a mini-batch whose statistic was not finite was not learned
  covariance_repaired,  // a covariance too thin in some direction was widened there
  component_reborn,     // a dead component began again among the rows explained worst
  step_shrunk,          // a step that would have left the domain was made shorter
};

inline constexpr std::size_t event_kinds = 6;

/// Whom an event concerns; one of them may be unknown, or all.
struct Place {
  static constexpr std::size_t unknown = static_cast<std::size_t>(-1);
  std::size_t component = unknown;
  std::size_t column = unknown;
};

/// A set of small numbers in one word; those from 63 on share the last bit.
class THALWEG_API Marks {
 public:
  static constexpr std::size_t others = 63;
  void add(std::size_t number) {
    if (number != Place::unknown) bits_ |= std::uint64_t{1} << (number < others ? number : others);
  }
  void add(Marks marks) { bits_ |= marks.bits_; }
  bool has(std::size_t number) const { return (bits_ >> number & 1U) != 0; }
  bool any() const { return bits_ != 0; }
  std::uint64_t bits() const { return bits_; }
  static Marks from_bits(std::uint64_t bits);
  bool operator==(const Marks&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

class THALWEG_API Events {
 public:
  void count(Event event, std::uint64_t times = 1) {
    counts_[static_cast<std::size_t>(event)] += times;
  }
  void count(Event event, Place place) {
    count(event);
    mark(event, place);
  }
  void mark(Event event, Place place) {
    components_[static_cast<std::size_t>(event)].add(place.component);
    columns_[static_cast<std::size_t>(event)].add(place.column);
  }
  std::uint64_t operator[](Event event) const { return counts_[static_cast<std::size_t>(event)]; }
  Marks components(Event event) const { return components_[static_cast<std::size_t>(event)]; }
  Marks columns(Event event) const { return columns_[static_cast<std::size_t>(event)]; }
  bool any() const;
  void add(const Events& other);
  void add(const Events& other, Event only);
  /// New component i is the old one order[i]: the marks follow.
  void relabel(const std::vector<std::size_t>& order);
  bool operator==(const Events&) const = default;

  std::vector<std::uint64_t> counts() const;  // for each kind: how often, which components, columns
  static Events from_counts(const std::vector<std::uint64_t>& counts);  // for saved states

  static std::string_view name(Event event);      // "empty_component"
  static std::string_view sentence(Event event);  // "a component without data kept its parameters"

 private:
  std::array<std::uint64_t, event_kinds> counts_{};
  std::array<Marks, event_kinds> components_{};
  std::array<Marks, event_kinds> columns_{};
};

}  // namespace thalweg
