// Categorical columns: levels in order of appearance whatever the chunks and threads, known ones, and cells of unknown ones.
#include "csv_text.hpp"
#include <thalweg/sources/filtered.hpp>
#include <thalweg/sources/table_source.hpp>

#include <unistd.h>

namespace thalweg {
namespace categories {

using Levels = std::vector<std::vector<std::string>>;

const std::string fruit =
    "colour,x,size\n"
    "red,1.5,small\n"
    " green ,2,\"large\"\n"
    "\"red\",3,NA\n"
    ",4,small\n"
    "blue,5,\"ex\"\"tra\"\n"
    "nan,6,large\n";

struct Read {
  Schema schema;
  Rows rows;
  UnknownLevels unknown;
  Faults faults;
};

Read read(const std::string& text, const TableOptions& options,
          const std::string& ending = ".csv") {
  const TemporaryFile file(text, ending);
  const auto source = open_table({file.path()}, options);
  Rows rows = read_all(*source);
  return {source->schema(), std::move(rows), source->unknown_levels(), source->faults()};
}

/// What comes behind the file's name.
std::string refusal(const std::string& text, const TableOptions& options,
                    const std::string& ending = ".csv") {
  const TemporaryFile file(text, ending);
  const std::string what = error_of([&] { read_all(*open_table({file.path()}, options)); });
  return what.starts_with(file.path()) ? what.substr(file.path().size()) : what;
}

TEST(Categories, ACellIsTheNumberOfItsLevel) {
  const Read found = read(fruit, {.categorical = {"size", "0"}});
  EXPECT_EQ(found.schema.columns, (std::vector<std::string>{"colour", "x", "size"}));
  EXPECT_EQ(found.schema.levels,
            (Levels{{"red", "green", "blue"}, {}, {"small", "large", "ex\"tra"}}));
  expect_rows(
      found.rows,
      {{0, 1.5, 0}, {1, 2, 1}, {0, 3, missing}, {missing, 4, 0}, {2, 5, 2}, {missing, 6, 1}});
  EXPECT_EQ(found.unknown.cells(), 0U);
}

TEST(Categories, NumbersAreLevelsByTheirText) {
  const Read found = read("a,b\n1,x\n1.0,y\n 2 ,x\n", {.all_categorical = true});
  EXPECT_EQ(found.schema.levels, (Levels{{"1", "1.0", "2"}, {"x", "y"}}));
  expect_rows(found.rows, {{0, 0}, {1, 1}, {2, 0}});
}

TEST(Categories, AreColumnsLikeOthers) {
  const Read picked = read(fruit, {.columns = {"size", "x"}, .categorical = {"size"}});
  EXPECT_EQ(picked.schema.columns, (std::vector<std::string>{"size", "x"}));
  EXPECT_EQ(picked.rows[1][0], 1);
  const Read beside = read("k,w,c\n0,2,a\n1,1,b\n",
                           {.all_categorical = true, .weight_column = "w", .label_column = "k"});
  EXPECT_EQ(beside.schema.columns, std::vector<std::string>{"c"});
  expect_rows(beside.rows, {{0, 2}, {1, 1}});
  EXPECT_EQ(refusal(fruit, {.columns = {"x"}, .categorical = {"size"}}),
            "column \"size\" is categorical, but not among the data (add it to columns)");
  EXPECT_EQ(refusal(fruit, {.categorical = {"size"}, .levels = {{"x", {"1"}}}}),
            "column \"x\" has levels, but is not categorical (add it to categorical)");
  EXPECT_TRUE(refusal(fruit, {.categorical = {"colou"}})
                  .starts_with(": no column \"colou\", did you mean \"colour\"?"));
}

std::string long_table(std::size_t rows) {
  std::string text = "c,x,d\n";
  for (std::size_t t = 0; t < rows; ++t) {
    if (t % 97 == 11) text += "bad\n";
    text += "level" + std::to_string(t * t % 1009 % 77) + "," + std::to_string(t) + "," +
            (t % 31 == 5 ? "\"q\"\"" + std::to_string(t % 13) + "\"" : std::to_string(t / 50)) +
            "\n";
  }
  return text;
}

TEST(Categories, ChunksAndThreadsDoNotMatter) {
  const TemporaryFile a(long_table(900));
  const TemporaryFile b(long_table(400));
  TableOptions options{.categorical = {"c", "d"}, .on_error = OnError::skip};
  const auto all = [&] {
    CsvSource source({a.path(), b.path()}, options);
    Rows rows = read_all(source);
    return std::pair(source.schema(), std::move(rows));
  };
  const auto expected = all();
  EXPECT_EQ(expected.first.levels[0].size(), 77U);
  EXPECT_EQ(expected.second.size(), 1300U);
  for (const std::size_t chunk : {1U, 40U, 500U, 4096U})
    for (const std::size_t threads : {1U, 3U})
      for (const std::size_t block_rows : {1U, 100U}) {
        options.chunk_bytes = chunk;
        options.threads = threads;
        options.block_rows = block_rows;
        const auto found = all();
        EXPECT_EQ(found.first, expected.first) << chunk << " bytes, " << threads << " threads";
        EXPECT_EQ(found.second, expected.second);
      }
}

TEST(Categories, RewoundAndPacked) {
  const TemporaryFile file(fruit);
  CsvSource source = csv(file.path(), {.categorical = {"colour", "size"}});
  const Rows once = read_all(source);
  ASSERT_TRUE(source.rewind());
  expect_rows(read_all(source), once);
}

TEST(Categories, OfAStreamTheFirstRowsTell) {
  std::string text = "c\n";
  for (std::size_t t = 0; t < 1023; ++t) text += t % 2 == 0 ? "a\n" : "b\n";
  const TableOptions options{.all_categorical = true};
  EXPECT_EQ(read_text(text + "late\n", options).rows.back(), std::vector<double>{2});
  text += "a\nlate\na\n";
  EXPECT_EQ(error_in(text, options),
            "data.csv:1026: column \"c\": \"late\" is none of its levels (give levels=c=a|b|late, "
            "or use on_error=missing to treat it as missing)");
  TableOptions lenient = options;
  lenient.on_error = OnError::skip;
  EXPECT_EQ(read_text(text, lenient).rows.size(), 1025U);
  lenient.on_error = OnError::missing;
  std::istringstream in(text);
  CsvSource source(in, lenient);
  EXPECT_EQ(read_all(source).size(), 1026U);
  EXPECT_EQ(source.faults().kinds().at("not a known level"), 1U);
  TableOptions named = options;
  named.levels = {{"c", {"late", "b", "a"}}};
  EXPECT_EQ(read_text(text, named).rows[0], std::vector<double>{2});
}

TEST(Categories, NamedBeforehand) {
  const TableOptions options{.categorical = {"colour"}, .levels = {{"colour", {"blue", "red"}}}};
  EXPECT_EQ(refusal(fruit, options),
            ":3: column \"colour\": \" green \" is none of its levels (give levels="
            "colour=blue|red|green, or use on_error=missing to treat it as missing)");
  for (const auto& [levels, why] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"red", "red"}, "\"red\" is there twice"},
           {{"red", "NA"}, "\"NA\" means a missing cell"},
           {{"red", ""}, "\"\" means a missing cell"},
           {{" red"}, "\" red\" has spaces around it, which cells have not"}})
    EXPECT_EQ(refusal(fruit, {.categorical = {"colour"}, .levels = {{"colour", levels}}}),
              "levels of column \"colour\": " + why);
}

