// gzip and zstd data: by content, several pieces as one, damaged and cut short, through files and pipes.
#include "reading.hpp"
#include <thalweg/sources/table_source.hpp>

#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

namespace thalweg {
namespace packed {

/// What a command of the system makes of a text: an independent writer.
std::string packed(const std::string& command, const std::string& text) {
  const TemporaryFile plain(text);
  const TemporaryFile result("");
  const std::string line = command + " < " + plain.path() + " > " + result.path();
  EXPECT_EQ(std::system(line.c_str()), 0) << line;  // NOLINT
  std::ostringstream bytes;
  bytes << std::ifstream(result.path(), std::ios::binary).rdbuf();
  return bytes.str();
}

Rows rows_of(const std::string& path, const TableOptions& options = {}) {
  return read_all(*open_table({path}, options));
}

std::string text_of(long first, long last) {
  std::string text;
  for (long i = first; i < last; ++i)
    text += std::to_string(i) + "," + std::to_string(i * i) + "\n";
  return text;
}

const char* const writers[] = {"gzip -c", "gzip -1 -c", "zstd -q -c", "zstd -q -19 -c"};

TEST(Packed, IsReadWhateverTheEnding) {
  const std::string text = "x,y\n" + text_of(0, 5000);
  const TemporaryFile plain(text);
  const Rows expected = rows_of(plain.path());
  ASSERT_EQ(expected.size(), 5000U);
  for (const char* writer : writers)
    for (const char* ending : {".csv", ".csv.gz", ".csv.zst", ".data"}) {
      const TemporaryFile file(packed(writer, text), ending);
      EXPECT_EQ(rows_of(file.path()), expected) << writer << ending;
    }
}

TEST(Packed, SeveralPiecesAreOne) {
  for (const char* writer : writers) {
    const TemporaryFile file(packed(writer, "x,y\n" + text_of(0, 10)) +
                             packed(writer, text_of(10, 3000)) + packed(writer, "") +
                             packed(writer, text_of(3000, 3001)));
    EXPECT_EQ(rows_of(file.path()).size(), 3001U) << writer;
  }
  const TemporaryFile padded(packed("gzip -c", "x,y\n1,2\n") + std::string(512, '\0'), ".csv.gz");
  EXPECT_EQ(rows_of(padded.path()), (Rows{{1, 2}}));
}

TEST(Packed, EveryCutIsRefusedInOneLine) {
  const std::string text = "x,y\n" + text_of(0, 300);
  for (const char* writer : {"gzip -c", "zstd -q -c"}) {
    const std::string whole = packed(writer, text);
    for (std::size_t size = 4; size < whole.size(); size += 37) {
      const TemporaryFile file(whole.substr(0, size), ".csv");
      const std::string what = error_of([&] { rows_of(file.path()); });
      EXPECT_NE(what.find("data end in the middle"), std::string::npos) << writer << what;
      EXPECT_TRUE(what.starts_with(file.path())) << what;
    }
  }
}

TEST(Packed, DamageIsRefusedInOneLine) {
  const std::string text = "x,y\n" + text_of(0, 3000);
  for (const char* writer : {"gzip -c", "zstd -q --check -c"}) {
    std::string bytes = packed(writer, text);
    for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 40; ++i)
      bytes[i] = static_cast<char>(~bytes[i]);
    const TemporaryFile file(bytes);
    const std::string what = error_of([&] { rows_of(file.path()); });
    EXPECT_TRUE(what.starts_with(file.path())) << what;
  }
  const TemporaryFile more(packed("gzip -c", "x,y\n1,2\n") + "and more");
  EXPECT_NE(error_of([&] { rows_of(more.path()); }).find("bytes behind the gzip data"),
            std::string::npos);
  const TemporaryFile more_zstd(packed("zstd -q -c", "x,y\n1,2\n") + "and more");
  EXPECT_NE(error_of([&] { rows_of(more_zstd.path()); }).find("bytes behind the zstd data"),
            std::string::npos);
}

TEST(Packed, RewindsAndTellsItsShareByPackedBytes) {
  const std::string text = "x,y\n" + text_of(0, 200000);
  const TemporaryFile file(packed("gzip -c", text), ".csv.gz");
  const auto source = open_table({file.path()});
  Block block;
  for (std::size_t rows = 0; rows < 100000; rows += block.rows) ASSERT_TRUE(source->next(block));
  EXPECT_GT(source->share_read().value(), 0.3);
  EXPECT_LT(source->share_read().value(), 0.8);
  ASSERT_TRUE(source->rewind());
  EXPECT_EQ(read_all(*source).size(), 200000U);
}

TEST(Packed, FifosAreReadToo) {
  for (const char* writer : {"gzip -c", "zstd -q -c"}) {
    const std::string bytes = packed(writer, "x,y\n" + text_of(0, 3000));
    const TemporaryFile name("");
    std::remove(name.path().c_str());
    ASSERT_EQ(::mkfifo(name.path().c_str(), 0600), 0);
    std::thread feeder([&] { std::ofstream(name.path(), std::ios::binary) << bytes; });
    const Rows rows = rows_of(name.path());
    feeder.join();
    EXPECT_EQ(rows.size(), 3000U);
  }
}

TEST(Packed, AVanishedFileIsNamed) {
  const TemporaryFile file("x\n1\n2\n");
  const auto source = open_table({file.path()});
  EXPECT_EQ(read_all(*source).size(), 2U);
  std::remove(file.path().c_str());
  EXPECT_EQ(
      error_of([&] { source->rewind(); }),
      file.path() + ": vanished after it had been found (leave inputs in place until the end)");
}

TEST(Packed, FollowedFilesGrow) {
  const TemporaryFile file("x\n1\n2\n");
  bool stop = false;
  const auto source = open_table({file.path()}, {.follow = true, .stop = [&stop] { return stop; }});
  Block block;
  ASSERT_TRUE(source->next(block));
  EXPECT_EQ(block.rows, 2U);
  const auto append = [&](const char* text) { std::ofstream(file.path(), std::ios::app) << text; };
  const auto next_cells = [&] {
    std::vector<double> cells;
    if (source->next(block))
      for (std::size_t t = 0; t < block.rows; ++t) cells.push_back(block.row(t)[0]);
    return cells;
  };
  append("3\n4");
  EXPECT_EQ(next_cells(), std::vector<double>{3});
  append("5\n");
  EXPECT_EQ(next_cells(), std::vector<double>{45}) << "half a row waits for the rest";
  EXPECT_FALSE(source->rewind());
  stop = true;
  EXPECT_FALSE(source->next(block));
}

TEST(Packed, FollowingEndsWhenTheFileIsReplaced) {
  const TemporaryFile file("x\n1\n2\n");
  const auto source = open_table({file.path()}, {.follow = true});
  Block block;
  ASSERT_TRUE(source->next(block));
  std::remove(file.path().c_str());
  EXPECT_FALSE(source->next(block));
}

}  // namespace packed
}  // namespace thalweg
