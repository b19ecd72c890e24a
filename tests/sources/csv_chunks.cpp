// Chunks and threads: rows, places, faults and errors never depend on where the text is cut or on who parses it.
#include "csv_text.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <random>
#include <thread>

namespace thalweg {
namespace csv_chunks {

/// Everything that a source tells, as text; values by their bits.
std::string story(CsvSource& source) {
  std::string told;
  try {
    for (const std::string& name : source.schema().columns) told += name + ' ';
    Block block;
    while (source.next(block))
      for (std::size_t t = 0; t < block.rows; ++t) {
        told += "\n" + std::to_string(block.first + t) + " " + source.where(block.first + t);
        for (std::size_t j = 0; j < block.columns; ++j)
          told += " " + std::to_string(std::bit_cast<std::uint64_t>(block.row(t)[j]));
        if (block.side.weight) told += " w" + std::to_string(block.side.weight[t]);
        if (block.side.label) told += " k" + std::to_string(block.side.label[t]);
      }
  } catch (const Error& error) {
    told = std::string("\n") + error.what();  // how many rows came before depends on the blocks
  }
  for (const std::string& name : source.label_names()) told += "\nlabel " + name;
  for (const std::string& line : source.faults().first()) told += "\nfault " + line;
  for (const auto& [kind, count] : source.faults().kinds())
    told += "\n" + kind + " " + std::to_string(count);
  return told;
}

std::string story(const std::string& path, const TableOptions& options) {
  try {
    CsvSource source = csv(path, options);
    return story(source);
  } catch (const Error& error) {
    return std::string("\n") + error.what();
  }
}

const std::string tricky =
    "\xef\xbb\xbf\r\n \t\n\"na\nme\",w,k,x\r\n\"a\"\"\n\r\nb\",1,u,1.25\n\n\r5\" "
    "q,0.5,\"v\",\"-3\"\r"
    "\"\",2,NA,\" 7 \"\r\n\"tail\"s, 1 ,u,+.5\n,1,v,\n\r\n  \n\"x,y\",3,w,NaN\r\n12,1,,1e-320";

TEST(CsvChunks, EveryChunkSizeTellsTheSame) {
  const TemporaryFile file(tricky);
  for (const bool keep_text : {false, true}) {
    TableOptions options{
        .columns = {"x"}, .weight_column = "w", .label_column = "k", .keep_text = keep_text};
    const std::string whole = story(file.path(), options);
    EXPECT_NE(whole.find("label w"), std::string::npos) << whole;
    for (std::size_t bytes = 1; bytes <= tricky.size() + 1; ++bytes)
      for (const std::size_t threads : {1U, 2U}) {
        options.chunk_bytes = bytes;
        options.threads = threads;
        options.delimiter = ',';
        EXPECT_EQ(story(file.path(), options), whole) << bytes << " bytes, " << threads;
      }
  }
}

TEST(CsvChunks, EveryBeginningOfAFileIsReadOrRefusedAlike) {
  for (std::size_t length = 0; length <= tricky.size(); ++length) {
    const TemporaryFile file(tricky.substr(0, length));
    TableOptions options{.columns = {"x"}, .weight_column = "w"};
    const std::string whole = story(file.path(), options);
    for (const std::size_t bytes : {1U, 2U, 3U, 5U, 16U})
      for (const OnError on_error : {OnError::stop, OnError::missing}) {
        options.on_error = on_error;
        options.chunk_bytes = 1U << 20U;
        const std::string expected =
            on_error == OnError::stop ? whole : story(file.path(), options);
        options.chunk_bytes = bytes;
        options.threads = 1 + bytes % 3;
        EXPECT_EQ(story(file.path(), options), expected) << length << " of it in " << bytes;
      }
  }
}

/// A table with all sorts of rows, good and bad.
std::string mixed_table(std::size_t rows, unsigned seed, double bad) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return random() % n; };
  std::string text = "x,note,y,w,k\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const bool wrong = static_cast<double>(below(1'000'000)) < bad * 1e6;
    if (wrong && below(3) == 0) {
      text += "1,2\n";
      continue;
    }
    text += std::to_string(static_cast<int>(below(20000)) - 10000) + "." +
            std::to_string(below(1000)) + ",";
    text += std::array{"plain", "\"a,b\"", "\"l\n\"\"m\"", "", "5\""}[below(5)];
    text += std::array{",", ", ", ",-"}[below(3)] + std::to_string(below(1U << 31U)) + "." +
            std::to_string(below(1U << 31U));
    text += wrong ? std::array{",many,a", ",1,", "x,1,a"}[below(3)]
                  : std::array{",1,a", ",0.5,b", ",2,", ",1,c"}[below(4)];
    text += std::array{"\n", "\n", "\r\n", "\n\n"}[below(4)];
  }
  return text;
}

