// Repairs are counted, named and described.
#include <thalweg/core/error.hpp>
#include <thalweg/core/events.hpp>

#include <gtest/gtest.h>

#include <set>

namespace test_events {

using thalweg::Event;
using thalweg::Events;

constexpr std::array all{Event::empty_component,     Event::floor_reached,    Event::batch_left_out,
                         Event::covariance_repaired, Event::component_reborn, Event::step_shrunk};
static_assert(all.size() == thalweg::event_kinds);

TEST(Events, count_and_add) {
  Events one;
  EXPECT_FALSE(one.any());
  one.count(Event::floor_reached);
  one.count(Event::floor_reached, 4);
  EXPECT_TRUE(one.any());
  EXPECT_EQ(one[Event::floor_reached], 5U);
  EXPECT_EQ(one[Event::empty_component], 0U);
  Events two;
  two.count(Event::batch_left_out, 2);
  two.add(one);
  EXPECT_EQ(two[Event::floor_reached], 5U);
  EXPECT_EQ(two[Event::batch_left_out], 2U);
  EXPECT_NE(one, two);
}

TEST(Events, survive_a_saved_state) {
  Events events;
  for (const Event event : all) events.count(event, 1 + static_cast<std::uint64_t>(event));
  events.count(Event::floor_reached, {.component = 2, .column = 70});
  EXPECT_EQ(Events::from_counts(events.counts()), events);
  EXPECT_THROW(Events::from_counts({1, 2}), thalweg::Error);
  EXPECT_THROW(Events::from_counts({1, 2, 3, 4}), thalweg::Error);
}

TEST(Events, remember_whom_they_concerned) {
  Events events;
  events.count(Event::floor_reached, {.component = 2, .column = 0});
  events.count(Event::floor_reached, {.component = 200});
  EXPECT_EQ(events[Event::floor_reached], 2U);
  EXPECT_TRUE(events.components(Event::floor_reached).has(2));
  EXPECT_TRUE(events.components(Event::floor_reached).has(thalweg::Marks::others));
  EXPECT_FALSE(events.components(Event::floor_reached).has(0));
  EXPECT_TRUE(events.columns(Event::floor_reached).has(0));
  EXPECT_FALSE(events.columns(Event::empty_component).any());
  Events sum;
  sum.add(events);
  EXPECT_EQ(sum, events);
}

TEST(Events, each_has_a_name_and_a_sentence_of_its_own) {
  std::set<std::string_view> words;
  for (const Event event : all) {
    EXPECT_FALSE(Events::name(event).empty());
    EXPECT_NE(Events::sentence(event).find(' '), std::string_view::npos);
    words.insert(Events::name(event));
    words.insert(Events::sentence(event));
  }
  EXPECT_EQ(words.size(), 2 * all.size());
}

TEST(Error, a_row_is_counted_from_one_for_people) {
  const thalweg::RowError error(41, "no good");
  EXPECT_EQ(error.row(), 41U);
  EXPECT_EQ(error.reason().text(), "no good");
  EXPECT_STREQ(error.what(), "row 42: no good");
}

}  // namespace test_events
