// Sequences: where they begin, whatever the chunks, threads, blocks, lost rows, files and positions.
#include "csv_text.hpp"
#include <thalweg/sources/filtered.hpp>
#include <thalweg/sources/table_source.hpp>

#include <random>

namespace thalweg {
namespace sequences {

/// "1:3 4 |5 6": the first column, a bar before each row that begins a sequence.
std::string marked(Source& source) {
  std::string text;
  Block block;
  while (source.next(block)) {
    EXPECT_NE(block.side.unit_start, nullptr);
    for (std::size_t t = 0; t < block.rows; ++t)
      text += (block.side.unit_start[t] != 0 ? "|" : " ") +
              std::to_string(static_cast<int>(block.row(t)[0]));
  }
  return text;
}

std::string read(const std::vector<std::string>& files, const TableOptions& options) {
  const auto source = open_table(files, options);
  EXPECT_TRUE(source->has_sequences());
  return marked(*source);
}

const std::string patients =
    "x,who,y\n1,ann,0\n2,ann,0\n3, bob ,0\n4,\"bob\",0\n5,ann,0\n6,,0\n7,,0\n8,ann,0\n";

TEST(Sequences, BeginWhereTheColumnChanges) {
  const TemporaryFile file(patients);
  const auto source = open_table({file.path()}, {.sequence_column = "who"});
  EXPECT_EQ(source->schema().columns, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(marked(*source), "|1 2|3 4|5|6 7|8");
  ASSERT_TRUE(source->rewind());
  EXPECT_EQ(marked(*source), "|1 2|3 4|5|6 7|8");
}

TEST(Sequences, BeginBehindBlankLines) {
  const TemporaryFile file("\n\nx,y\n\n1,0\n2,0\n\n\n \t\n3,0\n\r\n4,0\r\n5,0\n\n");
  EXPECT_EQ(read({file.path()}, {.blank_line_sequences = true}), "|1 2|3|4 5");
  const TemporaryFile docs("5 9 5\n\n1 0:1\n-1 0:2\n\n1 0:3\n\n\n1 0:4\n1 0:5\n", ".docs");
  EXPECT_EQ(read({docs.path()}, {.blank_line_sequences = true}), "|1 2|3|4 5");
  const TemporaryFile json("{\"x\":1}\n\n{\"x\":2}\n{\"x\":3}\n", ".jsonl");
  EXPECT_EQ(read({json.path()}, {.blank_line_sequences = true}), "|1|2 3");
}

TEST(Sequences, OfJsonLines) {
  const TemporaryFile file(
      "{\"s\":1,\"x\":1}\n{\"s\":1,\"x\":2}\n{\"s\":\"b\",\"x\":3}\n{\"x\":4}\n{\"s\":null,\"x\":5}"
      "\n",
      ".jsonl");
  EXPECT_EQ(read({file.path()}, {.sequence_column = "s"}), "|1 2|3|4 5");
}

// A skipped row still says where it stands: its mark goes to the next row that is kept.
TEST(Sequences, SkippedRowsLoseNoMark) {
  const std::string text =
      "x,s,k\n1,a,0\noops,b,0\n3,b,0\noops,c,0\n5,b,0\n6,b,wrong\n7,b,0\n8,c,wrong\n9,c,0\nfew\n10,"
      "c,0\n";
  for (const std::size_t chunk : {1U, 17U, 1U << 20U})
    for (const std::size_t block_rows : {1U, 2U, 100U}) {
      const TemporaryFile file(text);
      EXPECT_EQ(read({file.path()}, {.label_column = "k",
                                     .sequence_column = "s",
                                     .on_error = OnError::skip,
                                     .block_rows = block_rows,
                                     .chunk_bytes = chunk}),
                "|1|3|5 7|9 10")
          << chunk << " " << block_rows;
    }
  const TemporaryFile json(
      "{\"x\":1,\"s\":1}\n{\"x\":\"oops\",\"s\":2}\n{\"x\":3,\"s\":2}\n{\"x\":\"oops\",\"s\":3}\n"
      "{\"x\":5,\"s\":2}\n",
      ".jsonl");
  EXPECT_EQ(read({json.path()}, {.sequence_column = "s", .on_error = OnError::skip}), "|1|3|5");
}

TEST(Sequences, EveryFileBeginsOne) {
  for (const char* ending : {".csv", ".jsonl"}) {
    const bool csv = ending[1] == 'c';
    const auto row = [csv](int x) {
      return csv ? std::to_string(x) + ",a\n" : "{\"x\":" + std::to_string(x) + ",\"s\":\"a\"}\n";
    };
    const TemporaryFile a((csv ? "x,s\n" : "") + row(1) + row(2), ending);
    const TemporaryFile b((csv ? "x,s\n" : "") + row(3), ending);
    for (const bool blank : {false, true}) {
      TableOptions options{.sequence_column = "s", .blank_line_sequences = blank};
      EXPECT_EQ(read({a.path(), b.path(), a.path()}, options), "|1 2|3|1 2");
    }
  }
}

/// Rows, blank lines and faults at random; and where sequences begin, told row by row by the definition.
struct RandomTable {
  std::string text = "x,s\n";
  std::string expected;

  explicit RandomTable(unsigned seed, bool by_column, bool by_blanks) {
    std::mt19937 random(seed);
    std::string last = "(none)";
    bool waits = true;
    for (int x = 0; x < 300; ++x) {
      if (random() % 5 == 0) {
        text += random() % 2 == 0 ? "\n" : " \r\n";
        waits = waits || by_blanks;
      }
      const std::string name(1, static_cast<char>('a' + random() % 2));
      waits = waits || (by_column && name != last);
      last = name;
      const bool lost = random() % 6 == 0;
      text += (lost ? "oops" : std::to_string(x)) +
              (random() % 4 == 0 ? ",\"" + name + "\"\n" : "," + name + "\n");
      if (lost) continue;
      expected += (waits ? "|" : " ") + std::to_string(x);
      waits = false;
    }
  }
};

TEST(Sequences, ChunksThreadsAndBlocksDoNotMatter) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    const bool by_column = seed % 3 != 1;
    const bool by_blanks = seed % 3 != 0;
    const RandomTable table(seed, by_column, by_blanks);
    const TemporaryFile file(table.text);
    TableOptions options{.columns = {"x"},
                         .sequence_column = by_column ? "s" : "",
                         .blank_line_sequences = by_blanks,
                         .on_error = OnError::skip};
    for (const std::size_t chunk : {1U, 7U, 64U, 1U << 20U})
      for (const std::size_t threads : {1U, 3U})
        for (const std::size_t block_rows : {1U, 13U, 8192U}) {
          options.chunk_bytes = chunk;
          options.threads = threads;
          options.block_rows = block_rows;
          EXPECT_EQ(read({file.path()}, options), table.expected)
              << seed << ": " << chunk << " bytes, " << threads << " threads, " << block_rows;
        }
  }
}

TEST(Sequences, GoOnFromAPosition) {
  const RandomTable table(2, true, true);
  const TemporaryFile csv_file(table.text);
  std::string lines;
  for (int x = 0; x < 90; ++x)
    lines += (x % 11 == 4 ? "\n" : "") + std::string("{\"x\":") +
             (x % 7 == 3 ? "\"no\"" : std::to_string(x)) + ",\"s\":" + std::to_string(x / 5) +
             "}\n";
  const TemporaryFile json_file(lines, ".jsonl");
  for (const TemporaryFile* file : {&csv_file, &json_file})
    for (const std::size_t chunk : {5U, 1U << 20U}) {
      const TableOptions options{.columns = {"x"},
                                 .sequence_column = "s",
                                 .blank_line_sequences = true,
                                 .on_error = OnError::skip,
                                 .block_rows = 4,
                                 .chunk_bytes = chunk};
      const std::string whole = read({file->path()}, options);
      for (int blocks = 1; blocks < 18; ++blocks) {
        const auto first = open_table({file->path()}, options);
        std::string before;
        Block block;
        for (int i = 0; i < blocks; ++i) {
          ASSERT_TRUE(first->next(block));
          for (std::size_t t = 0; t < block.rows; ++t)
            before += (block.side.unit_start[t] != 0 ? "|" : " ") +
                      std::to_string(static_cast<int>(block.row(t)[0]));
        }
        Archive archive;
        ASSERT_TRUE(first->save_position(archive));
        const auto second = open_table({file->path()}, options);
        second->load_position(archive);
        EXPECT_EQ(before + marked(*second), whole) << blocks << " blocks";
      }
    }
}

TEST(Sequences, LimitedButNotMixed) {
  const TemporaryFile file(patients);
  const TableOptions options{.sequence_column = "who"};
  FilteredTable limited(open_table({file.path()}, options), {.limit = 5});
  EXPECT_EQ(marked(limited), "|1 2|3 4|5");
  EXPECT_EQ(error_of([&] { FilteredTable(open_table({file.path()}, options), {.shuffle = 5}); }),
            "a sample and a shuffle buffer would tear sequences apart");
}

TEST(Sequences, AreRefusedWhereTheyMeanNothing) {
  const auto refusal = [](const std::string& text, const std::string& ending,
                          const TableOptions& options) {
    const TemporaryFile file(text, ending);
    return error_of([&] { open_table({file.path()}, options); });
  };
  EXPECT_EQ(refusal("x", ".npy", {.blank_line_sequences = true}),
            "format npy has no blank lines to separate sequences");
  EXPECT_EQ(refusal("1 1:1\n", ".libsvm", {.sequence_column = "c1"}),
            "format libsvm has no column for sequences: they need csv, tsv or jsonl");
  EXPECT_EQ(refusal(patients, ".csv", {.columns = {"x", "who"}, .sequence_column = "who"}),
            "column \"who\" cannot be data and sequence at once");
  EXPECT_EQ(refusal(patients, ".csv", {.weight_column = "y", .sequence_column = "y"}),
            "column \"y\" cannot be sequence and weight or label at once");
}

}  // namespace sequences
}  // namespace thalweg
