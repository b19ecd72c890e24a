// Positions: a source that goes on elsewhere gives the rows that would have followed, and refuses other files.
#include "csv_text.hpp"

#include <bit>

namespace thalweg {
namespace csv_position {

std::string numbered_table(std::size_t rows) {
  std::string text = "x,note,k\n";
  for (std::size_t i = 0; i < rows; ++i) {
    if (i % 11 == 5) text += "bad,,a\n";
    if (i % 7 == 3) text += "\r\n";
    text += std::to_string(i) + ".25," + (i % 5 == 0 ? "\"a\n,\"\"\"" : "b") + "," +
            std::string(1, static_cast<char>('a' + i * i % 7)) + (i % 3 == 0 ? "\r\n" : "\n");
  }
  return text;
}

struct Rest {
  std::vector<std::string> rows;  // place, bits and label of each
  std::vector<std::string> labels;
  std::vector<std::string> faults;
  std::uint64_t skipped = 0;
  bool operator==(const Rest&) const = default;
};

Rest rest_of(CsvSource& source) {
  Rest rest;
  Block block;
  while (source.next(block))
    for (std::size_t t = 0; t < block.rows; ++t)
      rest.rows.push_back(std::to_string(block.first + t) + source.where(block.first + t) + " " +
                          std::to_string(std::bit_cast<std::uint64_t>(block.row(t)[0])) + " " +
                          std::to_string(block.side.label[t]));
  rest.labels = source.label_names();
  rest.faults = source.faults().first();
  rest.skipped = source.faults().rows_skipped();
  return rest;
}

TEST(CsvPosition, TheRowsThatWouldHaveFollowed) {
  const TemporaryFile a(numbered_table(60));
  const TemporaryFile b(numbered_table(40));
  for (const OnError on_error : {OnError::skip, OnError::missing})
    for (const std::size_t threads : {1U, 3U})
      for (const std::size_t block_rows : {1U, 7U, 8192U}) {
        const TableOptions options{.columns = {"x"},
                                   .label_column = "k",
                                   .on_error = on_error,
                                   .block_rows = block_rows,
                                   .threads = threads,
                                   .chunk_bytes = 200};
        CsvSource source({a.path(), b.path()}, options);
        for (bool more = true; more;) {
          Archive archive;
          ASSERT_TRUE(source.save_position(archive));
          CsvSource expected({a.path(), b.path()}, options);
          expected.load_position(archive);
          Archive again;
          ASSERT_TRUE(expected.save_position(again)) << "a position can be saved as soon as loaded";
          CsvSource other({a.path(), b.path()}, options);
          other.load_position(again);
          const Rest rest = rest_of(expected);
          EXPECT_EQ(rest, rest_of(other));
          CsvSource whole({a.path(), b.path()}, options);
          const Rest all = rest_of(whole);
          EXPECT_EQ(rest.labels, all.labels);
          EXPECT_EQ(rest.faults, all.faults);
          EXPECT_EQ(rest.skipped, all.skipped);
          ASSERT_LE(rest.rows.size(), all.rows.size());
          EXPECT_TRUE(std::equal(rest.rows.rbegin(), rest.rows.rend(), all.rows.rbegin()));
          Block block;
          more = source.next(block);
          if (more) {
            EXPECT_EQ(rest.rows.size(), all.rows.size() - block.first);
          } else {
            EXPECT_TRUE(rest.rows.empty());
          }
        }
      }
}

TEST(CsvPosition, TheBeginningAndTheEndArePositionsToo) {
  const TemporaryFile file("x\n1\n2\n");
  CsvSource source = csv(file.path());
  Archive begin;
  ASSERT_TRUE(source.save_position(begin));
  expect_rows(read_all(source), {{1}, {2}});
  Archive end;
  ASSERT_TRUE(source.save_position(end));
  source.load_position(begin);
  expect_rows(read_all(source), {{1}, {2}});
  source.load_position(end);
  EXPECT_TRUE(read_all(source).empty());
  ASSERT_TRUE(source.rewind());
  expect_rows(read_all(source), {{1}, {2}});
}

TEST(CsvPosition, WhatDecidedTheLabelsIsKept) {
  const TemporaryFile file("x,k\n1,3\n2,name\n");
  const TableOptions options{.label_column = "k", .block_rows = 1};
  CsvSource source = csv(file.path(), options);
  Block block;
  ASSERT_TRUE(source.next(block));
  Archive archive;
  ASSERT_TRUE(source.save_position(archive));
  CsvSource other = csv(file.path(), options);
  other.load_position(archive);
  EXPECT_NE(error_of([&] { other.next(block); }).find("is not a whole number"), std::string::npos);
}

TEST(CsvPosition, ChangedFilesAreRefused) {
  std::string text = numbered_table(5000);
  const TemporaryFile file(text);
  const TemporaryFile before("x,note,k\n1,,a\n");
  const std::vector<std::string> files = {before.path(), file.path()};
  const TableOptions options{.columns = {"x"}, .on_error = OnError::skip, .block_rows = 3000};
  CsvSource source(files, options);
  Block block;
  ASSERT_TRUE(source.next(block));
  ASSERT_TRUE(source.next(block));
  Archive archive;
  ASSERT_TRUE(source.save_position(archive));
  const auto refused = [&](const std::vector<std::string>& names) {
    return error_of([&] {
      CsvSource other(names, options);
      other.load_position(archive);
    });
  };
  const auto write = [](const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  };
  const std::string start = file.path() + ": is not the file the checkpoint was made with: ";
  EXPECT_EQ(refused(files), "(no error)");
  write(file.path(), text + "1,,a\n");
  EXPECT_EQ(refused(files), "(no error)") << "it may grow";
  std::string changed = text;
  changed[10] = '9';
  write(file.path(), changed);
  EXPECT_EQ(refused(files), start + "its first bytes have changed");
  write(file.path(), text.substr(0, 1000));
  EXPECT_TRUE(refused(files).starts_with(start + "it has 1000 bytes, and ")) << refused(files);
  write(file.path(), text);
  write(before.path(), "x,note,k\n");
  EXPECT_EQ(refused(files), before.path() +
                                ": is not the file the checkpoint was made with: it has 9 bytes, "
                                "expected 14");
  EXPECT_EQ(refused({file.path()}), start + "there were more files, at least 2");
}

TEST(CsvPosition, LongFilesAreComparedWhereTheyWereLeft) {
  std::string text = "x\n";
  for (int i = 0; i < 100'000; ++i) text += "123456\n";
  const TemporaryFile file(text);
  const TableOptions options{.block_rows = 90'000};
  CsvSource source = csv(file.path(), options);
  Block block;
  ASSERT_TRUE(source.next(block));
  Archive archive;
  ASSERT_TRUE(source.save_position(archive));
  text[7 * (block.rows - 100)] = '9';
  std::ofstream(file.path(), std::ios::binary) << text;
  CsvSource other = csv(file.path(), options);
  EXPECT_NE(error_of([&] { other.load_position(archive); }).find("what lies before line"),
            std::string::npos);
}

TEST(CsvPosition, StreamsHaveNone) {
  std::istringstream in("x\n1\n");
  const CsvSource source(in);
  Archive archive;
  EXPECT_FALSE(source.save_position(archive));
}

}  // namespace csv_position
}  // namespace thalweg
