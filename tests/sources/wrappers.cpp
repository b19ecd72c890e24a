// What wraps a source forwards all of it: places, positions, and the comparison of rows that come again.
#include "reading.hpp"
#include "sources/first_rows.hpp"
#include "sources/journal.hpp"
#include "sources/sorted_hint.hpp"
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/sources/filtered.hpp>
#include <thalweg/sources/memory.hpp>

#include <functional>
#include <memory>

namespace thalweg {
namespace wrappers {

constexpr std::size_t columns = 2;
constexpr std::size_t rows = 600;

/// Changes nothing at all.
class Plain final : public Forwarding<> {
 public:
  explicit Plain(Source& source) : Forwarding(source) {}
};

/// Counts what it is told, and keeps the count with the position.
class Counting final : public RowObserver {
 public:
  void see(const Block& block) override { seen += block.rows; }
  void save(Archive& archive) const override { archive.put("seen", seen); }
  void load(const Archive& archive) override { seen = archive.count("seen"); }

  std::uint64_t seen = 0;
};

/// Sorted hint, first rows and a count listen together.
class Listeners final : public Forwarding<> {
 public:
  explicit Listeners(Source& source)
      : Forwarding(source),
        sorted_(source.schema()),
        first_(source.schema().width(), 50, Unit::row) {
    read_from(observed_.emplace(source, std::vector<RowObserver*>{&sorted_, &first_, &count_}));
  }

 private:
  SortedHint sorted_;
  FirstRows first_;
  Counting count_;
  std::optional<Observed> observed_;
};

struct Wrapper {
  const char* name;
  std::function<std::unique_ptr<Source>(Source&)> around;
};

/// All that can say where they are.
std::vector<Wrapper> wrappers() {
  return {
      {"plain", [](Source& source) { return std::make_unique<Plain>(source); }},
      {"observed", [](Source& source) { return std::make_unique<Listeners>(source); }},
      {"limited", [](Source& source) { return std::make_unique<Limited>(source, rows - 7); }},
      {"sampled",
       [](Source& source) {
         return std::make_unique<Sampled>(source, SampledOptions{.share = 0.8, .seed = 2});
       }},
      {"journal", [](Source& source) { return std::make_unique<Journal>(source); }},
  };
}

/// Two clusters; with `other`, one early cell differs.
Table clusters(bool other = false) {
  Table table(columns);
  for (std::size_t t = 0; t < rows; ++t) {
    const double x = static_cast<double>(t * 37 % 101) / 50 + (t % 2 == 0 ? 0 : 9);
    const double values[] = {other && t == 3 ? x + 1 : x, 2 - x};
    table.append_row(values);
  }
  return table;
}

/// A table that says whatever it is asked, and remembers what it was told.
class Spy final : public TableSource {
 public:
  const Schema& schema() const override { return schema_; }
  bool next(Block& block) override {
    if (read == 4) return false;
    block = dense_block(values_.data(), 1, columns);
    block.first = read++;
    return true;
  }
  bool rewind() override {
    read = 0;
    return true;
  }
  std::optional<std::uint64_t> rows() const override { return 4; }
  std::optional<double> share_read() const override { return static_cast<double>(read) / 4; }
  std::string where(std::uint64_t row) const override { return "spy:" + std::to_string(row); }
  bool save_position(Archive& archive) const override {
    archive.put("spied", read);
    return true;
  }
  void load_position(const Archive& archive) override { read = archive.count("spied"); }
  void expect_again(const Archive& archive) override { expected = archive.count("spied"); }

  const std::vector<std::string>& text_columns() const override { return none_; }
  const std::vector<std::string>& label_names() const override { return none_; }
  const std::vector<std::string>& raw_header() const override { return none_; }
  const std::vector<std::string>& raw(std::size_t /*row*/) const override { return none_; }
  const Faults& faults() const override { return faults_; }

  std::uint64_t read = 0;
  std::optional<std::uint64_t> expected;