TEST(Categories, UnknownToAModelIsMissingAndTold) {
  const TableOptions options{.categorical = {"colour", "size"},
                             .levels = {{"colour", {"blue"}}, {"size", {"small"}}},
                             .model_levels = true,
                             .block_rows = 2};
  for (const std::size_t threads : {1U, 2U})
    for (const std::size_t chunk : {1U, 1U << 20U}) {
      TableOptions now = options;
      now.threads = threads;
      now.chunk_bytes = chunk;
      const Read found = read(fruit, now);
      EXPECT_EQ(found.rows.size(), 6U);
      ASSERT_EQ(found.unknown.columns().size(), 2U);
      EXPECT_EQ(found.unknown.columns()[0].name, "colour");
      EXPECT_EQ(found.unknown.columns()[0].cells, 3U);
      EXPECT_EQ(found.unknown.columns()[0].first, (std::vector<std::string>{"red", "green"}));
      EXPECT_EQ(found.unknown.columns()[1].cells, 3U);
      EXPECT_TRUE(found.faults.empty());
    }
}

// A row that is lost for another reason has no unknown cell.
TEST(Categories, LostRowsAreNotTold) {
  const TableOptions options{.categorical = {"c"},
                             .levels = {{"c", {"a"}}},
                             .model_levels = true,
                             .on_error = OnError::skip};
  EXPECT_EQ(read("c,x\nb,1\nc,oops\na,3\n", options).unknown.cells(), 1U);
  EXPECT_EQ(read("{\"c\":\"b\",\"x\":1}\n{\"c\":\"c\",\"x\":\"oops\"}\n", options, ".jsonl")
                .unknown.cells(),
            1U);
}

TEST(Categories, ByPositionTheDictionaryFollows) {
  const Read found = read("u,1\nv,2\n", {.header = false,
                                         .columns = {"colour", "x"},
                                         .categorical = {"colour"},
                                         .levels = {{"colour", {"v", "u"}}},
                                         .model_levels = true,
                                         .by_position = true});
  expect_rows(found.rows, {{1, 1}, {0, 2}});
  EXPECT_EQ(found.schema.levels, (Levels{{"v", "u"}, {}}));
}

