// Files and pipes: several as one stream, places, rewinding, share read, bounded memory.
#include "csv_text.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <thread>

namespace thalweg {
namespace csv_files {

const std::string pieces =
    "x,w,note\r\n1,1,a\r\n\r\n\"2\",2,\"b\nc\"\r\n3,0.5,\r\n,1,\"d,\"\"\"\n5,1,e";

std::vector<std::string> places(CsvSource& source) {
  std::vector<std::string> result;
  for (const Block& block : source)
    for (std::size_t t = 0; t < block.rows; ++t) result.push_back(source.where(block.first + t));
  return result;
}

TEST(CsvFiles, EveryBlockSizeGivesTheSameRowsAndPlaces) {
  const TemporaryFile file(pieces);
  const std::string name = file.path() + ":";
  for (const std::size_t block_rows : {1U, 2U, 7U, 8192U}) {
    CsvSource source = csv(file.path(), {.weight_column = "w", .block_rows = block_rows});
    expect_rows(read_all(source), {{1, 1}, {2, 2}, {3, 0.5}, {missing, 1}, {5, 1}});
    ASSERT_TRUE(source.rewind());
    EXPECT_EQ(places(source), (std::vector<std::string>{name + "2", name + "4", name + "6",
                                                        name + "7", name + "8"}));
  }
}

TEST(CsvFiles, BlocksHaveTheSizeAskedFor) {
  std::istringstream in("x\n1\n2\n3\n");
  CsvSource source(in, {.block_rows = 2});
  Block block;
  ASSERT_TRUE(source.next(block));
  EXPECT_EQ(block.rows, 2U);
  EXPECT_EQ(source.where(1), "<stream>:3");
  EXPECT_EQ(source.where(2), "row 3") << "not in the current block";
  ASSERT_TRUE(source.next(block));
  EXPECT_EQ(block.first, 2U);
  EXPECT_EQ(source.where(2), "<stream>:4");
  EXPECT_EQ(source.where(1), "row 2");
  EXPECT_FALSE(source.next(block));
  EXPECT_EQ(source.where(2), "<stream>:4") << "the last block is remembered";
  EXPECT_FALSE(source.rewind());
  EXPECT_EQ(source.share_read(), std::nullopt);
  EXPECT_EQ(source.rows(), std::nullopt);
}

TEST(CsvFiles, FilesRewindAndTellTheirShare) {
  std::string text = "x\n";
  for (int i = 0; i < 999; ++i) text += "123456789\n";
  const TemporaryFile file(text);
  CsvSource source = csv(file.path(), {.block_rows = 500});
  EXPECT_EQ(source.rows(), std::nullopt);
  EXPECT_LT(source.share_read(), 0.01);
  Block block;
  ASSERT_TRUE(source.next(block));
  EXPECT_NEAR(source.share_read().value(), 0.5, 0.01);
  EXPECT_EQ(read_all(source).size(), 499U);
  EXPECT_EQ(source.share_read(), 1.0);
  ASSERT_TRUE(source.rewind());
  EXPECT_LT(source.share_read(), 0.01);
  ASSERT_TRUE(source.next(block));
  EXPECT_EQ(block.first, 0U);
  EXPECT_EQ(read_all(source).size(), 499U);
}

TEST(CsvFiles, RewindForgetsWhatWasReadAhead) {
  const TemporaryFile file("x,y\n1,\n2,\n3,7\n");
  CsvSource source = csv(file.path(), {.block_rows = 1});
  const Rows expected = {{1, missing}, {2, missing}, {3, 7}};
  ASSERT_TRUE(source.rewind());
  expect_rows(read_all(source), expected);
  ASSERT_TRUE(source.rewind());
  expect_rows(read_all(source), expected);
}

TEST(CsvFiles, SeveralAreOneStream) {
  const TemporaryFile a("x,y\n1,2\n");
  const TemporaryFile none("x,y\n");
  const TemporaryFile b("x\t y \n3\t4\n5\t6", ".tsv");
  CsvSource source({a.path(), none.path(), b.path()});
  expect_rows(read_all(source), {{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(source.share_read(), 1.0);
  ASSERT_TRUE(source.rewind());
  expect_rows(read_all(source), {{1, 2}, {3, 4}, {5, 6}});
  ASSERT_TRUE(source.rewind());
  EXPECT_EQ(places(source),
            (std::vector<std::string>{a.path() + ":2", b.path() + ":2", b.path() + ":3"}));

  CsvSource empty_first({none.path(), a.path()});
  expect_rows(read_all(empty_first), {{1, 2}});
}

TEST(CsvFiles, SeveralWithoutHeaderJoinToo) {
  const TemporaryFile a("1,2\n");
  const TemporaryFile b("3,4\n");
  CsvSource source({a.path(), b.path()});
  expect_rows(read_all(source), {{1, 2}, {3, 4}});
  const TemporaryFile c("3,4,5\n");
  EXPECT_EQ(error_of([&] {
              CsvSource wrong({a.path(), c.path()});
              read_all(wrong);
            }),
            c.path() +
                ":1: 3 fields, expected 2 as in the first row (use on_error=skip to leave "
                "such rows out)");
}

TEST(CsvFiles, HeadersMustAgree) {
  const TemporaryFile a("x,y\n1,2\n");
  const auto error_with = [&](const std::string& text) {
    const TemporaryFile b(text);
    std::string what = error_of([&] {
      CsvSource source({a.path(), b.path()});
      read_all(source);
    });
    EXPECT_TRUE(what.starts_with(b.path())) << what;
    return what.substr(b.path().size());
  };
  const std::string fix = " (files read together need the same columns)";
  EXPECT_EQ(error_with("x,z\n1,2\n"),
            ":1: header with column \"z\", expected \"y\" as in " + a.path() + fix);
  EXPECT_EQ(error_with("x,y,z\n1,2,3\n"),
            ":1: header with 3 columns, expected the 2 of " + a.path() + fix);
  EXPECT_EQ(error_with(""), ": empty, expected a header line and rows");
}

TEST(CsvFiles, WhatCannotBeReadIsRefusedByName) {
  EXPECT_EQ(error_of([] { csv("/no/such/data.csv"); }), "/no/such/data.csv: no such file");
  EXPECT_EQ(error_of([] { csv(""); }), "\"\": no such file");
  EXPECT_EQ(error_of([] { csv("/no/such\n.csv"); }), "/no/such\\n.csv: no such file");
  EXPECT_EQ(error_of([] { csv("/usr"); }), "/usr: is a directory, expected a file");
  EXPECT_EQ(error_of([] { csv("/dev/null/x"); }), "/dev/null/x: Not a directory");
  EXPECT_EQ(error_of([] { csv("/dev/null"); }),
            "/dev/null: empty, expected a header line and rows");
  const TemporaryFile a("x\n1\n");
  EXPECT_EQ(error_of([&] {
              CsvSource({a.path(), "/no/such"});
            }),
            "/no/such: no such file")
      << "before the first file is read";
  EXPECT_THROW(CsvSource({"-", a.path(), "-"}), UsageError);
}

TEST(CsvFiles, WhatCannotBeOpenedSaysWhy) {
  const TemporaryFile file("");
  std::remove(file.path().c_str());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(file.path().size(), sizeof address.sun_path);
  file.path().copy(address.sun_path, file.path().size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(error_of([&] { csv(file.path()); }), file.path() + ": No such device or address");
  ::close(socket);
}

TEST(CsvFiles, EmptyFilesSayWhatIsExpected) {
  EXPECT_EQ(error_in(""), "data.csv: empty, expected a header line and rows");
  EXPECT_EQ(error_in("\xef\xbb\xbf\n \n"), "data.csv: empty, expected a header line and rows");
  EXPECT_EQ(error_in("", {.header = false}), "data.csv: empty, expected rows");
  EXPECT_EQ(error_in("x,y\n"), "data.csv: no data rows after the header");
  EXPECT_EQ(error_in("x,y\n\n", {.columns = {"x"}}), "data.csv: no data rows after the header");
}

TEST(CsvFiles, TsvGoesByItsEnding) {
  const TemporaryFile tabs("x\ty\n1\t2\n", ".tsv");
  CsvSource source = csv(tabs.path());
  expect_rows(read_all(source), {{1, 2}});
  const TemporaryFile commas("x,y\n1,2\n", ".tsv");
  CsvSource other = csv(commas.path(), {.delimiter = ','});
  expect_rows(read_all(other), {{1, 2}});
}

TEST(CsvFiles, WorksInARangeLoopAndMoves) {
  const TemporaryFile file("x\n1\n2\n3\n");
  double sum = 0;
  for (const Block& block : csv(file.path(), {.block_rows = 2}))
    for (std::size_t t = 0; t < block.rows; ++t) sum += block.row(t)[0];
  EXPECT_EQ(sum, 6);
  CsvSource source = csv(file.path());
  CsvSource moved = std::move(source);
  EXPECT_EQ(read_all(moved).size(), 3U);
}

TEST(CsvFiles, WideRowsEndABlockEarly) {
  std::string row = "1";
  for (int i = 1; i < 100000; ++i) row += ",1";
  std::string text;
  for (int i = 0; i < 100; ++i) text += row + "\n";
  std::istringstream in(text);
  CsvSource source(in);
  Block block;
  ASSERT_TRUE(source.next(block));
  EXPECT_LT(block.rows, 50U);
  const std::size_t first = block.rows;
  EXPECT_EQ(first + read_all(source).size(), 100U);
}

/// Standard input for the length of a scope.
class StandardInput {
 public:
  explicit StandardInput(int file) : saved_(::dup(STDIN_FILENO)) { ::dup2(file, STDIN_FILENO); }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

TEST(CsvFiles, StandardInputIsReadOnce) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x\n1\n2\nz\n", 8), 8);
  ::close(ends[1]);
  {
    const StandardInput redirected(ends[0]);
    CsvSource source({"-"}, {.block_rows = 1});
    Block block;
    ASSERT_TRUE(source.next(block));
    EXPECT_EQ(source.where(0), "<stdin>:2");
    EXPECT_FALSE(source.rewind());
    EXPECT_EQ(source.share_read(), std::nullopt);
    ASSERT_TRUE(source.next(block));
    EXPECT_EQ(error_of([&] { source.next(block); }).substr(0, 10), "<stdin>:4:");
  }
  ::close(ends[0]);
}

TEST(CsvFiles, NoFileMeansStandardInputAndAFileBehindItTellsItsShare) {
  const TemporaryFile file("x\n1\n2\n");
  const int redirect = ::open(file.path().c_str(), O_RDONLY);
  {
    const StandardInput redirected(redirect);
    CsvSource source(std::vector<std::string>{});
    EXPECT_EQ(read_all(source).size(), 2U);
    EXPECT_EQ(source.share_read(), 1.0);
    EXPECT_FALSE(source.rewind());
  }
  ::close(redirect);
}

TEST(CsvFiles, MemoryStaysBoundedOverALongPipe) {
  const TemporaryFile name("");
  std::remove(name.path().c_str());
  ASSERT_EQ(::mkfifo(name.path().c_str(), 0600), 0);
  constexpr int lines = 2'000'000;
  std::thread writer([&] {
    std::ofstream out(name.path());
    out << "x,note\n";
    for (int i = 0; i < lines; ++i) out << i % 10 << ",\"a b\"\n";
  });
  CsvSource source = csv(name.path(), {.block_rows = 64});
  const auto peak_kilobytes = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  Block block;
  std::uint64_t rows = 0;
  long early = 0;
  while (source.next(block)) {
    rows += block.rows;
    if (early == 0 && rows >= 64000) early = peak_kilobytes();  // blocks may end early
  }
  writer.join();
  EXPECT_EQ(rows, static_cast<std::uint64_t>(lines));
  EXPECT_FALSE(source.rewind());
  EXPECT_LT(peak_kilobytes() - early, 4096) << "the data are 18 MB of text";
}

}  // namespace csv_files
}  // namespace thalweg
