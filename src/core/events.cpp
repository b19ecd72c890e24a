// Counts of numerical repairs, and where they happened.
#include <thalweg/core/error.hpp>
#include <thalweg/core/events.hpp>

#include <algorithm>

namespace thalweg {
namespace {

struct Text {
  std::string_view name;
  std::string_view sentence;
};

constexpr std::array<Text, event_kinds> texts{{
    {"empty_component", "a component without data kept its last parameters"},
    {"floor_reached", "a variance, rate or probability was lifted to its floor"},
    {"batch_left_out", "a mini-batch whose statistic was not finite was not learned"},
    {"covariance_repaired",
     "a covariance too thin in some direction was widened there to the floor"},
    {"component_reborn", "a dead component began again among the rows explained worst"},
    {"step_shrunk", "a step that would have left the domain of the parameters was made shorter"},
}};

}  // namespace

bool Events::any() const {
  return std::any_of(counts_.begin(), counts_.end(), [](std::uint64_t n) { return n > 0; });
}

Marks Marks::from_bits(std::uint64_t bits) {
  Marks marks;
  marks.bits_ = bits;
  return marks;
}

void Events::add(const Events& other) {
  for (std::size_t i = 0; i < event_kinds; ++i) add(other, static_cast<Event>(i));
}

void Events::add(const Events& other, Event only) {
  const auto i = static_cast<std::size_t>(only);
  counts_[i] += other.counts_[i];
  components_[i].add(other.components_[i]);
  columns_[i].add(other.columns_[i]);
}

void Events::relabel(const std::vector<std::size_t>& order) {
  for (Marks& marks : components_) {
    Marks moved;
    if (marks.has(Marks::others)) moved.add(Marks::others);  // which of them is not known
    for (std::size_t i = 0; i < order.size(); ++i)
      if (order[i] < Marks::others && marks.has(order[i])) moved.add(i);
    marks = moved;
  }
}

std::vector<std::uint64_t> Events::counts() const {
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < event_kinds; ++i)
    all.insert(all.end(), {counts_[i], components_[i].bits(), columns_[i].bits()});
  return all;
}

Events Events::from_counts(const std::vector<std::uint64_t>& counts) {
  if (counts.size() != 3 * event_kinds) throw Error("saved events are damaged");
  Events events;
  for (std::size_t i = 0; i < event_kinds; ++i) {
    events.counts_[i] = counts[3 * i];
    events.components_[i] = Marks::from_bits(counts[3 * i + 1]);
    events.columns_[i] = Marks::from_bits(counts[3 * i + 2]);
  }
  return events;
}

std::string_view Events::name(Event event) { return texts[static_cast<std::size_t>(event)].name; }

std::string_view Events::sentence(Event event) {
  return texts[static_cast<std::size_t>(event)].sentence;
}

}  // namespace thalweg
