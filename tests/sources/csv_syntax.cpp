// Tables as text: quoting, line ends, numbers and what counts as missing.
#include "csv_text.hpp"

namespace thalweg {
namespace csv_syntax {

TEST(CsvSyntax, ReadsRowsUnderAHeader) {
  const Content c = read_text("x,y\n1,2\n-3.5,4e2\n");
  EXPECT_EQ(c.columns, (std::vector<std::string>{"x", "y"}));
  expect_rows(c.rows, {{1, 2}, {-3.5, 400}});
}

TEST(CsvSyntax, QuotedFieldsHoldDelimitersQuotesAndLineEnds) {
  const TableOptions options{.columns = {"x", "y,\"z\"\n"}, .keep_text = true};
  std::istringstream in("note,x,\"y,\"\"z\"\"\n\"\n\"a, \"\"b\"\"\r\nc\",1,\"2\"\n\"\",\"3\",4\n");
  CsvSource source(in, options);
  Block block;
  ASSERT_TRUE(source.next(block));
  ASSERT_EQ(block.rows, 2U);
  EXPECT_EQ(block.row(0)[1], 2);
  EXPECT_EQ(source.raw(0), (std::vector<std::string>{"a, \"b\"\r\nc", "1", "2"}));
  EXPECT_EQ(source.raw(1), (std::vector<std::string>{"", "3", "4"}));
}

TEST(CsvSyntax, QuotesInsideAndBehindFieldsAreText) {
  std::istringstream in("a,b,x\n5\" pipe,\"q\"tail,1\n \"s\",\"\",2\n");
  CsvSource source(in, {.columns = {"x"}, .keep_text = true});
  Block block;
  ASSERT_TRUE(source.next(block));
  EXPECT_EQ(source.raw(0), (std::vector<std::string>{"5\" pipe", "qtail", "1"}));
  EXPECT_EQ(source.raw(1), (std::vector<std::string>{" \"s\"", "", "2"}));
}

TEST(CsvSyntax, EveryLineEndWorks) {
  const Rows expected = {{1, 2}, {3, 4}};
  expect_rows(read_text("x,y\n1,2\n3,4\n").rows, expected);
  expect_rows(read_text("x,y\r\n1,2\r\n3,4\r\n").rows, expected);
  expect_rows(read_text("x,y\r1,2\r3,4\r").rows, expected);
  expect_rows(read_text("x,y\n1,2\r\n3,4").rows, expected);
  expect_rows(read_text("x,y\r\n1,2\r\n\"3\",\"4\"").rows, expected);
}

TEST(CsvSyntax, SkipsTheByteOrderMarkAndBlankLines) {
  const Content c = read_text("\xef\xbb\xbf\r\n\nx,y\n\n1,2\n \t\n\n3,4\n\n");
  EXPECT_EQ(c.columns, (std::vector<std::string>{"x", "y"}));
  expect_rows(c.rows, {{1, 2}, {3, 4}});
  expect_rows(read_text("\xef\xbb\xbf"
                        "7\n8")
                  .rows,
              {{7}, {8}});
}

TEST(CsvSyntax, AQuotedNothingIsARowOfItsOwn) {
  expect_rows(read_text("x\n1\n\"\"\n2\n").rows, {{1}, {missing}, {2}});
}

TEST(CsvSyntax, ReadsNumbersOfEverySort) {
  expect_rows(read_text("x,y\n+.5, 1e-320 \n-0,\t2.\t\n\" 7 \",1E+3\n").rows,
              {{.5, 1e-320}, {-0.0, 2}, {7, 1000}});
}

TEST(CsvSyntax, EmptyNaAndNanAreMissing) {
  expect_rows(read_text("x,y\n1,1\n,NA\nna,NaN\nnan,nAn\n\"\",\"NA\"\n  , NA \n").rows,
              {{1, 1},
               {missing, missing},
               {missing, missing},
               {missing, missing},
               {missing, missing},
               {missing, missing}});
}

TEST(CsvSyntax, OtherTextIsNotANumber) {
  const std::string fix = " (use on_error=missing to treat it as missing)";
  for (const std::string cell :
       {"abc", "1 2", "0x10", "1e", "--1", "+-1", "-nan", "nan(1)", "N/A", "."})
    EXPECT_EQ(error_in("x,y\n1,1\n2,\"" + cell + "\"\n"),
              "data.csv:3: column \"y\": \"" + cell + "\" is not a number" + fix);
  EXPECT_EQ(error_in(std::string("x\n1\n1\0\n", 7)),
            "data.csv:3: column \"x\": \"1\\x00\" is not a number" + fix);
  EXPECT_EQ(error_in("x\n1\n\"a\nb\"\n"),
            "data.csv:3: column \"x\": \"a\\nb\" is not a number" + fix);
}

TEST(CsvSyntax, InfinitiesAndOverflowAreRefusedWhereverTheyStand) {
  const std::string fix = " (use on_error=missing to treat it as missing)";
  for (const std::string cell : {"inf", "-Inf", "infinity", "1e400", "-1e999"}) {
    EXPECT_EQ(error_in("x,y\n1,1\n" + cell + ",2\n"),
              "data.csv:3: column \"x\": \"" + cell + "\" is out of the range of numbers" + fix);
    EXPECT_EQ(error_in("x,y\n" + cell + ",2\n"),
              "data.csv:2: column \"x\": \"" + cell + "\" is out of the range of numbers" + fix);
    EXPECT_EQ(error_in(cell + ",2\n"),
              "data.csv:1: column \"c0\": \"" + cell + "\" is out of the range of numbers" + fix);
  }
}

TEST(CsvSyntax, LongCellsAreShortenedInMessages) {
  std::string umlauts;
  for (int i = 0; i < 50; ++i) umlauts += "ü";
  const std::string message = error_in("x\n1\na" + umlauts + "\n");
  EXPECT_NE(message.find("ü…\" is not a number"), std::string::npos) << message;
}

TEST(CsvSyntax, RaggedRowsNameTheirLine) {
  const std::string fix = " (use on_error=skip to leave such rows out)";
  EXPECT_EQ(error_in("a,b,c,d\n1,2,3,4\n\n\"1\n\",2,3,4\n1,2,3\n", {.columns = {"b"}}),
            "data.csv:6: 3 fields, expected 4 as in the header" + fix);
  EXPECT_EQ(error_in("1,2\n3\n"), "data.csv:2: 1 field, expected 2 as in the first row" + fix);
  EXPECT_EQ(error_in("a,b\n1,2,\n"), "data.csv:2: 3 fields, expected 2 as in the header" + fix);
}

TEST(CsvSyntax, AnOpenQuoteIsFoundWhereItOpened) {
  EXPECT_EQ(error_in("a,b\n1,2\n3,\"4\n5,6\n"),
            "data.csv:3: a quoted field that begins here is never closed (close it with \", and "
            "write a quote inside it twice)");
  EXPECT_EQ(error_in("a,b\n1,2\n\"x\ny\",\"4\n5,6\n", {.columns = {"b"}}).substr(0, 26),
            "data.csv:4: a quoted field");
  const std::string tail(2000, 'z');
  EXPECT_EQ(error_in("a,b\n1,2\n3,\"4" + tail, {.row_bytes = 1000}),
            "data.csv:3: a quoted field that begins here is not closed within 1000 bytes");
}

TEST(CsvSyntax, RowsWithoutEndAreRefused) {
  const std::string refused = ": row longer than 1000 bytes, expected lines of text";
  EXPECT_EQ(error_in("a\n" + std::string(2000, '1'), {.row_bytes = 1000}), "data.csv:2" + refused);
  EXPECT_EQ(error_in(std::string(2000, ','), {.row_bytes = 1000}), "data.csv:1" + refused);
}

TEST(CsvSyntax, AnyDelimiterButTheOnesThatCannotBe) {
  expect_rows(read_text("x;y\n1;2\n", {.delimiter = ';'}).rows, {{1, 2}});
  expect_rows(read_text("x\ty\n1\t \n", {.delimiter = '\t'}).rows, {{1, missing}});
  EXPECT_THROW(read_text("x\n1\n", {.delimiter = '"'}), UsageError);
  EXPECT_THROW(read_text("x\n1\n", {.delimiter = '\n'}), UsageError);
  EXPECT_THROW(read_text("x\n1\n", {.block_rows = 0}), UsageError);
}

TEST(CsvSyntax, ChunksMayEndAnywhere) {
  // Fields, quotes and line ends of many lengths walk over the ends of the reader's chunks.
  std::string text = "x,note\r\n";
  Rows expected;
  for (int i = 0; i < 40000; ++i) {
    text += std::to_string(i) + ",\"" + std::string(static_cast<std::size_t>(i % 23), 'q') +
            "\"\"\r\n\"\r\n";
    expected.push_back({static_cast<double>(i)});
  }
  expect_rows(read_text(text).rows, expected);
}

}  // namespace csv_syntax
}  // namespace thalweg
