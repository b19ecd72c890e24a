// Rows limited, sampled, mixed and looked at: the same whatever the cut.
#include "reading.hpp"
#include "sources/detect.hpp"
#include "sources/sorted_hint.hpp"
#include <thalweg/sources/filtered.hpp>
#include <thalweg/sources/memory.hpp>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace thalweg {
namespace filters {

/// Row t is (t, 2 t) with weight t + 1.
Table numbered(std::size_t rows) {
  Table table(2);
  for (std::size_t t = 0; t < rows; ++t) {
    const double x = static_cast<double>(t);
    const double values[] = {x, 2 * x};
    table.append_row(values, x + 2);
  }
  return table;
}

MemorySource source_of(std::size_t rows, std::size_t block_rows) {
  return {Schema::numbered(2), numbered(rows), block_rows};
}

TEST(Filters, LimitedGivesTheFirstRowsAndAsksForNoMore) {
  for (const std::size_t block_rows : {1U, 7U, 0U}) {
    MemorySource all = source_of(50, block_rows);
    Limited limited(all, 10);
    const Rows rows = read_all(limited);
    ASSERT_EQ(rows.size(), 10U);
    EXPECT_EQ(rows[9], (std::vector<double>{9, 18, 11}));
    EXPECT_EQ(limited.share_read(), 1.0);
    ASSERT_TRUE(limited.rewind());
    EXPECT_EQ(read_all(limited), rows);
  }
  MemorySource few = source_of(5, 2);
  Limited limited(few, 10);
  EXPECT_EQ(read_all(limited).size(), 5U);
}

TEST(Filters, SampledKeepsTheSameRowsInEveryCut) {
  Rows expected;
  for (const std::size_t block_rows : {0U, 1U, 13U}) {
    MemorySource all = source_of(4000, block_rows);
    Sampled sampled(all, {.share = 0.25, .seed = 3});
    const Rows rows = read_all(sampled);
    if (expected.empty()) expected = rows;
    EXPECT_EQ(rows, expected);
    ASSERT_TRUE(sampled.rewind());
    EXPECT_EQ(read_all(sampled), expected);
  }
  // A binomial of mean 1000 and deviation 27.
  EXPECT_NEAR(static_cast<double>(expected.size()), 1000, 110);
  MemorySource all = source_of(4000, 0);
  Sampled other(all, {.share = 0.25, .seed = 4});
  EXPECT_NE(read_all(other), expected);
  EXPECT_THROW(Sampled(all, {.share = 0}), UsageError);
  EXPECT_THROW(Sampled(all, {.share = 1.5}), UsageError);
}

TEST(Filters, SampledNamesTheRowOfTheSource) {
  MemorySource all = source_of(100, 10);
  Sampled sampled(all, {.share = 0.5, .seed = 1});
  Block block;
  while (sampled.next(block))
    for (std::size_t t = 0; t < block.rows; ++t)
      EXPECT_EQ(sampled.where(block.first + t),
                "row " + std::to_string(static_cast<int>(block.row(t)[0]) + 1));
}

TEST(Filters, ShuffleBufferMixesEveryRowOnce) {
  Rows expected;
  for (const std::size_t block_rows : {0U, 1U, 13U}) {
    MemorySource all = source_of(1000, block_rows);
    ShuffleBuffer shuffled(all, {.rows = 100, .seed = 5});
    const Rows rows = read_all(shuffled);
    if (expected.empty()) expected = rows;
    EXPECT_EQ(rows, expected) << "independent of the cut";
  }
  ASSERT_EQ(expected.size(), 1000U);
  std::set<double> seen;
  double moved = 0;
  for (std::size_t t = 0; t < expected.size(); ++t) {
    const double x = expected[t][0];
    EXPECT_EQ(expected[t][1], 2 * x);
    EXPECT_EQ(expected[t][2], x + 2) << "the weight goes with its row";
    EXPECT_LE(x, static_cast<double>(t) + 100) << "no row comes before it was read";
    seen.insert(x);
    moved += std::abs(x - static_cast<double>(t));
  }
  EXPECT_EQ(seen.size(), 1000U);
  EXPECT_GT(moved / 1000, 40) << "rows wait for about as many as the buffer holds";
}

TEST(Filters, AShuffleBufferLargerThanTheInputShufflesAll) {
  MemorySource all = source_of(6, 4);
  ShuffleBuffer shuffled(all, {.rows = 100, .seed = 2});
  std::set<Rows> orders;
  for (int pass = 0; pass < 200; ++pass) {
    orders.insert(read_all(shuffled));
    ASSERT_TRUE(shuffled.rewind());
  }
  EXPECT_GT(orders.size(), 130U) << "of 720, in 200 passes: about 175 different ones";
}

TEST(Filters, PositionsOfLimitedAndSampled) {
  std::string text = "[0]\n";
  for (int i = 1; i < 500; ++i) text += "[" + std::to_string(i) + "]\n";
  const TemporaryFile file(text, ".jsonl");
  const auto open = [&] {
    return std::make_unique<FilteredTable>(open_table({file.path()}, {.block_rows = 20}),
                                           FilterOptions{.sample = 0.5, .limit = 100, .seed = 1});
  };
  const auto source = open();
  Block block;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(source->next(block));
  Archive archive;
  ASSERT_TRUE(source->save_position(archive));
  const Rows rest = read_all(*source);
  const auto again = open();
  again->load_position(archive);
  EXPECT_EQ(read_all(*again), rest);
  EXPECT_EQ(again->given(), 100U);
  FilteredTable shuffled(open_table({file.path()}), FilterOptions{.shuffle = 10});
  ASSERT_TRUE(shuffled.next(block));
  EXPECT_FALSE(shuffled.save_position(archive));
}

TEST(Filters, NoUsableRowIsAnError) {
  const TemporaryFile file("{\"x\":1}\n{\"x\":2}\n", ".jsonl");
  FilteredTable empty(open_table({file.path()}), FilterOptions{.sample = 1e-9});
  EXPECT_NE(error_of([&] { read_all(empty); }).find("no row of the input is in the sample"),
            std::string::npos);
  const TemporaryFile bad("{\"x\":\"a\",\"y\":1}\n", ".jsonl");
  FilteredTable skipped(open_table({bad.path()}, {.columns = {"x"}, .on_error = OnError::skip}),
                        {});
  EXPECT_NE(error_of([&] { read_all(skipped); }).find("no row could be used, 1 were skipped"),
            std::string::npos);
}

std::optional<std::string> hint(const Table& rows) {
  MemorySource source(Schema::numbered(rows.columns()), rows, 100);
  SortedHint sorted(source.schema());
  Observed observed(source, {&sorted});
  for (Block block; observed.next(block);) continue;
  return sorted.found();
}

TEST(Filters, SortedRowsAreNoticed) {
  EXPECT_EQ(hint(numbered(20000)), "column \"c0\" never falls in the first 10000 rows");
  EXPECT_EQ(hint(numbered(999)), std::nullopt) << "too few to say";
  Table falling(1);
  Table mixed(1);
  Table constant(1);
  Table runs(1);
  std::uint64_t state = 1;
  for (int t = 0; t < 5000; ++t) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const double noise = static_cast<double>(state >> 40U);
    const double x = -t;
    const double label = t / 1000;
    falling.append_row(&x);
    mixed.append_row(&noise);
    const double same = t < 2500 ? 1 : 2;
    constant.append_row(&same);
    Block row = dense_block(&noise, 1, 1);
    row.side.label = &label;
    runs.append(row);
  }
  EXPECT_EQ(hint(falling), "column \"c0\" never rises in the first 5000 rows");
  EXPECT_EQ(hint(mixed), std::nullopt);
  EXPECT_EQ(hint(constant), std::nullopt) << "one step is no order";
  EXPECT_EQ(hint(runs), "labels come in long runs in the first 5000 rows");
}

