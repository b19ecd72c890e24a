// Saved states: every kind of entry comes back bit for bit, and nothing damaged comes back at all.
#include <thalweg/core/archive.hpp>
#include <thalweg/core/error.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

namespace test_archive {

using thalweg::Archive;
using thalweg::Error;
using thalweg::Layout;
using thalweg::Piece;

std::shared_ptr<const Layout> layout(std::size_t size) {
  return std::make_shared<const Layout>(std::vector<Piece>{{.name = "x", .shape = {size}}});
}

const std::vector<double>& odd_numbers() {
  static const std::vector<double> numbers{
      0.0,
      -0.0,
      std::numeric_limits<double>::infinity(),
      -std::numeric_limits<double>::infinity(),
      std::numeric_limits<double>::denorm_min(),
      std::numeric_limits<double>::max(),
      std::bit_cast<double>(0x7ff8dead0000beefU),  // NaN with a payload
      std::bit_cast<double>(0xfff8000000000001U),
      0.1};
  return numbers;
}

std::vector<std::uint64_t> bits(std::span<const double> numbers) {
  std::vector<std::uint64_t> out;
  for (const double x : numbers) out.push_back(std::bit_cast<std::uint64_t>(x));
  return out;
}

std::string bytes(const Archive& archive) {
  std::ostringstream out;
  archive.write(out);
  return out.str();
}

Archive from(const std::string& bytes) {
  std::istringstream in(bytes);
  return Archive::read(in);
}

TEST(Archive, numbers_and_counts_return_bit_for_bit) {
  Archive archive;
  archive.put("numbers", odd_numbers());
  archive.put("none", std::vector<double>{});
  archive.put("one", -0.0);
  archive.put("counts", std::vector<std::uint64_t>{0, 1, ~std::uint64_t{0}});
  archive.put("count", std::uint64_t{1} << 63U);
  archive.put("", 5.0);
  const Archive back = from(bytes(archive));
  EXPECT_EQ(bits(back.numbers("numbers")), bits(odd_numbers()));
  EXPECT_TRUE(back.numbers("none").empty());
  EXPECT_TRUE(std::signbit(back.number("one")));
  EXPECT_EQ(back.counts("counts"), (std::vector<std::uint64_t>{0, 1, ~std::uint64_t{0}}));
  EXPECT_EQ(back.count("count"), std::uint64_t{1} << 63U);
  EXPECT_EQ(back.number(""), 5.0);
  EXPECT_EQ(bytes(back), bytes(archive));
}

TEST(Archive, vectors_of_em_return) {
  thalweg::Parameters theta(layout(odd_numbers().size()));
  std::copy(odd_numbers().begin(), odd_numbers().end(), theta.values().begin());
  thalweg::Statistic S(layout(3));
  S.data()[1] = 0.3;
  S.weight = 1e17;
  Archive archive;
  archive.put("theta", theta);
  archive.put("S", S);
  const Archive back = from(bytes(archive));
  thalweg::Parameters theta_back(theta.shared_layout());
  thalweg::Statistic S_back(S.shared_layout());
  back.get("theta", theta_back);
  back.get("S", S_back);
  EXPECT_EQ(bits(theta_back.values()), bits(theta.values()));
  EXPECT_EQ(bits(S_back.values()), bits(S.values()));
  EXPECT_EQ(S_back.weight, S.weight);
}

TEST(Archive, tables_return_with_and_without_weights) {
  const std::vector<double> values{1, 2, 3, std::nan(""), 5, 6};
  const std::vector<double> weights{0.5, 0, 2};
  thalweg::Block block = thalweg::dense_block(values.data(), 3, 2);
  thalweg::Table plain(2);
  plain.append(block);
  block.side.weight = weights.data();
  thalweg::Table weighted(2);
  weighted.append(block);
  const std::vector<double> labels(plain.rows(), 1.0);
  block.side.label = labels.data();
  thalweg::Table labelled(2);
  labelled.append(block);
  Archive archive;
  archive.put("labelled", labelled);
  archive.put("plain", plain);
  archive.put("weighted", weighted);
  archive.put("empty", thalweg::Table(4));
  const Archive back = from(bytes(archive));
  thalweg::Table table;
  back.get("plain", table);
  EXPECT_EQ(bits(table.values()), bits(values));
  EXPECT_FALSE(table.weighted());
  back.get("weighted", table);
  EXPECT_EQ(table.weights(), weights);
  EXPECT_FALSE(table.labelled());
  back.get("labelled", table);
  EXPECT_EQ(table.weights(), weights);
  EXPECT_EQ(table.labels(), labels);
  thalweg::Table wide;
  back.get("empty", wide);
  EXPECT_EQ(wide.columns(), 4U);
  EXPECT_TRUE(wide.empty());
}

TEST(Archive, nested_states_keep_apart) {
  Archive inner;
  inner.put("x", 1.0);
  inner.put("n", std::uint64_t{2});
  Archive outer;
  outer.put("a/", inner);
  inner.put("x", 3.0);
  outer.put("b/", inner);
  const Archive back = from(bytes(outer));
  EXPECT_EQ(back.nested("a/").number("x"), 1.0);
  EXPECT_EQ(back.nested("b/").number("x"), 3.0);
  EXPECT_EQ(back.nested("b/").count("n"), 2U);
  EXPECT_THROW(back.nested("c/").number("x"), Error);
}

TEST(Archive, what_is_missing_or_has_another_size_is_an_error) {
  Archive archive;
  archive.put("two", std::vector<double>{1, 2});
  archive.put("counts", std::vector<std::uint64_t>{1, 2});
  archive.put("table", thalweg::Table(3));
  archive.put("ragged", std::vector<double>{1, 2, 3});
  archive.put("ragged/weights", std::vector<double>{});
  archive.put("ragged/columns", std::uint64_t{2});
  EXPECT_THROW(archive.numbers("three"), Error);
  EXPECT_THROW(archive.counts("two"), Error);
  EXPECT_THROW(archive.number("two"), Error);
  EXPECT_THROW(archive.count("counts"), Error);
  thalweg::Parameters theta(layout(3));
  EXPECT_THROW(archive.get("two", theta), Error);
  thalweg::Statistic S(layout(2));
  EXPECT_THROW(archive.get("two", S), Error) << "has no weight";
  thalweg::Table table(2);
  EXPECT_THROW(archive.get("ragged", table), Error);
  archive.put("ragged", std::vector<double>{1, 2, 3, 4});
  EXPECT_NO_THROW(archive.get("ragged", table));
  archive.put("ragged/labels", std::vector<double>{0});
  EXPECT_THROW(archive.get("ragged", table), Error) << "fewer labels than rows";
  EXPECT_THROW(archive.get("table", table), Error) << "three columns do not fit into two";
}

}  // namespace test_archive
