// Messages: options are spelled by the face, advice that a face cannot follow is left out, and what users wrote is never read as a mention.
#include <thalweg/core/error.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace thalweg {
namespace test_message {

/// A face that has every option but `keep`.
Spelled shouted(const Mention& mention) {
  return {"<" + mention.option + (mention.value.empty() ? "" : ":" + mention.value) + ">",
          mention.option != "keep"};
}

const Error too_large("rows do not fit into " + option("keep"),
                      {"raise " + option("keep"), "use " + option("method", "online")});

TEST(Message, the_library_names_options_by_their_ids) {
  EXPECT_STREQ(too_large.what(), "rows do not fit into keep (raise keep, or use method=online)");
}

TEST(Message, a_face_spells_options_and_leaves_out_advice_that_it_cannot_follow) {
  EXPECT_EQ(too_large.message().text(shouted), "rows do not fit into <keep> (use <method:online>)");
  const Error hopeless("too large", {"raise " + option("keep")});
  EXPECT_EQ(hopeless.message().text(shouted), "too large");
}

TEST(Message, a_place_in_front_keeps_mentions_and_advice) {
  const Error placed("data.csv:3: " + too_large.message());
  EXPECT_EQ(placed.message().text(shouted),
            "data.csv:3: rows do not fit into <keep> (use <method:online>)");
  const RowError row(6, "needs " + option("width"));
  EXPECT_EQ(row.message().text(shouted), "row 7: needs <width>");
  EXPECT_EQ(row.reason().text(shouted), "needs <width>");
}

TEST(Message, what_a_user_wrote_is_no_mention) {
  const std::string cell = "{keep}";
  EXPECT_EQ(Message("cell \"" + cell + "\"").text(shouted), "cell \"{keep}\"");
}

TEST(Message, written_texts_mention_options_in_braces) {
  const Message message = Message::parse("as {method=batch}, up to {max_iterations}");
  EXPECT_EQ(message.text(shouted), "as <method:batch>, up to <max_iterations>");
  EXPECT_EQ(message.mentions().size(), 2U);
  EXPECT_EQ(Message::parse("an open { brace").text(), "an open { brace");
}

TEST(Message, an_error_is_copied_without_throwing) {
  EXPECT_TRUE(std::is_nothrow_copy_constructible_v<Error>);
}

}  // namespace test_message
}  // namespace thalweg