TEST(Detect, EndingsContentAndPatterns) {
  EXPECT_EQ(detect_file(TemporaryFile("x\n1\n", ".csv").path()).format->name, "csv");
  const auto kind = [](const std::string& text, const std::string& ending) {
    const TemporaryFile file(text, ending);
    return detect_file(file.path()).format->name;
  };
  EXPECT_EQ(kind("x", ".tsv"), "tsv");
  EXPECT_EQ(kind("x", ".ndjson"), "jsonl");
  EXPECT_EQ(kind("x", ".svm.gz"), "libsvm");
  EXPECT_EQ(kind(" {\"x\":1}\n", ".log"), "jsonl");
  EXPECT_EQ(kind("\x93NUMPY...", ".bin"), "npy");
  EXPECT_EQ(kind("1 2 3\n-1 0:1 1:2\n", ".txt"), "docs");
  EXPECT_EQ(kind("1 1:2 3:4\n", ".txt"), "libsvm");
  EXPECT_EQ(kind("1 2 3\n4 5 6\n", ".txt"), "csv");
  EXPECT_EQ(kind("a,b\n", ""), "csv");
  EXPECT_EQ(kind("", ""), "csv");
  const TemporaryFile a("x\n1\n", "-glob.csv");
  const TemporaryFile b("x\n2\n", "-glob.csv");
  const std::string pattern = a.path().substr(0, a.path().rfind('/')) + "/thalweg-" +
                              std::to_string(::getpid()) + "-*-glob.csv";
  EXPECT_EQ(expand_names({pattern}).size(), 2U);
  EXPECT_EQ(read_all(*open_table({pattern})).size(), 2U);
  EXPECT_EQ(error_of([] { open_table({"/no/such*"}); }), "/no/such*: no file matches");
  const TemporaryFile json("{\"x\":1}\n", ".jsonl");
  EXPECT_NE(error_of([&] {
              open_table({a.path(), json.path()});
            }).find("need one format"),
            std::string::npos);
  EXPECT_THROW(open_table({a.path()}, {.format = "xls"}), UsageError);
}

}  // namespace filters
}  // namespace thalweg
