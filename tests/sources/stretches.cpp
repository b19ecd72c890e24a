// Inputs read from any place: every row once, numbered so that its line is found again; and rows that are mixed because they lie sorted.
#include "reading.hpp"
#include "sources/journal.hpp"
#include "sources/mixed_rows.hpp"
#include <thalweg/core/random.hpp>
#include <thalweg/sources/filtered.hpp>
#include <thalweg/sources/memory.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <sstream>

namespace thalweg {
namespace stretches {

/// The lines on which the rows lie, by the first cell of each.
using Lines = std::map<double, std::string>;

Lines in_stretches(Source& source, std::uint64_t bytes, bool backwards) {
  Lines lines;
  const std::uint64_t count = source.stretches(bytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    source.go_to_stretch({.number = backwards ? count - 1 - i : i, .bytes = bytes});
    for (Block block; source.next(block);)
      for (std::size_t t = 0; t < block.rows; ++t)
        EXPECT_TRUE(lines.emplace(block.row(t)[0], source.where(block.number(t))).second);
  }
  return lines;
}

Lines in_turn(Source& source) {
  Lines lines;
  for (const Block& block : source)
    for (std::size_t t = 0; t < block.rows; ++t)
      lines.emplace(block.row(t)[0], source.where(block.number(t)));
  return lines;
}

void expect_the_same(const std::function<std::unique_ptr<Source>()>& open) {
  const Lines expected = in_turn(*open());
  for (const std::uint64_t bytes : {1U, 7U, 64U, 1000U, 100000U})
    for (const bool backwards : {false, true}) {
      const auto source = open();
      EXPECT_EQ(in_stretches(*source, bytes, backwards), expected) << bytes << " bytes";
      ASSERT_TRUE(source->rewind());
      EXPECT_EQ(in_turn(*source), expected) << "rewind leaves the stretches";
    }
}

TEST(Stretches, TextWithLineEndsBetweenQuotes) {
  std::string text = "\xef\xbb\xbfx,\"a\nname\"\r\n";
  const std::vector<std::string> names = {"plain",    "\"quo\"\"ted\"", "\"two\nlines\"",
                                          "\"a,b\"",  "\"\"",           "\"x\"\"\n\"\"y\"",
                                          "in\"side", "\"\"\"\"",       "\"\n\n\""};
  for (int t = 0; t < 300; ++t) {
    const auto i = static_cast<std::uint64_t>(t);
    text += std::to_string(t) + "," + names[Random(5, i).index(names.size())] +
            (t % 3 == 0 ? "\r\n" : "\n") + (t % 50 == 0 ? "\n" : "");
  }
  const TemporaryFile file(text + "300,last", ".csv");
  const TemporaryFile other("x,\"a\nname\"\n1000,z\n1001,\"\n\"\n", ".csv");
  for (const std::size_t threads : {1U, 3U})
    expect_the_same([&] {
      return std::make_unique<CsvSource>(std::vector{file.path(), other.path()},
                                         TableOptions{.columns = {"x"}, .threads = threads});
    });
}

TEST(Stretches, WeightsSkippedRowsAndFaults) {
  std::string text = "x,w\n";
  for (int t = 0; t < 200; ++t)
    text += t % 17 == 5 ? "bad,1\n" : std::to_string(t) + "," + std::to_string(t % 5) + "\n";
  const TemporaryFile file(text, ".csv");
  const auto open = [&] {
    return std::make_unique<CsvSource>(
        std::vector{file.path()}, TableOptions{.weight_column = "w", .on_error = OnError::skip});
  };
  expect_the_same(open);
  const auto source = open();
  in_stretches(*source, 50, true);
  EXPECT_EQ(source->faults().rows_skipped(), 12U);
}

TEST(Stretches, JsonLines) {
  std::string text;
  for (int t = 0; t < 300; ++t)
    text +=
        "{\"x\": " + std::to_string(t) + ", \"s\": \"a \\\" b\"}" + (t % 7 == 0 ? "\r\n\n" : "\n");
  const TemporaryFile file(text + "{\"x\": 300}", ".jsonl");
  const TemporaryFile other("{\"x\": 400}\n", ".jsonl");
  expect_the_same([&] { return open_table({file.path(), other.path()}, {.columns = {"x"}}); });
}

TEST(Stretches, WhereNothingCanBeKnownThereAreNone) {
  const TemporaryFile file("x,s\n1,a\n2,a\n3,b\n", ".csv");
  const std::vector files = {file.path()};
  EXPECT_GT(CsvSource(files).stretches(4), 0U);
  EXPECT_EQ(CsvSource(files, {.label_column = "s"}).stretches(4), 0U);
  EXPECT_EQ(CsvSource(files, {.sequence_column = "s"}).stretches(4), 0U);
  std::istringstream in("x\n1\n2\n");
  EXPECT_EQ(CsvSource(in).stretches(4), 0U);
  FilteredTable limited(open_table(files), {.limit = 2});
  EXPECT_EQ(limited.stretches(4), 0U);
  FilteredTable sampled(open_table(files), {.sample = 0.5});
  EXPECT_EQ(sampled.stretches(4), 0U);
  FilteredTable shuffled(open_table(files), {.shuffle = 2});
  EXPECT_EQ(shuffled.stretches(4), 0U);
  FilteredTable plain(open_table(files), {});
  EXPECT_GT(plain.stretches(4), 0U);
}

std::string npy(std::size_t rows, double first) {
  std::string header =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", 2), }";
  header.resize(118 - 1, ' ');
  header += '\n';
  std::string text = "\x93NUMPY";
  text += '\x01';
  text += '\0';
  text += static_cast<char>(header.size());
  text += '\0';
  text += header;
  for (std::size_t t = 0; t < rows; ++t)
    for (const double value : {first + static_cast<double>(t), 1.0}) {
      char bytes[sizeof value];
      std::memcpy(bytes, &value, sizeof value);
      text.append(bytes, sizeof value);
    }
  return text;
}

TEST(Stretches, ArraysInFilesAndInMemory) {
  const TemporaryFile a(npy(101, 0), ".npy");
  const TemporaryFile b(npy(3, 500), ".npy");
  expect_the_same([&] { return open_table({a.path(), b.path()}); });
  Table rows(2);
  for (int t = 0; t < 77; ++t) {
    const double row[] = {static_cast<double>(t), 1};
    rows.append_row(row);
  }
  expect_the_same([&] {
    return std::make_unique<MemorySource>(Schema::numbered(2), rows.block(), std::size_t{10});
  });
}

/// Three classes, one after the other, and a column that says nothing.
Table classes(std::size_t rows) {
  Table table(2);
  for (std::size_t t = 0; t < rows; ++t) {
    Random random(9, t);
    const double row[] = {static_cast<double>(3 * t / rows) * 4 + random.uniform(),
                          random.uniform()};
    table.append_row(row);
  }
  return table;
}

struct Heard {
  std::vector<Remark> remarks;
  Tell tell = [this](const Remark& remark) { remarks.push_back(remark); };
};

std::vector<double> first_cells(Source& source) {
  std::vector<double> cells;
  for (const Block& block : source)
    for (std::size_t t = 0; t < block.rows; ++t) cells.push_back(block.row(t)[0]);
  return cells;
}

TEST(MixedRows, BlocksAreMixedAndEveryRowComesOnce) {
  const Table rows = classes(20000);
  MemorySource source(Schema::numbered(2), rows.block(), 100);
  std::vector<double> as_they_lie = first_cells(source);
  source.rewind();
  Heard heard;
  MixedRows mixed(source, {.keep = 100'000, .seed = 3, .tell = heard.tell});
  ASSERT_EQ(heard.remarks.size(), 1U);
  EXPECT_FALSE(heard.remarks[0].warning);
  EXPECT_NE(heard.remarks[0].text.text().find("column \"c0\" differs from part to part"),
            std::string::npos);
  std::vector<double> cells = first_cells(mixed);
  // Each class among the first tenth: 667 of 2,000 by chance. Rows come in some hundred stretches of 32, so that the standard deviation is
  // at most sqrt(32 * 2000 * 2 / 9) = 119.
  for (const double low : {0.0, 4.0, 8.0})
    EXPECT_NEAR(
        static_cast<double>(std::count_if(cells.begin(), cells.begin() + 2000,
                                          [low](double x) { return x >= low && x < low + 1; })),
        667, 600);
  ASSERT_TRUE(mixed.rewind());
  std::vector<double> again = first_cells(mixed);
  EXPECT_NE(again, cells) << "every pass has an order of its own";
  std::sort(again.begin(), again.end());
  std::sort(cells.begin(), cells.end());
  std::sort(as_they_lie.begin(), as_they_lie.end());
  EXPECT_EQ(cells, as_they_lie);
  EXPECT_EQ(again, cells);
}

TEST(MixedRows, WhatLooksMixedStaysAsItIs) {
  Table rows(2);
  for (std::size_t t = 0; t < 20000; ++t) {
    Random random(10, t);
    const double row[] = {random.uniform(), std::floor(3 * random.uniform())};
    rows.append_row(row);
  }
  MemorySource source(Schema::numbered(2), rows.block(), 100);
  const std::vector<double> as_they_lie = first_cells(source);
  source.rewind();
  Heard heard;
  MixedRows mixed(source, {.keep = 100'000, .tell = heard.tell});
  EXPECT_EQ(first_cells(mixed), as_they_lie);
  EXPECT_TRUE(heard.remarks.empty());
}

TEST(MixedRows, SmallInputsAreLeftToWhoMixesThem) {
  const Table rows = classes(2000);
  MemorySource source(Schema::numbered(2), rows.block(), 100);
  Heard heard;
  MixedRows mixed(source, {.keep = 1'000'000, .small_fits = true, .tell = heard.tell});
  EXPECT_TRUE(heard.remarks.empty());
}

TEST(MixedRows, TheRowOfTheSourceIsKnown) {
  const Table rows = classes(5000);
  MemorySource source(Schema::numbered(2), rows.block(), 64);
  MixedRows mixed(source, {.when = MixedRowsOptions::When::always, .keep = 20'000});
  for (const Block& block : mixed)
    for (std::size_t t = 0; t < block.rows; t += 37)
      EXPECT_EQ(rows.block().row(mixed.number_in_source(block.number(t)))[1], block.row(t)[1]);
}

TEST(MixedRows, GoesOnAsItBegan) {
  const Table rows = classes(5000);
  const auto open = [&] { return MemorySource(Schema::numbered(2), rows.block(), 64); };
  const MixedRowsOptions options{.keep = 20'000, .seed = 4};
  MemorySource source = open();
  Journal journal(source);
  MixedRows mixed(journal, options);
  const std::vector<double> expected = first_cells(mixed);
  ASSERT_TRUE(mixed.rewind());
  Block block;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(mixed.next(block));
  Archive place;
  ASSERT_TRUE(mixed.save_position(place));

  MemorySource same = open();
  Journal same_journal(same);
  MixedRows later(same_journal, options);
  later.rewind();
  later.load_position(place);
  EXPECT_EQ(first_cells(later).size(), 5000U) << "all rows come again, and are the same";

  Table others = classes(5000);
  for (std::size_t t = 0; t < 5000; t += 10) others.replace(t, rows.block(), t / 2);
  MemorySource changed(Schema::numbered(2), others.block(), 64);
  Journal changed_journal(changed);
  MixedRows refusing(changed_journal, options);
  refusing.rewind();
  refusing.load_position(place);
  EXPECT_NE(error_of([&] { first_cells(refusing); }).find("are not those that were learned"),
            std::string::npos);

  const Table fewer = classes(4000);
  MemorySource short_one(Schema::numbered(2), fewer.block(), 64);
  MixedRows too_short(short_one, options);
  EXPECT_NE(error_of([&] { too_short.load_position(place); }).find("another length"),
            std::string::npos);

  MemorySource once = open();
  Journal once_journal(once);
  Archive in_order;  // of a fit that an earlier version began
  ASSERT_TRUE(once_journal.save_position(in_order));
  MixedRows unmixed(once_journal, options);
  unmixed.load_position(in_order);
  MemorySource plain = open();
  EXPECT_EQ(first_cells(unmixed), first_cells(plain));
}

}  // namespace stretches
}  // namespace thalweg
