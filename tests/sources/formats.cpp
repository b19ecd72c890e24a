// The table of formats: every row is recognised, opened and named from it alone.
#include "sources/formats.hpp"

#include "reading.hpp"
#include "sources/detect.hpp"

#include <map>
#include <set>

namespace thalweg {
namespace formats_tests {

/// Two rows of each format, as text; a new format needs its own here.
const std::map<std::string_view, std::string>& examples() {
  static const std::map<std::string_view, std::string> all = {
      {"csv", "x,y\n1,2\n3,4\n"},
      {"tsv", "x\ty\n1\t2\n3\t4\n"},
      {"npy",
       [] {
         std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }";
         header.resize(117, ' ');
         std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
         file.append(header).append("\n\1\2\3\4");
         return file;
       }()},
      {"jsonl", "{\"x\":1,\"y\":2}\n{\"x\":3,\"y\":4}\n"},
      {"docs", "2 2 4\n-1 0:1 1:2\n-1 0:3 1:4\n"},
      {"libsvm", "1 1:1 2:2\n1 1:3 2:4\n"},
  };
  return all;
}

const Rows two_rows = {{1, 2}, {3, 4}};

TEST(Formats, EveryEndingOpensItsFormat) {
  std::set<std::string_view> endings;
  for (const Format& format : formats()) {
    ASSERT_TRUE(examples().contains(format.name)) << format.name;
    ASSERT_FALSE(format.endings.empty());
    for (const std::string_view ending : format.endings) {
      EXPECT_TRUE(endings.insert(ending).second) << ending << " stands for two formats";
      const TemporaryFile file(examples().at(format.name), std::string(ending));
      EXPECT_EQ(detect_file(file.path()).format, &format);
      EXPECT_EQ(read_all(*open_table({file.path()})), two_rows) << ending;
    }
  }
}

TEST(Formats, ContentAndNamesOpenThemToo) {
  for (const Format& format : formats()) {
    const TemporaryFile file(examples().at(format.name), ".data");
    const bool told = format.recognise || &format == &formats().front();
    if (told) {
      EXPECT_EQ(detect_file(file.path()).format, &format) << format.name;
    }
    const std::string name(format.name);
    EXPECT_EQ(&format_named(name), &format);
    EXPECT_EQ(read_all(*open_table({file.path()}, {.format = name})), two_rows) << name;
  }
}

TEST(Formats, NoFormatTakesTheBeginningOfAnother) {
  for (const auto& [name, text] : examples())
    for (const Format& format : formats()) {
      if (!format.recognise) continue;
      EXPECT_EQ(format.recognise(text), format.name == name) << name << " as " << format.name;
    }
}

TEST(Formats, MessagesNameThem) {
  EXPECT_EQ(format_list(), "csv, tsv, npy, jsonl, docs or libsvm");
  const TemporaryFile file("x\n1\n");
  EXPECT_EQ(error_of([&] { open_table({file.path()}, {.format = "xls"}); }),
            "format \"xls\" is unknown, expected csv, tsv, npy, jsonl, docs or libsvm");
  EXPECT_EQ(error_of([&] { open_table({file.path()}, {.format = "npy", .categorical = {"x"}}); }),
            "format npy holds numbers only: categorical columns need csv, tsv or jsonl");
  TableOptions blank{.format = "npy"};
  blank.blank_line_sequences = true;
  EXPECT_EQ(error_of([&] { open_table({file.path()}, blank); }),
            "format npy has no blank lines to separate sequences");
}

TEST(Formats, DocumentsSayHowManyTheyAre) {
  const Format& docs = format_named("docs");
  EXPECT_EQ(docs.rows_told("120 7 900"), 120U);
  EXPECT_EQ(docs.rows_told("x"), std::nullopt);
}

TEST(Formats, ThoseWithDelimitersAreReadTogether) {
  const TemporaryFile commas("x,y\n1,2\n", ".csv");
  const TemporaryFile tabs("x\ty\n3\t4\n", ".tsv");
  EXPECT_EQ(read_all(*open_table({commas.path(), tabs.path()})), two_rows);
  EXPECT_EQ(read_all(*open_table({tabs.path(), commas.path()})), (Rows{{3, 4}, {1, 2}}));
}

}  // namespace formats_tests
}  // namespace thalweg