 private:
  Schema schema_ = Schema::numbered(columns);
  std::vector<double> values_ = {1, 2};
  std::vector<std::string> none_;
  Faults faults_;
};

TEST(Wrappers, WhatIsNotChangedIsForwarded) {
  Spy spy;
  Plain plain(spy);
  Source& source = plain;
  Block block;
  ASSERT_TRUE(source.next(block));
  EXPECT_EQ(&source.schema(), &spy.schema());
  EXPECT_EQ(source.rows(), 4U);
  EXPECT_EQ(source.share_read(), 0.25);
  EXPECT_EQ(source.where(0), "spy:0");
  Archive place;
  ASSERT_TRUE(source.save_position(place));
  EXPECT_EQ(place.count("spied"), 1U);
  ASSERT_TRUE(source.rewind());
  EXPECT_EQ(spy.read, 0U);
  source.load_position(place);
  EXPECT_EQ(spy.read, 1U);
  source.expect_again(place);
  EXPECT_EQ(spy.expected, 1U);
}

TEST(Wrappers, ASavedPlaceFindsTheSourceAgainThroughFilters) {
  const auto filtered = [](Spy*& spy) {
    auto table = std::make_unique<Spy>();
    spy = table.get();
    return FilteredTable(std::move(table), {.sample = 1, .limit = 3});
  };
  Spy* spy = nullptr;
  FilteredTable source = filtered(spy);
  Block block;
  for (int t = 0; t < 2; ++t) ASSERT_TRUE(source.next(block));
  Archive place;
  ASSERT_TRUE(source.save_position(place));
  FilteredTable straight = filtered(spy);
  straight.load_position(place);
  EXPECT_EQ(spy->read, 2U);
  FilteredTable again = filtered(spy);
  again.expect_again(place);
  EXPECT_EQ(spy->expected, 2U);
  EXPECT_EQ(spy->read, 0U) << "the rows come again from the first on";
  EXPECT_EQ(read_all(again).size(), 3U);
}

TEST(Wrappers, ObserversSeeEveryRowAndKeepWhatTheyKnow) {
  Spy spy;
  Counting count;
  Observed source(spy, {&count});
  Block block;
  for (int t = 0; t < 3; ++t) ASSERT_TRUE(source.next(block));
  Archive place;
  ASSERT_TRUE(source.save_position(place));
  Counting later;
  Observed resumed(spy, {&later});
  resumed.load_position(place);
  EXPECT_EQ(later.seen, 3U);
  EXPECT_EQ(read_all(resumed).size(), 1U);
  EXPECT_EQ(later.seen, 4U);
}

/// A fit of `table` through a wrapper around a journal, or inside one; goes on from `saved` where there is something.
std::string resumed(const Wrapper& wrapper, bool journal_inside, const Table& table,
                    const Archive& saved) {
  MemorySource memory(Schema::numbered(columns), table.block(), 40);
  Journal inner(memory);
  const auto wrapped = wrapper.around(journal_inside ? static_cast<Source&>(inner) : memory);
  Journal outer(*wrapped);
  Fit fit(gaussian_mixture({.components = 2}), {});
  fit.load(saved);
  return error_of([&] { fit.run(journal_inside ? *wrapped : static_cast<Source&>(outer)); });
}

/// What such a fit had saved when it died in the middle of the rows.
Archive died(const Wrapper& wrapper, bool journal_inside) {
  const Table table = clusters();
  MemorySource memory(Schema::numbered(columns), table.block(), 40);
  Journal inner(memory);
  const auto wrapped = wrapper.around(journal_inside ? static_cast<Source&>(inner) : memory);
  Journal outer(*wrapped);
  struct Died {};
  Fit* alive = nullptr;
  Archive saved;
  int rests = 0;
  FitOptions options;  // rows are kept for batch EM: they come again
  options.rest = [&](bool) {
    if (++rests < 6) return;
    saved = alive->save();
    throw Died();
  };
  Fit fit(gaussian_mixture({.components = 2}), options);
  alive = &fit;
  EXPECT_THROW(fit.run(journal_inside ? *wrapped : static_cast<Source&>(outer)), Died);
  return saved;
}

TEST(Wrappers, AResumedFitComparesTheRowsAgain) {
  std::vector<Wrapper> all = wrappers();
  for (const bool inside : {true, false}) {
    // A buffer cannot say where the source was: only a journal around it knows its rows.
    if (!inside)
      all.push_back({"shuffle buffer", [](Source& source) {
                       return std::make_unique<ShuffleBuffer>(
                           source, ShuffleBufferOptions{.rows = 20, .block_rows = 40});
                     }});
    for (const Wrapper& wrapper : all) {
      SCOPED_TRACE(std::string(wrapper.name) + (inside ? " around a journal" : " in a journal"));
      const Archive saved = died(wrapper, inside);
      EXPECT_EQ(resumed(wrapper, inside, clusters(), saved), "(no error)");
      EXPECT_NE(resumed(wrapper, inside, clusters(true), saved)
                    .find("are not those that were learned before"),
                std::string::npos);
    }
  }
}

}  // namespace wrappers
}  // namespace thalweg
