// Which columns are read: headers, selection by name, text columns and weights.
#include "csv_text.hpp"

namespace thalweg {
namespace csv_columns {

using Names = std::vector<std::string>;

TEST(CsvColumns, DetectsTheHeader) {
  const auto header_in = [](const std::string& text, std::optional<bool> header) {
    std::istringstream in(text);
    const CsvSource source(in, {.header = header});
    EXPECT_EQ(source.header_detected(), !header);
    return source.has_header();
  };
  EXPECT_TRUE(header_in("x,2\n1,2\n", {}));
  EXPECT_FALSE(header_in("1,2\n1,2\n", {}));
  EXPECT_FALSE(header_in("1,NA\n1,2\n", {}));
  EXPECT_FALSE(header_in("1,\n1,2\n", {}));
  EXPECT_TRUE(header_in("2001,2002\n1,2\n", true));
  EXPECT_FALSE(header_in("1,2\n1,2\n", false));
}

TEST(CsvColumns, WithoutHeaderTheyAreNumbered) {
  const Content c = read_text("1,2,3\n4,5,6\n");
  EXPECT_EQ(c.columns, (Names{"c0", "c1", "c2"}));
  expect_rows(c.rows, {{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(read_text("2001,2002\n1,2\n", {.header = true}).columns, (Names{"2001", "2002"}));
  const Content forced = read_text("x,1\ny,2\n", {.header = false});
  EXPECT_EQ(forced.columns, Names{"c1"});
  expect_rows(forced.rows, {{1}, {2}});
}

TEST(CsvColumns, NamesLoseSpacesAndEmptyOnesAreNumbered) {
  const Content c = read_text("\"\", x ,\n1,2,3\n");
  EXPECT_EQ(c.columns, (Names{"c0", "x", "c2"}));
}

TEST(CsvColumns, PicksByNameInTheGivenOrder) {
  const Content c = read_text("a,b,c\n1,2,3\n4,5,6\n", {.columns = {"c", "a"}});
  EXPECT_EQ(c.columns, (Names{"c", "a"}));
  expect_rows(c.rows, {{3, 1}, {6, 4}});
}

TEST(CsvColumns, UnknownNamesAreAnsweredWithTheNearest) {
  EXPECT_EQ(error_in("length,width\n1,2\n", {.columns = {"lenght"}}),
            "data.csv: no column \"lenght\", did you mean \"length\"? (columns: length, width)");
  EXPECT_EQ(error_in("length,width\n1,2\n", {.columns = {"height"}}),
            "data.csv: no column \"height\" (columns: length, width)");
  EXPECT_EQ(error_in("length,width\n1,2\n", {.weight_column = "w8"}),
            "data.csv: no column \"w8\" (columns: length, width)");
  std::string wide = "a0";
  for (int i = 1; i < 30; ++i) wide += ",a" + std::to_string(i);
  EXPECT_TRUE(error_in(wide + "\n", {.columns = {"zzz"}}).ends_with("a18, a19 and 10 more)"));
}

TEST(CsvColumns, DuplicatesAreRefusedOnlyWhereTheyAreUsed) {
  const std::string refused =
      "data.csv: column \"x\" is twice in the header, as fields 1 and 3 (rename one, or pick "
      "other columns with columns)";
  EXPECT_EQ(error_in("x,y,x\n1,2,3\n"), refused);
  EXPECT_EQ(error_in("x,y,x\n1,2,3\n", {.columns = {"x"}}), refused);
  EXPECT_EQ(error_in("x,y,x\n1,2,3\n", {.columns = {"y"}, .weight_column = "x"}), refused);
  expect_rows(read_text("x,y,x\n1,2,3\n", {.columns = {"y"}}).rows, {{2}});
  expect_rows(read_text("x,y,x\na,2,b\n").rows, {{2}});
  EXPECT_THROW(read_text("x,y\n1,2\n", {.columns = {"y", "y"}}), UsageError);
}

TEST(CsvColumns, TextColumnsAreLeftOutAndNamed) {
  std::istringstream in("id,x,city,y,late\nA,1,,2,\nB,3,Oslo,4,\n");
  CsvSource source(in);
  EXPECT_EQ(source.schema().columns, (Names{"x", "y", "late"}));
  EXPECT_EQ(source.text_columns(), (Names{"id", "city"}));
  expect_rows(read_all(source), {{1, 2, missing}, {3, 4, missing}});
}

TEST(CsvColumns, TheFirstCellDecides) {
  EXPECT_EQ(
      error_in("x,y,hole\n1,2,\n3,word,\n"),
      "data.csv:3: column \"y\": \"word\" is not a number (use on_error=missing to treat it as "
      "missing)");
  EXPECT_EQ(read_text("x,y,hole\n1,word,\n3,4,\n").columns, (Names{"x", "hole"}));
}

TEST(CsvColumns, TheDecisionDoesNotDependOnTheBlockSize) {
  std::string text = "x,late_text,late_number\n";
  for (int i = 0; i < 100; ++i) text += "1,,\n";
  text += "2,word,7\n";
  for (const std::size_t block_rows : {1U, 2U, 7U, 8192U})
    EXPECT_EQ(read_text(text, {.block_rows = block_rows}).columns, (Names{"x", "late_number"}));
}

TEST(CsvColumns, AColumnEmptyForLongIsNumericAndTextInItIsRefused) {
  std::string text = "x,y\n";
  for (int i = 0; i < 1024; ++i) text += "1,\n";
  EXPECT_EQ(read_text(text + "2,3\n").rows.back(), (std::vector<double>{2, 3}));
  EXPECT_EQ(error_in(text + "2,word\n").substr(0, 34), "data.csv:1026: column \"y\": \"word\" ");
}

TEST(CsvColumns, NoNumericColumnIsAnError) {
  EXPECT_EQ(error_in("a,b\nu,v\n"),
            "data.csv: no numeric column, expected at least one (text: a, b; model="
            "categorical takes them)");
  EXPECT_EQ(error_in("w\n2\n", {.weight_column = "w"}),
            "data.csv: no column beside the weights \"w\", expected at least one with data");
}

TEST(CsvColumns, WeightsStandBesideTheData) {
  const std::string text = "x,w,y\n1,0.5,2\n3,0,4\n";
  const Content c = read_text(text, {.weight_column = "w"});
  EXPECT_EQ(c.columns, (Names{"x", "y"}));
  expect_rows(c.rows, {{1, 2, 0.5}, {3, 4, 0}});
  const Content picked = read_text(text, {.columns = {"y"}, .weight_column = "w"});
  EXPECT_EQ(picked.columns, Names{"y"});
  expect_rows(picked.rows, {{2, 0.5}, {4, 0}});
  EXPECT_EQ(error_in(text, {.columns = {"w", "y"}, .weight_column = "w"}),
            "column \"w\" cannot be data and weight at once");
}

TEST(CsvColumns, WeightsAreFiniteAndNotNegative) {
  for (const std::string cell : {"-1", "", "NaN", "inf", "1e400", "many"})
    EXPECT_EQ(error_in("x,w\n1,1\n2," + cell + "\n", {.weight_column = "w"}),
              "data.csv:3: weight column \"w\": \"" + cell +
                  "\" is not a weight, expected a number from 0 on (correct the cell, or use "
                  "on_error=skip to leave the row out)");
}

TEST(CsvColumns, RawFieldsAreKeptOnRequest) {
  std::istringstream in("id,,w,x\n\"a,1\",u,2, 1 \nb,v,1,NA\nc,,1,3\n");
  CsvSource source(in,
                   {.columns = {"x"}, .weight_column = "w", .keep_text = true, .block_rows = 2});
  EXPECT_EQ(source.raw_header(), (Names{"id", "c1", "w", "x"}));
  Block block;
  ASSERT_TRUE(source.next(block));
  EXPECT_EQ(source.raw(0), (Names{"a,1", "u", "2", " 1 "}));
  EXPECT_EQ(source.raw(1), (Names{"b", "v", "1", "NA"}));
  ASSERT_TRUE(source.next(block));
  EXPECT_EQ(source.raw(0), (Names{"c", "", "1", "3"}));
}

}  // namespace csv_columns
}  // namespace thalweg