TEST(Categories, AreWords) {
  EXPECT_EQ(refusal("c,x\n\"a\nb\",1\n", {.categorical = {"c"}}),
            ": column \"c\": the level \"a\\nb\" has a line end or the like in it, expected words "
            "(leave the column out, it looks like free text)");
  const Read found = read(
      "c\n\"a\nb\"\n", {.all_categorical = true, .levels = {{"c", {"a"}}}, .model_levels = true});
  EXPECT_EQ(found.unknown.columns()[0].first, std::vector<std::string>{"a\\nb"});
}

TEST(Categories, TooManyAreAnId) {
  std::string text = "id\n";
  for (std::size_t t = 0; t <= most_levels; ++t) text += "u" + std::to_string(t) + "\n";
  EXPECT_EQ(
      refusal(text, {.all_categorical = true}),
      ": column \"id\" has more than 10000 levels: it looks like an id or free text (leave it "
      "out)");
  EXPECT_EQ(refusal("c,x\n,1\nNA,2\n", {.categorical = {"c"}}),
            ": column \"c\" has no level, all its cells are missing (leave it out, or give levels="
            "c=A|B)");
}

TEST(Categories, OfJsonLines) {
  const std::string lines =
      "{\"c\": \"red\", \"n\": 1.50, \"b\": true}\n"
      "{\"c\": null, \"n\": 2, \"b\": false}\n"
      "{\"n\": \" 1.50 \", \"c\": \"blue\", \"b\": \"true\"}\n";
  const Read found = read(lines, {.all_categorical = true}, ".jsonl");
  EXPECT_EQ(found.schema.levels, (Levels{{"red", "blue"}, {"1.50", "2"}, {"true", "false"}}));
  expect_rows(found.rows, {{0, 0, 0}, {missing, 1, 1}, {1, 0, 0}});
  EXPECT_EQ(refusal(lines, {.categorical = {"c"}, .levels = {{"c", {"blue"}}}}, ".jsonl"),
            ":1: column \"c\": \"red\" is none of its levels (give levels=c=blue|red, or on_error="
            "missing takes it as missing)");
  const Read known = read(
      lines,
      {.columns = {"c"}, .categorical = {"c"}, .levels = {{"c", {"blue"}}}, .model_levels = true},
      ".jsonl");
  expect_rows(known.rows, {{missing}, {missing}, {0}});
  EXPECT_EQ(known.unknown.cells(), 1U);
}

TEST(Categories, NumbersOnlyHaveNone) {
  EXPECT_EQ(refusal("1 2 1\n-1 0:1\n", {.all_categorical = true}, ".docs"),
            "format docs holds numbers only: categorical columns need csv, tsv or jsonl");
  EXPECT_EQ(refusal("1 1:1\n", {.categorical = {"c1"}}, ".libsvm"),
            "format libsvm holds numbers only: categorical columns need csv, tsv or jsonl");
  EXPECT_EQ(refusal("x", {.categorical = {"c1"}}, ".npy"),
            "format npy holds numbers only: categorical columns need csv, tsv or jsonl");
}

// A position in the middle knows what was told before.
TEST(Categories, Positions) {
  for (const char* ending : {".csv", ".jsonl"}) {
    std::string text = ending[1] == 'c' ? "c\n" : "";
    for (int t = 0; t < 40; ++t) {
      const std::string level(1, static_cast<char>('a' + t % 7));
      text += ending[1] == 'c' ? level + "\n" : "{\"c\":\"" + level + "\"}\n";
    }
    const TemporaryFile file(text, ending);
    const TableOptions options{.columns = {"c"},
                               .categorical = {"c"},
                               .levels = {{"c", {"a", "b", "c"}}},
                               .model_levels = true,
                               .block_rows = 5};
    const auto whole = open_table({file.path()}, options);
    const Rows expected = read_all(*whole);
    for (int blocks : {1, 3, 8}) {
      const auto first = open_table({file.path()}, options);
      Block block;
      for (int i = 0; i < blocks; ++i) first->next(block);
      Archive archive;
      ASSERT_TRUE(first->save_position(archive));
      const auto second = open_table({file.path()}, options);
      second->load_position(archive);
      const Rows rest = read_all(*second);
      expect_rows(rest, Rows(expected.begin() + 5 * blocks, expected.end()));
      EXPECT_EQ(second->unknown_levels().cells(), whole->unknown_levels().cells());
      EXPECT_EQ(second->unknown_levels().columns()[0].first,
                whole->unknown_levels().columns()[0].first);
    }
  }
}

}  // namespace categories
}  // namespace thalweg