TEST(CsvChunks, ThreadsGiveTheSameBits) {
  for (const double bad : {0.0, 0.001}) {
    const TemporaryFile file(mixed_table(20000, 3, bad));
    for (const OnError on_error : {OnError::stop, OnError::skip, OnError::missing}) {
      TableOptions options{.weight_column = "w", .label_column = "k", .on_error = on_error};
      const std::string whole = story(file.path(), options);
      EXPECT_EQ(whole.find("fault") != std::string::npos, bad > 0 && on_error != OnError::stop);
      for (const std::size_t threads : {2U, 8U})
        for (const std::size_t bytes : {100U, 5000U, 100'000U}) {
          options.threads = threads;
          options.chunk_bytes = bytes;
          options.block_rows = bytes;
          EXPECT_EQ(story(file.path(), options), whole) << threads << " threads, " << bytes;
        }
    }
  }
}

TEST(CsvChunks, SeveralFilesInThreads) {
  const std::string text = mixed_table(3000, 5, 0);
  const TemporaryFile a(text);
  const TemporaryFile b(text);
  const TemporaryFile wrong("x,note,z,w,k\n");
  const TableOptions options{.threads = 3, .chunk_bytes = 1000};
  CsvSource both({a.path(), b.path()}, options);
  CsvSource alone({a.path(), b.path()});
  EXPECT_EQ(story(both), story(alone));
  CsvSource refused({a.path(), wrong.path()}, options);
  EXPECT_NE(story(refused).find("header with column \"z\""), std::string::npos);
}

TEST(CsvChunks, RewindInTheMiddleStartsAfresh) {
  const TemporaryFile file(mixed_table(20000, 4, 0.001));
  const TableOptions options{.on_error = OnError::skip, .threads = 3, .chunk_bytes = 2000};
  CsvSource source = csv(file.path(), options);
  const std::string whole = story(source);
  for (const int blocks : {0, 1, 5, 50}) {
    CsvSource again = csv(file.path(), options);
    Block block;
    for (int i = 0; i < blocks; ++i) ASSERT_TRUE(again.next(block));
    ASSERT_TRUE(again.rewind());
    EXPECT_EQ(story(again), whole) << blocks;
    ASSERT_TRUE(again.rewind()) << "a second pass counts no fault twice";
    EXPECT_EQ(story(again), whole) << blocks;
  }
}

TEST(CsvChunks, ASourceMayGoAtAnyTime) {
  const TemporaryFile file(mixed_table(20000, 6, 0.01));
  for (const int blocks : {0, 1, 2, 10}) {
    CsvSource source =
        csv(file.path(), {.on_error = OnError::skip, .threads = 4, .chunk_bytes = 1000});
    Block block;
    for (int i = 0; i < blocks; ++i) ASSERT_TRUE(source.next(block));
    CsvSource moved = std::move(source);
    ASSERT_TRUE(moved.next(block));
  }
}

TEST(CsvChunks, ASilentPipeHoldsNobodyUp) {
  const TemporaryFile name("");
  std::remove(name.path().c_str());
  ASSERT_EQ(::mkfifo(name.path().c_str(), 0600), 0);
  std::ofstream out;
  std::thread writer([&] {
    out.open(name.path());
    out << "x\n";
    for (int i = 0; i < 1000; ++i) out << i << "\n";
    out << "1000\n17" << std::flush;  // the last row is not complete
  });
  {
    CsvSource source = csv(name.path(), {.threads = 2, .chunk_bytes = 64});
    writer.join();
    Block block;
    std::uint64_t rows = 0;
    while (rows < 1001 && source.next(block)) rows += block.rows;
    EXPECT_EQ(rows, 1001U) << "all that are there come, though the pipe stays open";
  }  // and the source can go while its threads wait
  { out.close(); }
}

TEST(CsvChunks, StopEndsTheInputWhileThreadsWait) {
  const TemporaryFile name("");
  std::remove(name.path().c_str());
  ASSERT_EQ(::mkfifo(name.path().c_str(), 0600), 0);
  std::atomic<bool> enough = false;
  std::ofstream out;
  std::thread writer([&] {
    out.open(name.path());
    out << "x\n";
    for (int i = 0; i < 500; ++i) out << i << "\n";
    out << std::flush;
  });
  CsvSource source =
      csv(name.path(), {.threads = 2, .chunk_bytes = 64, .stop = [&] { return enough.load(); }});
  writer.join();
  Block block;
  std::uint64_t rows = 0;
  while (source.next(block)) {
    rows += block.rows;
    if (rows == 500) enough = true;
  }
  EXPECT_EQ(rows, 500U);
}

TEST(CsvChunks, WideAndLongRowsStayWithinTheirBound) {
  const TemporaryFile file("x\n1\n" + std::string(5000, '1') + "\n2\n");
  for (const std::size_t bytes : {1U, 100U, 10000U})
    EXPECT_EQ(story(file.path(), {.row_bytes = 1000, .threads = 2, .chunk_bytes = bytes}),
              "\n" + file.path() + ":3: row longer than 1000 bytes, expected lines of text");
}

}  // namespace csv_chunks
}  // namespace thalweg
