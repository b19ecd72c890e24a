// npy files, written here byte by byte: types, orders, shapes, and what is refused.
#include "csv_text.hpp"
#include <thalweg/sources/table_source.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace thalweg {
namespace npy {

std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                bool fortran = false, int version = 1) {
  std::string header = "{'descr': '" + type +
                       "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (std::size_t i = 0; i < before - 8; ++i)
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xFFU);
  return bytes + header + data;
}

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers, bool swap = false) {
  std::string bytes;
  for (const Number& number : numbers) {
    std::string item(sizeof(Number), '\0');
    std::memcpy(item.data(), &number, sizeof(Number));
    if (swap) std::reverse(item.begin(), item.end());
    bytes += item;
  }
  return bytes;
}

Rows rows_of(const std::string& bytes, const TableOptions& options = {}) {
  const TemporaryFile file(bytes, ".npy");
  return read_all(*open_table({file.path()}, options));
}

std::string refusal(const std::string& bytes, const TableOptions& options = {}) {
  const TemporaryFile file(bytes, ".npy");
  const std::string what = error_of([&] { read_all(*open_table({file.path()}, options)); });
  return what.starts_with(file.path()) ? what.substr(file.path().size()) : what;
}

template <class Number>
void expect_type(const std::string& kind) {
  const std::vector<Number> numbers = {1, 2, 3, 4, 5, 6};
  const Rows expected = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(rows_of(npy("<" + kind, "(2, 3)", bytes_of(numbers))), expected) << kind;
  EXPECT_EQ(rows_of(npy(">" + kind, "(2, 3)", bytes_of(numbers, true))), expected) << kind;
  const std::vector<Number> by_column = {1, 4, 2, 5, 3, 6};
  EXPECT_EQ(rows_of(npy("<" + kind, "(2, 3)", bytes_of(by_column), true)), expected) << kind;
  EXPECT_EQ(rows_of(npy("<" + kind, "(6,)", bytes_of(numbers))),
            (Rows{{1}, {2}, {3}, {4}, {5}, {6}}));
}

TEST(Npy, EveryTypeAndOrder) {
  expect_type<double>("f8");
  expect_type<float>("f4");
  expect_type<std::int8_t>("i1");
  expect_type<std::int16_t>("i2");
  expect_type<std::int32_t>("i4");
  expect_type<std::int64_t>("i8");
  expect_type<std::uint8_t>("u1");
  expect_type<std::uint16_t>("u2");
  expect_type<std::uint32_t>("u4");
  expect_type<std::uint64_t>("u8");
  EXPECT_EQ(rows_of(npy("|b1", "(2, 2)", std::string("\0\1\1\0", 4))), (Rows{{0, 1}, {1, 0}}));
  EXPECT_EQ(rows_of(npy("<i2", "(2,)", bytes_of<std::int16_t>({-5, 7}))), (Rows{{-5}, {7}}));
}

TEST(Npy, EveryHeaderVersion) {
  for (const int version : {1, 2, 3})
    EXPECT_EQ(rows_of(npy("<f8", "(1, 2)", bytes_of<double>({1, 2}), false, version)),
              (Rows{{1, 2}}));
  EXPECT_NE(refusal(npy("<f8", "(1, 2)", bytes_of<double>({1, 2}), false, 4)).find("version 4"),
            std::string::npos);
}

TEST(Npy, EveryBlockSizeGivesTheSameRows) {
  std::vector<double> numbers(30000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<double>(i));
  const std::string shape = "(10000, 3)";
  const Rows expected = rows_of(npy("<f8", shape, bytes_of(numbers)));
  ASSERT_EQ(expected.size(), 10000U);
  EXPECT_EQ(expected[777][2], numbers[777 * 3 + 2]);
  for (const std::size_t rows : {1U, 7U, 8192U, 100000U})
    EXPECT_EQ(rows_of(npy("<f8", shape, bytes_of(numbers)), {.block_rows = rows}), expected);
}

TEST(Npy, RowsAreUsedWhereTheyLie) {
  const TemporaryFile file(npy("<f8", "(3, 2)", bytes_of<double>({1, 2, 3, 4, 5, 6})), ".npy");
  const auto source = open_table({file.path()}, {.block_rows = 2});
  Block first;
  Block second;
  ASSERT_TRUE(source->next(first));
  ASSERT_TRUE(source->next(second));
  EXPECT_EQ(second.values, first.values + 4) << "one map, no copy";
  EXPECT_EQ(source->where(2), file.path() + ": row 3");
  EXPECT_EQ(source->share_read(), 1.0);
  ASSERT_TRUE(source->rewind());
  EXPECT_EQ(read_all(*source).size(), 3U);
}

