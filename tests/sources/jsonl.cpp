// JSON lines: objects and arrays, types, missing keys, faults.
#include "csv_text.hpp"
#include <thalweg/sources/table_source.hpp>

namespace thalweg {
namespace jsonl {

struct Read {
  std::vector<std::string> columns;
  Rows rows;
  std::vector<std::string> text;
};

Read read_json(const std::string& text, const TableOptions& options = {}) {
  const TemporaryFile file(text, ".jsonl");
  const auto source = open_table({file.path()}, options);
  return {source->schema().columns, read_all(*source), source->text_columns()};
}

std::string refusal(const std::string& text, const TableOptions& options = {}) {
  const TemporaryFile file(text, ".jsonl");
  const std::string what = error_of([&] { read_all(*open_table({file.path()}, options)); });
  return what.starts_with(file.path()) ? what.substr(file.path().size()) : what;
}

TEST(Jsonl, KeysAreColumnsInTheOrderOfTheFirstLine) {
  const Read read = read_json("{\"b\": 1, \"a\": -2.5e-1}\r\n\n{\"a\": 3, \"b\": 4}\n{\"a\":5}");
  EXPECT_EQ(read.columns, (std::vector<std::string>{"b", "a"}));
  expect_rows(read.rows, {{1, -0.25}, {4, 3}, {missing, 5}});
}

TEST(Jsonl, ArraysHaveNumberedColumns) {
  const Read read = read_json("[1, 2]\n[null, 4]\n");
  EXPECT_EQ(read.columns, (std::vector<std::string>{"c0", "c1"}));
  expect_rows(read.rows, {{1, 2}, {missing, 4}});
}

TEST(Jsonl, ValuesOfEveryKind) {
  const Read read = read_json(
      "{\"n\":12345678901234567890123,\"s\":\" 7.5 "
      "\",\"t\":true,\"u\":\"word\",\"v\":{\"w\":[1,2]},"
      "\"x\":null,\"y\":NaN}\n"
      "{\"n\":1e-320,\"s\":\"NA\",\"t\":false,\"u\":\"\\u00e4\",\"v\":[],\"x\":2,\"y\":0}\n");
  EXPECT_EQ(read.columns, (std::vector<std::string>{"n", "s", "t", "x", "y"}));
  EXPECT_EQ(read.text, (std::vector<std::string>{"u", "v"}));
  expect_rows(read.rows,
              {{12345678901234567890123.0, 7.5, 1, missing, missing}, {1e-320, missing, 0, 2, 0}});
}

TEST(Jsonl, ColumnsWeightsAndLabels) {
  const std::string text =
      "{\"x\":1,\"w\":2,\"c\":\"a\"}\n{\"x\":3,\"w\":0.5,\"c\":\"b\",\"z\":9}\n";
  EXPECT_EQ(read_json(text, {.columns = {"x"}, .weight_column = "w"}).rows,
            (Rows{{1, 2}, {3, 0.5}}));
  EXPECT_EQ(read_json(text, {.columns = {"z"}, .on_error = OnError::skip}).rows.size(), 2U)
      << "a column that comes later";
  const TemporaryFile file(text, ".jsonl");
  const auto source = open_table({file.path()}, {.columns = {"x"}, .label_column = "c"});
  Block block;
  ASSERT_TRUE(source->next(block));
  EXPECT_EQ(block.side.label[1], 1);
  EXPECT_EQ(source->label_names(), (std::vector<std::string>{"a", "b"}));
}

TEST(Jsonl, FaultsSayWhere) {
  EXPECT_TRUE(refusal("{\"x\":1}\n{\"x\":\"abc\"}\n")
                  .starts_with(":2: column \"x\": \"abc\" is not a number ("));
  EXPECT_TRUE(refusal("{\"x\":1}\n{\"x\":1e400}\n")
                  .starts_with(":2: column \"x\": \"1e400\" is out of the range of numbers ("));
  EXPECT_TRUE(refusal("{\"x\":1}\n{\"x\":2\n").starts_with(":2: not JSON: "))
      << refusal("{\"x\":1}\n{\"x\":2\n");
  EXPECT_TRUE(
      refusal("{\"x\":1}\n{\"x\":2} {\"x\":3}\n").starts_with(":2: more behind the object"));
  EXPECT_TRUE(refusal("{\"x\":1}\n{\"x\":2,\"y\":3}\n").starts_with(":2: key \"y\", which"));
  EXPECT_TRUE(refusal("{\"x\":1}\n{\"x\":2,\"x\":3}\n").starts_with(":2: key \"x\" twice"));
  EXPECT_TRUE(refusal("[1,2]\n[3]\n").starts_with(":2: 1 value, expected 2"));
  EXPECT_TRUE(refusal("[1,2]\n{\"x\":3}\n").starts_with(":2: an object, expected an array"));
  EXPECT_TRUE(refusal("7\n").starts_with(":1: neither"));
  EXPECT_TRUE(refusal("").starts_with(": empty"));
  EXPECT_TRUE(refusal("{}\n").starts_with(":1: no values"));
  EXPECT_TRUE(refusal("{\"a\":\"x\"}\n").starts_with(": no numeric column"));
}

TEST(Jsonl, FaultsAreCounted) {
  const std::string text = "{\"x\":1}\n{\"x\":\"abc\"}\n{bad\n{\"x\":4}\n";
  const TemporaryFile file(text, ".jsonl");
  auto source = open_table({file.path()}, {.on_error = OnError::skip});
  expect_rows(read_all(*source), {{1}, {4}});
  EXPECT_EQ(source->faults().rows_skipped(), 2U);
  EXPECT_EQ(source->faults().kinds().at("is not a number"), 1U);
  ASSERT_TRUE(source->rewind());
  read_all(*source);
  EXPECT_EQ(source->faults().rows_skipped(), 2U) << "of one pass";
  source = open_table({file.path()}, {.on_error = OnError::missing});
  expect_rows(read_all(*source), {{1}, {missing}, {4}});
  EXPECT_EQ(source->faults().rows_skipped(), 1U);
  EXPECT_EQ(source->faults().cells_missing(), 1U);
  EXPECT_EQ(source->where(2), file.path() + ":4");
}

TEST(Jsonl, EveryBlockSizeAndPosition) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += "{\"x\":" + std::to_string(i) + ",\"y\":" + std::to_string(i % 7) + "}\n";
  const Rows expected = read_json(text).rows;
  ASSERT_EQ(expected.size(), 1000U);
  for (const std::size_t rows : {1U, 3U, 999U})
    EXPECT_EQ(read_json(text, {.block_rows = rows}).rows, expected);
  const TemporaryFile file(text, ".jsonl");
  const auto source = open_table({file.path()}, {.block_rows = 64});
  Block block;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(source->next(block));
  Archive archive;
  ASSERT_TRUE(source->save_position(archive));
  const Rows rest = read_all(*source);
  const auto again = open_table({file.path()}, {.block_rows = 64});
  again->load_position(archive);
  ASSERT_TRUE(again->next(block));
  EXPECT_EQ(block.first, 320U);
  EXPECT_EQ(again->where(320), file.path() + ":321");
  EXPECT_EQ(block.row(0)[0], rest[0][0]);
}

}  // namespace jsonl
}  // namespace thalweg
