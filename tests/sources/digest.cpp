// The digest of rows notices every change of what a row carries, and no change of how rows are cut.
#include "sources/journal.hpp"
#include "spy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace digest {

using namespace thalweg;

RowDigest digest(const Block& rows, std::size_t cut = 1000) {
  RowDigest digest;
  for (std::size_t t = 0; t < rows.rows; t += cut)
    digest.add(rows.slice(t, std::min(cut, rows.rows - t)));
  return digest;
}

TEST(RowDigest, does_not_depend_on_the_cut) {
  for (const spy::Form form : {spy::Form::dense, spy::Form::sparse}) {
    const Table table = spy::rows({3, 1, 4, 2}, form);
    for (std::size_t cut = 1; cut < 10; ++cut)
      EXPECT_EQ(digest(table.block(), cut), digest(table.block()));
  }
}

TEST(RowDigest, notices_other_columns_beside_the_data) {
  const Table table = spy::rows({3, 1, 4, 2});
  const Block rows = table.block();
  const auto with = [&rows](SideColumns side) {
    Block other = rows;
    other.side = side;
    return digest(other);
  };
  const std::vector<double> sevens(rows.rows, 7.0);
  const std::vector<std::uint8_t> marks(rows.rows, 1);
  const SideColumns& side = rows.side;
  EXPECT_EQ(with(side), digest(rows));
  EXPECT_NE(with({sevens.data(), side.label, side.unit_start}), digest(rows));
  EXPECT_NE(with({side.weight, sevens.data(), side.unit_start}), digest(rows));
  EXPECT_NE(with({side.weight, side.label, marks.data()}), digest(rows));
  EXPECT_NE(with({side.weight, side.label, nullptr}), digest(rows));
}

TEST(RowDigest, notices_where_the_entries_of_sparse_rows_stand) {
  const std::vector<double> values{1, 2, 3};
  const auto of = [&values](const std::vector<std::size_t>& starts,
                            const std::vector<std::uint32_t>& columns) {
    Block rows{.rows = 2, .columns = 5};
    rows.sparse = {.starts = starts.data(), .columns = columns.data(), .values = values.data()};
    return digest(rows);
  };
  EXPECT_EQ(of({0, 2, 3}, {0, 1, 4}), of({0, 2, 3}, {0, 1, 4}));
  EXPECT_NE(of({0, 2, 3}, {0, 1, 4}), of({0, 1, 3}, {0, 1, 4})) << "other rows";
  EXPECT_NE(of({0, 2, 3}, {0, 1, 4}), of({0, 2, 3}, {0, 2, 4})) << "other columns";
}

}  // namespace digest
