// A table in a saved state keeps all that rows carry, is read as older versions wrote it, and is refused where it was damaged.
#include "spy.hpp"
#include <thalweg/core/archive.hpp>
#include <thalweg/core/error.hpp>

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace test_table_saved {

using namespace thalweg;

Archive written_and_read(const Archive& archive) {
  std::stringstream file;
  archive.write(file);
  return Archive::read(file);
}

TEST(TableSaved, comes_back_with_all_that_rows_carry) {
  for (const spy::Form form : {spy::Form::dense, spy::Form::sparse}) {
    const Table table = spy::rows({3, 1, 4, 2}, form);
    Archive archive;
    archive.put("rows", table);
    Table back(3);
    written_and_read(archive).get("rows", back);
    EXPECT_EQ(spy::rows_of(back.block()), spy::rows_of(table.block()));
    EXPECT_EQ(back.sparse(), form == spy::Form::sparse);
  }
}

TEST(TableSaved, keeps_the_number_of_its_first_row) {
  const std::vector<double> values{1, 2, 3};
  Block rows = dense_block(values.data(), 3, 1);
  rows.first = 40;
  Table table(1);
  table.append(rows);
  Archive archive;
  archive.put("rows", table);
  EXPECT_THROW(archive.counts("rows/numbers"), Error) << "they follow each other";
  Table back;
  archive.get("rows", back);
  EXPECT_EQ(back.block().number(2), 42U);
}

TEST(TableSaved, sparse_rows_may_all_be_empty) {
  const std::vector<std::size_t> starts{5, 5, 5};
  Block rows{.rows = 2, .columns = 4};
  rows.sparse.starts = starts.data();
  Table table(4);
  table.append(rows);
  Archive archive;
  archive.put("rows", table);
  Table back(4);
  written_and_read(archive).get("rows", back);
  EXPECT_EQ(back.rows(), 2U);
  EXPECT_TRUE(back.sparse());
}

/// What was written before tables knew units and numbers.
TEST(TableSaved, older_states_have_values_weights_and_labels) {
  Archive archive;
  archive.put("rows", std::vector<double>{1, 2, 3, 4});
  archive.put("rows/weights", std::vector<double>{});
  archive.put("rows/columns", std::uint64_t{2});
  Table back(2);
  archive.get("rows", back);
  EXPECT_EQ(back.values(), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_FALSE(back.weighted());
  Archive again;
  again.put("rows", back);
  std::stringstream before;
  std::stringstream after;
  archive.write(before);
  again.write(after);
  EXPECT_EQ(before.str(), after.str()) << "and such tables are still written so";
}

TEST(TableSaved, damage_is_refused) {
  using Counts = std::vector<std::uint64_t>;
  const auto refused = [](spy::Form form, const std::string& name, const Counts& counts) {
    Archive archive;
    archive.put("rows", spy::rows({2, 1}, form));
    archive.put(name, counts);
    Table back(3);
    EXPECT_THROW(archive.get("rows", back), Error) << name;
  };
  const auto dense = spy::Form::dense;
  const auto sparse = spy::Form::sparse;
  refused(dense, "rows/units", {1, 0});
  refused(dense, "rows/units", {1, 0, 256});
  refused(dense, "rows/numbers", {1, 2});
  refused(dense, "rows/columns", {0});
  refused(sparse, "rows/starts", {0, 0, 1, 2});
  refused(sparse, "rows/starts", {1, 1, 1, 4});
  refused(sparse, "rows/starts", {0, 2, 1, 4});
  refused(sparse, "rows/starts", {0, 99, 1, 4});
  refused(sparse, "rows/entries", {0, 0, 1, 3});
  refused(sparse, "rows/entries", {0});
}

}  // namespace test_table_saved