TEST(Npy, ColumnsWeightsAndLabelsByName) {
  const std::string data = npy("<f8", "(2, 3)", bytes_of<double>({1, 2, 0, 4, 5, 1}));
  EXPECT_EQ(rows_of(data, {.columns = {"c1"}}), (Rows{{2}, {5}}));
  EXPECT_EQ(rows_of(data, {.columns = {"c1", "c0"}, .weight_column = "c2"}),
            (Rows{{2, 1, 0}, {5, 4, 1}}));
  EXPECT_EQ(rows_of(data, {.weight_column = "c2"}), (Rows{{1, 2, 0}, {4, 5, 1}}));
  const TemporaryFile file(data, ".npy");
  Block block;
  const auto labelled = open_table({file.path()}, {.label_column = "c2"});
  ASSERT_TRUE(labelled->next(block));
  EXPECT_EQ(block.side.label[1], 1);
  EXPECT_EQ(refusal(data, {.columns = {"weight"}}), ": no column \"weight\" (columns: c0, c1, c2)");
}

TEST(Npy, InfinitiesAreRefusedNaNIsMissing) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::string data = npy("<f8", "(3, 2)", bytes_of<double>({1, missing, 3, -inf, 5, 6}));
  EXPECT_TRUE(refusal(data).starts_with(
      ": row 2: column \"c1\": \"-inf\" is out of the range of numbers ("));
  expect_rows(rows_of(data, {.on_error = OnError::skip}), {{1, missing}, {5, 6}});
  expect_rows(rows_of(data, {.on_error = OnError::missing}), {{1, missing}, {3, missing}, {5, 6}});
  const TemporaryFile file(data, ".npy");
  const auto source = open_table({file.path()}, {.on_error = OnError::skip});
  Block block;
  ASSERT_TRUE(source->next(block));
  EXPECT_EQ(source->where(1), file.path() + ": row 3");
  EXPECT_EQ(source->faults().rows_skipped(), 1U);
}

TEST(Npy, SeveralFilesAreOneStream) {
  const TemporaryFile a(npy("<f8", "(2, 2)", bytes_of<double>({1, 2, 3, 4})), ".npy");
  const TemporaryFile b(npy("<i4", "(1, 2)", bytes_of<std::int32_t>({5, 6})), ".npy");
  const auto source = open_table({a.path(), b.path()});
  EXPECT_EQ(read_all(*source), (Rows{{1, 2}, {3, 4}, {5, 6}}));
  ASSERT_TRUE(source->rewind());
  EXPECT_EQ(read_all(*source).size(), 3U);
  const TemporaryFile c(npy("<f8", "(1, 1)", bytes_of<double>({5})), ".npy");
  EXPECT_NE(error_of([&] {
              read_all(*open_table({a.path(), c.path()}));
            }).find("1 columns"),
            std::string::npos);
}

TEST(Npy, PositionsAreSavedAndFound) {
  std::vector<double> numbers(100);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  const TemporaryFile file(npy("<f8", "(100,)", bytes_of(numbers)), ".npy");
  const auto source = open_table({file.path()}, {.block_rows = 30});
  Block block;
  ASSERT_TRUE(source->next(block));
  Archive archive;
  ASSERT_TRUE(source->save_position(archive));
  const Rows rest = read_all(*source);
  const auto again = open_table({file.path()}, {.block_rows = 30});
  again->load_position(archive);
  EXPECT_EQ(read_all(*again), rest);
}

TEST(Npy, WhatIsNoTableIsRefused) {
  const std::string data = bytes_of<double>({1, 2, 3, 4});
  const std::string good = npy("<f8", "(2, 2)", data);
  for (const std::size_t size : {3U, 9U, 11U, 40U, 70U})
    EXPECT_TRUE(refusal(good.substr(0, size)).starts_with(": ")) << size;
  EXPECT_NE(refusal(good.substr(0, good.size() - 1)).find("cut short"), std::string::npos);
  EXPECT_NE(refusal(good + "x").find("1 bytes more"), std::string::npos);
  EXPECT_NE(refusal(npy("<f8", "(1, 2, 2)", data)).find("3 dimensions"), std::string::npos);
  EXPECT_NE(refusal(npy("<f8", "()", data)).find("0 dimensions"), std::string::npos);
  EXPECT_NE(refusal(npy("<f8", "(0, 2)", "")).find("expected rows"), std::string::npos);
  EXPECT_NE(refusal(npy("|O", "(2,)", data)).find("object array"), std::string::npos);
  EXPECT_NE(refusal(npy("<c16", "(2,)", data)).find("<c16"), std::string::npos);
  EXPECT_NE(refusal(npy("<f8", "(4611686018427387904, 4)", data)).find("no file can hold"),
            std::string::npos);
  EXPECT_NE(refusal(npy("<f8", "(2, 999999999)", data)).find("transposed"), std::string::npos);
  std::string structured = npy("<f8", "(2, 2)", data);
  structured.replace(structured.find("'<f8'"), 5, "[('a'");
  EXPECT_NE(refusal(structured).find("structured"), std::string::npos);
}

}  // namespace npy
}  // namespace thalweg
