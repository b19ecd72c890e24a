// What cannot be read: refused with a fix, left out, or taken as missing; always counted, in file order.
#include "csv_text.hpp"

namespace thalweg {
namespace csv_errors {

using Kinds = std::map<std::string, std::uint64_t>;

struct Outcome {
  Rows rows;
  Faults faults;
};

Outcome read_with(const std::string& text, TableOptions options) {
  std::istringstream in(text);
  CsvSource source(in, std::move(options), "data.csv");
  Rows rows = read_all(source);
  return {std::move(rows), source.faults()};
}

const std::string holes = "x,y,w\n1,2,1\nabc,1e999,1\n3\n4,5,-1\n6,7,1\n8,9,1,1\n10,11,2\n";

TEST(CsvErrors, SkipLeavesRowsOutAndCountsThem) {
  const Outcome found = read_with(holes, {.weight_column = "w", .on_error = OnError::skip});
  expect_rows(found.rows, {{1, 2, 1}, {6, 7, 1}, {10, 11, 2}});
  EXPECT_EQ(found.faults.rows_skipped(), 4U);
  EXPECT_EQ(found.faults.cells_missing(), 0U);
  EXPECT_EQ(found.faults.kinds(),
            (Kinds{{"not a number", 1}, {"not a weight", 1}, {"wrong number of fields", 2}}));
  EXPECT_EQ(
      found.faults.first(),
      (std::vector<std::string>{
          "data.csv:3: column \"x\": \"abc\" is not a number",
          "data.csv:4: 1 field, expected 3 as in the header",
          "data.csv:5: weight column \"w\": \"-1\" is not a weight, expected a number from 0 on",
          "data.csv:7: 4 fields, expected 3 as in the header"}));
}

TEST(CsvErrors, MissingTakesCellsAsMissing) {
  const Outcome found = read_with(holes, {.weight_column = "w", .on_error = OnError::missing});
  expect_rows(found.rows, {{1, 2, 1}, {missing, missing, 1}, {6, 7, 1}, {10, 11, 2}});
  EXPECT_EQ(found.faults.rows_skipped(), 3U);
  EXPECT_EQ(found.faults.cells_missing(), 2U);
  EXPECT_EQ(found.faults.kinds(), (Kinds{{"not a number", 1},
                                         {"not a weight", 1},
                                         {"out of the range of numbers", 1},
                                         {"wrong number of fields", 2}}));
}

TEST(CsvErrors, ARowWithABadWeightIsOneFault) {
  const Outcome found =
      read_with("x,w\n1,1\nabc,many\n", {.weight_column = "w", .on_error = OnError::missing});
  EXPECT_EQ(found.faults.kinds(), (Kinds{{"not a weight", 1}}));
  EXPECT_EQ(found.faults.rows_skipped(), 1U);
  EXPECT_EQ(found.faults.cells_missing(), 0U);
}

TEST(CsvErrors, BadLabelsLoseTheirRows) {
  const std::string text = "x,k,w\n1,0,1\n2,5,2\n3,1,3\n4,b,4\n5,,5\n";
  for (const OnError on_error : {OnError::skip, OnError::missing}) {
    std::istringstream in(text);
    CsvSource source(in,
                     {.weight_column = "w",
                      .label_column = "k",
                      .labels = {.components = 2},
                      .on_error = on_error,
                      .keep_text = true},
                     "data.csv");
    Block block;
    ASSERT_TRUE(source.next(block));
    ASSERT_EQ(block.rows, 3U);
    EXPECT_EQ(block.row(1)[0], 3);
    EXPECT_EQ(block.side.weight[2], 5);
    EXPECT_EQ(block.side.label[1], 1);
    EXPECT_NE(block.side.label[2], block.side.label[2]);
    EXPECT_EQ(source.where(1), "data.csv:4");
    EXPECT_EQ(source.raw(2)[0], "5");
    EXPECT_FALSE(source.next(block));
    EXPECT_EQ(source.faults().kinds(), (Kinds{{"not a label", 2}}));
    EXPECT_TRUE(source.faults().first()[0].starts_with("data.csv:3: label column \"k\": \"5\" is"));
  }
}

TEST(CsvErrors, AnOpenQuoteStaysAnError) {
  const std::string message = "data.csv:3: a quoted field that begins here is never closed";
  for (const OnError on_error : {OnError::stop, OnError::skip, OnError::missing})
    EXPECT_TRUE(error_in("x,y\n1,2\n\"3,4\n", {.on_error = on_error}).starts_with(message));
}

TEST(CsvErrors, OnlyTheFirstFewAreToldWordForWord) {
  std::string text = "x\n1\n";
  for (int i = 0; i < 100; ++i) text += "w" + std::to_string(i) + "\n";
  const Outcome found = read_with(text, {.on_error = OnError::skip, .chunk_bytes = 16});
  ASSERT_EQ(found.faults.first().size(), Faults::shown);
  EXPECT_EQ(found.faults.first().back(), "data.csv:12: column \"x\": \"w9\" is not a number");
  EXPECT_EQ(found.faults.kinds(), (Kinds{{"not a number", 100}}));
}

TEST(CsvErrors, DecimalCommasAreNamed) {
  const std::string fix =
      " (a decimal comma is not read: write a point, or use on_error=missing to treat it as "
      "missing)";
  EXPECT_EQ(error_in("x,y\n1,\"1,5\"\n"),
            "data.csv:2: column \"y\": \"1,5\" is not a number" + fix);
  EXPECT_EQ(error_in("x;y\n1,5;2\n"), "data.csv:2: column \"x\": \"1,5\" is not a number" + fix);
  EXPECT_EQ(error_in("1,5;2,25\n3,5;4,5\n", {.header = false}),
            "data.csv:1: column \"c0\": \"1,5\" is not a number" + fix);
  EXPECT_EQ(read_text("x,y\n\"1,a\",2\n").columns, std::vector<std::string>{"y"});
}

TEST(CsvErrors, TheFirstInFileOrderIsTold) {
  const std::string text = "x,k\n1,0\n2,9\nabc,0\n";
  EXPECT_TRUE(error_in(text, {.label_column = "k", .labels = {.components = 2}})
                  .starts_with("data.csv:3: label column"));
  EXPECT_TRUE(error_in("x,k\n1,0\nabc,0\n2,9\n", {.label_column = "k", .labels = {.components = 2}})
                  .starts_with("data.csv:3: column \"x\""));
}

TEST(CsvDelimiter, IsSeenInTheFirstLines) {
  using Names = std::vector<std::string>;
  const auto columns = [](const std::string& text) { return read_text(text).columns; };
  EXPECT_EQ(columns("x;y\n1;2\n"), (Names{"x", "y"}));
  EXPECT_EQ(columns("x\ty\n1\t2\n"), (Names{"x", "y"}));
  EXPECT_EQ(columns("x|y|z\n1|2|3\n"), (Names{"x", "y", "z"}));
  EXPECT_EQ(columns("\n\n\"x;1\",\"y\"\n1,2\n"), (Names{"x;1", "y"})) << "quoted ones do not count";
  EXPECT_EQ(columns("x, y; z\n1,2\n"), (Names{"x", "y; z"})) << "only one agrees with the rows";
  EXPECT_EQ(columns("a;b,c\n1;2,3\n"), Names{"c"}) << "a comma when in doubt";
  EXPECT_EQ(columns("x y\n1\n"), Names{"x y"});
  EXPECT_EQ(columns("x|y\n1\n2\n"), Names{"x|y"}) << "one column stays one";
  EXPECT_EQ(columns("7\n8\n"), Names{"c0"});
  EXPECT_EQ(columns("1;2"), (Names{"c0", "c1"})) << "one line is all";
  EXPECT_THROW(read_text("x5y\n", {.delimiter = '5'}), UsageError);
}

TEST(CsvPicks, ByNameIndexOrRange) {
  using Names = std::vector<std::string>;
  const std::string text = "a,b,c,d,2\n1,2,3,4,5\n";
  const auto picked = [&](const Names& columns) {
    return read_text(text, {.columns = columns}).columns;
  };
  EXPECT_EQ(picked({"#3", "0"}), (Names{"d", "a"}));
  EXPECT_EQ(picked({"2"}), Names{"2"}) << "names win";
  EXPECT_EQ(picked({"#2"}), Names{"c"});
  EXPECT_EQ(picked({"1-3"}), (Names{"b", "c", "d"}));
  EXPECT_EQ(picked({"b:d", "a"}), (Names{"b", "c", "d", "a"}));
  EXPECT_EQ(picked({"#0:c"}), (Names{"a", "b", "c"}));
  const auto refused = [&](const std::string& column) {
    return error_in(text, {.columns = {column}});
  };
  const std::string there = " (columns: a, b, c, d, 2)";
  EXPECT_EQ(refused("5"), "data.csv: no column \"5\"" + there);
  EXPECT_EQ(refused("1-9"), "data.csv: no column \"1-9\"" + there);
  EXPECT_EQ(refused("#"), "data.csv: no column \"#\"" + there);
  EXPECT_EQ(refused("d:b"), "the range of columns \"d:b\" goes backwards");
  EXPECT_EQ(error_in(text, {.columns = {"a", "0-1"}}), "column \"a\" is picked twice");
  EXPECT_EQ(error_in(text, {.columns = {"0"}, .by_position = true}),
            "data.csv: no column \"0\"" + there)
      << "a model's columns are names";
}

}  // namespace csv_errors
}  // namespace thalweg
