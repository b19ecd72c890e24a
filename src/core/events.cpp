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
    {"floor_reached", "a variance or rate was lifted to its floor"},
    {"batch_left_out", "a mini-batch whose statistic was not finite was not learned"},
}};

}  // namespace

bool Events::any() const {
  return std::any_of(counts_.begin(), counts_.end(), [](std::uint64_t n) { return n > 0; });
}

void Events::add(const Events& other) {
  for (std::size_t i = 0; i < event_kinds; ++i) counts_[i] += other.counts_[i];
}

Events Events::from_counts(const std::vector<std::uint64_t>& counts) {
  if (counts.size() != event_kinds) throw Error("saved events are damaged");
  Events events;
  std::copy(counts.begin(), counts.end(), events.counts_.begin());
  return events;
}

std::string_view Events::name(Event event) { return texts[static_cast<std::size_t>(event)].name; }

std::string_view Events::sentence(Event event) {
  return texts[static_cast<std::size_t>(event)].sentence;
}

}  // namespace thalweg
