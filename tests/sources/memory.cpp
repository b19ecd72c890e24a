// Rows in memory: every cut gives the same rows, owned or looked at.
#include "reading.hpp"
#include <thalweg/sources/memory.hpp>

#include <utility>

namespace thalweg {
namespace memory {

Table table_of(std::size_t rows, bool weighted) {
  Table table(2);
  for (std::size_t t = 0; t < rows; ++t) {
    const auto x = static_cast<double>(t);
    const double row[] = {x, -x};
    table.append_row(row, weighted ? x + 0.5 : 1.0);
  }
  return table;
}

TEST(MemorySource, GivesAllRowsInEveryCut) {
  const Table table = table_of(10, true);
  for (const std::size_t block_rows : {0U, 1U, 2U, 7U, 10U, 8192U}) {
    MemorySource owning(Schema{{"a", "b"}}, table, block_rows);
    MemorySource looking(Schema{{"a", "b"}}, table.block(), block_rows);
    const Rows rows = read_all(owning);
    ASSERT_EQ(rows.size(), 10U);
    EXPECT_EQ(rows[3], (std::vector<double>{3, -3, 3.5}));
    EXPECT_EQ(rows, read_all(looking));
  }
}

TEST(MemorySource, CutsWhereItIsTold) {
  MemorySource source(Schema::numbered(2), table_of(10, false), 4);
  Block block;
  std::vector<std::size_t> sizes;
  while (source.next(block)) {
    sizes.push_back(block.rows);
    EXPECT_EQ(block.row(0)[0], static_cast<double>(block.first));
    EXPECT_EQ(block.side.weight, nullptr);
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{4, 4, 2}));
}

TEST(MemorySource, KnowsItsLengthAndRewinds) {
  MemorySource source(Schema::numbered(2), table_of(10, false), 5);
  EXPECT_EQ(source.rows(), 10U);
  EXPECT_EQ(source.share_read(), 0.0);
  Block block;
  ASSERT_TRUE(source.next(block));
  EXPECT_EQ(source.share_read(), 0.5);
  EXPECT_EQ(source.where(6), "row 7");
  ASSERT_TRUE(source.rewind());
  EXPECT_EQ(source.share_read(), 0.0);
  EXPECT_EQ(read_all(source).size(), 10U);
}

TEST(MemorySource, LooksWithoutCopying) {
  const Table table = table_of(3, false);
  MemorySource source(Schema::numbered(2), table.block());
  Block block;
  ASSERT_TRUE(source.next(block));
  EXPECT_EQ(block.values, table.values().data());
}

TEST(MemorySource, CopiesOutliveTheOriginal) {
  auto original = std::make_unique<MemorySource>(Schema::numbered(2), table_of(3, false));
  MemorySource copy = *original;
  original.reset();
  EXPECT_EQ(read_all(copy).size(), 3U);
}

TEST(MemorySource, EmptyGivesNothing) {
  MemorySource source(Schema::numbered(2), Table(2));
  Block block;
  EXPECT_FALSE(source.next(block));
  EXPECT_EQ(source.rows(), 0U);
  EXPECT_EQ(source.share_read(), 1.0);
}

TEST(MemorySource, WorksInARangeLoop) {
  MemorySource source(Schema::numbered(2), table_of(9, false), 2);
  std::size_t rows = 0;
  for (const Block& block : source) rows += block.rows;
  EXPECT_EQ(rows, 9U);
}

}  // namespace memory
}  // namespace thalweg
