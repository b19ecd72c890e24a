// Documents and libsvm text: dense and sparse rows, labels, widths, faults.
#include "csv_text.hpp"
#include <thalweg/sources/table_source.hpp>

#include <cmath>

namespace thalweg {
namespace sparse {

const std::string documents = "3 4 4\n0 1:2 3:1\n-1\n1 0:5 2:7\n";
const std::string vectors = "+1 1:0.5 3:-2 # first\n-1 2:1e3\n\n1\n";

Rows rows_of(const std::string& text, const std::string& ending, const TableOptions& options = {}) {
  const TemporaryFile file(text, ending);
  return read_all(*open_table({file.path()}, options));
}

std::string refusal(const std::string& text, const std::string& ending,
                    const TableOptions& options = {}) {
  const TemporaryFile file(text, ending);
  const std::string what = error_of([&] { read_all(*open_table({file.path()}, options)); });
  return what.starts_with(file.path()) ? what.substr(file.path().size()) : what;
}

TEST(Sparse, DocumentsBecomeDenseRows) {
  const Rows expected = {{0, 2, 0, 1}, {0, 0, 0, 0}, {5, 0, 7, 0}};
  EXPECT_EQ(rows_of(documents, ".docs"), expected);
  EXPECT_EQ(rows_of(documents, ".txt"), expected) << "by content";
  EXPECT_EQ(rows_of(documents, ".docs", {.block_rows = 1}), expected);
  EXPECT_EQ(rows_of(documents, ".docs", {.columns = {"c3", "c0"}}), (Rows{{1, 0}, {0, 0}, {0, 5}}));
}

TEST(Sparse, LabelsAreAColumnOfTheirOwn) {
  const TemporaryFile file(documents, ".docs");
  const auto source =
      open_table({file.path()}, {.label_column = "label", .labels = {.components = 2}});
  EXPECT_EQ(source->schema().width(), 4U);
  Block block;
  ASSERT_TRUE(source->next(block));
  EXPECT_EQ(block.side.label[0], 0);
  EXPECT_TRUE(std::isnan(block.side.label[1])) << "-1 is no label";
  EXPECT_EQ(block.side.label[2], 1);
}

TEST(Sparse, BlocksInCompressedForm) {
  const TemporaryFile file(documents, ".docs");
  const auto source = open_table({file.path()}, {.sparse = true});
  Block block;
  ASSERT_TRUE(source->next(block));
  EXPECT_EQ(block.rows, 3U);
  EXPECT_EQ(block.columns, 4U);
  EXPECT_EQ(std::vector<std::size_t>(block.sparse.starts, block.sparse.starts + 4),
            (std::vector<std::size_t>{0, 2, 2, 4}));
  EXPECT_EQ(std::vector<std::uint32_t>(block.sparse.columns, block.sparse.columns + 4),
            (std::vector<std::uint32_t>{1, 3, 0, 2}));
  EXPECT_EQ(std::vector<double>(block.sparse.values, block.sparse.values + 4),
            (std::vector<double>{2, 1, 5, 7}));
}

TEST(Sparse, LibsvmFindsItsWidth) {
  const TemporaryFile file(vectors, ".svm");
  const auto source = open_table({file.path()});
  EXPECT_EQ(source->schema().columns, (std::vector<std::string>{"c1", "c2", "c3"}));
  EXPECT_EQ(read_all(*source), (Rows{{0.5, 0, -2}, {0, 1000, 0}, {0, 0, 0}}));
  EXPECT_EQ(rows_of(vectors, ".libsvm", {.width = 4}).front(),
            (std::vector<double>{0.5, 0, -2, 0}));
  EXPECT_EQ(rows_of("0 0:1\n0 1:2\n", ".svm"), (Rows{{1, 0}, {0, 2}})) << "counted from 0";
  EXPECT_EQ(rows_of("0 3:1 1:2\n", ".svm"), (Rows{{2, 0, 1}})) << "any order";
}

TEST(Sparse, FaultsSayWhere) {
  EXPECT_TRUE(
      refusal("1 2 1\n0 5:1\n", ".docs")
          .starts_with(":2: \"5:1\" has an index out of range, expected an index from 0 to 1"));
  EXPECT_TRUE(
      refusal("1 2 1\n0 1:x\n", ".docs").starts_with(":2: column \"c1\": \"x\" is not a number"));
  EXPECT_TRUE(refusal("1 2 1\n0 1\n", ".docs").starts_with(":2: \"1\" is no entry"));
  EXPECT_TRUE(refusal("1 2 1\n0 1:1 1:2\n", ".docs").starts_with(":2: \"1\" is twice in the row"));
  EXPECT_TRUE(refusal("1 2 1\n1:1 1:2\n", ".docs").starts_with(":2: \"1:1\" is no label"));
  EXPECT_TRUE(refusal("x 2 1\n0 1:1\n", ".docs").starts_with(":1: \"x 2 1\", expected three"));
  EXPECT_TRUE(
      refusal("2 2 1\n0 1:1\n", ".docs").starts_with(": 1 documents only, the header says 2"));
  EXPECT_TRUE(refusal("1 2 1\n0 1:1\n0 1:1\n", ".docs").starts_with(": 2 documents, the header"));
  EXPECT_TRUE(refusal("1 99999999999 1\n0 1:1\n", ".docs").starts_with(": 99999999999 columns"));
  EXPECT_TRUE(refusal("", ".docs").starts_with(": empty"));
  EXPECT_EQ(rows_of("3 2 1\n0 1:1\n0 9:1\n0 1:x\n", ".docs", {.on_error = OnError::skip}),
            (Rows{{0, 1}}));
  expect_rows(rows_of("3 2 1\n0 1:1\n0 9:1\n0 1:x\n", ".docs", {.on_error = OnError::missing}),
              {{0, 1}, {0, missing}});
}

TEST(Sparse, SeveralFilesAndPositions) {
  const TemporaryFile a(documents, ".docs");
  const TemporaryFile b("1 4 1\n0 3:9\n", ".docs");
  const auto source = open_table({a.path(), b.path()}, {.block_rows = 1});
  Block block;
  ASSERT_TRUE(source->next(block));
  Archive archive;
  ASSERT_TRUE(source->save_position(archive));
  const Rows rest = read_all(*source);
  EXPECT_EQ(rest, (Rows{{0, 0, 0, 0}, {5, 0, 7, 0}, {0, 0, 0, 9}}));
  const auto again = open_table({a.path(), b.path()}, {.block_rows = 1});
  again->load_position(archive);
  EXPECT_EQ(read_all(*again), rest);
  ASSERT_TRUE(again->rewind());
  EXPECT_EQ(read_all(*again).size(), 4U);
  const TemporaryFile c("1 5 1\n0 3:9\n", ".docs");
  EXPECT_NE(error_of([&] {
              read_all(*open_table({a.path(), c.path()}));
            }).find("5 words"),
            std::string::npos);
}

}  // namespace sparse
}  // namespace thalweg
