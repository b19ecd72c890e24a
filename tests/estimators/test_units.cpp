// Whatever an estimator does with its rows, a model of sequences is shown whole ones, with all that their rows carry.
#include "spy_model.hpp"
#include <thalweg/estimators/entropy.hpp>
#include <thalweg/thalweg.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <sstream>

namespace test_units {

using namespace thalweg;

/// Units of very different lengths, some longer than a mini-batch, one longer than a slice, in blocks that end anywhere.
class WholeUnits : public testing::Test {
 protected:
  WholeUnits() {
    for (std::size_t u = 0; u < 40; ++u) lengths_.push_back(1 + u * 7 % 23);
    lengths_.push_back(5000);
    lengths_.insert(lengths_.end(), {1, 200, 3});
    table_ = spy::rows(lengths_);
    for (const spy::Row& row : spy::rows_of(table_.block())) rows_.emplace(row.values[0], row);
  }

  /// Every piece is a number of whole units, in the order and with all that their rows carry; every row that counts was shown.
  void expect_whole(const std::string& what, bool numbered = true) {
    SCOPED_TRACE(what);
    std::set<double> shown;
    const auto pieces = log_->pieces();
    ASSERT_FALSE(pieces.empty());
    for (const auto& piece : pieces) {
      if (piece.empty()) continue;
      EXPECT_TRUE(piece.front().begins) << "a piece begins with " << piece.front();
      for (std::size_t t = 0; t < piece.size(); ++t) {
        const auto found = rows_.find(piece[t].values[0]);
        ASSERT_NE(found, rows_.end());
        spy::Row row = piece[t];
        if (!numbered) row.number = found->second.number;
        ASSERT_EQ(row, found->second);
        shown.insert(row.values[0]);
        const auto after = std::next(found);
        const bool unit_ends = after == rows_.end() || after->second.begins;
        const bool ends_here = t + 1 == piece.size() || piece[t + 1].begins;
        ASSERT_EQ(ends_here, unit_ends) << "behind " << row;
        if (!ends_here) {
          ASSERT_EQ(piece[t + 1].values[0], after->first);
        }
      }
    }
    for (const auto& [x, row] : rows_)
      if (row.weight > 0) {
        ASSERT_TRUE(shown.contains(x)) << "never shown: " << row;
      }
    log_->clear();
  }

  void in_blocks(const std::function<void(Source&, const std::string&)>& act) {
    for (const std::size_t cut : {0U, 1U, 7U, 1000U}) {
      MemorySource source(schema_, table_.block(), cut);
      act(source, std::to_string(cut) + " rows a block");
    }
  }

  const Schema schema_ = Schema::numbered(3);
  std::vector<std::size_t> lengths_;
  Table table_;
  std::map<double, spy::Row> rows_;  // by their first cell
  std::shared_ptr<spy::Log> log_ = std::make_shared<spy::Log>();
  std::shared_ptr<const spy::Model> model_ = std::make_shared<const spy::Model>(log_);
  Parameters theta_{model_->plan(Schema::numbered(3)).parameters};
};

TEST_F(WholeUnits, Expectation) {
  for (const std::size_t threads : {1U, 3U})
    in_blocks([&](Source& source, const std::string& what) {
      const Expectation e =
          expect_all(*model_, theta_, model_->plan(schema_), source, ThreadPool(threads));
      EXPECT_EQ(e.weight(), table_.block().total_weight());
      expect_whole(what);
    });
  entropy(*model_, theta_, table_.block(), ThreadPool(2), Unit::sequence);
  expect_whole("entropy");
}

TEST_F(WholeUnits, Batch) {
  for (const auto accelerate : {Acceleration::none, Acceleration::squarem})
    in_blocks([&](Source& source, const std::string& what) {
      Batch batch(model_, schema_, {.accelerate = accelerate, .pool = ThreadPool(2)});
      batch.begin(theta_);
      for (int i = 0; i < 4; ++i, source.rewind()) batch.iterate(source);
      batch.iterate(table_.block());
      expect_whole(what);
    });
}

TEST_F(WholeUnits, Incremental) {
  for (const std::size_t m : {1U, 10U, 3000U}) {
    Incremental run(model_, schema_, {.batch_size = m, .max_iterations = 3, .pool = ThreadPool(2)});
    run.begin(theta_);
    for (int i = 0; i < 5; ++i) run.visit(table_.block());
    Incremental other(model_, schema_, {.batch_size = m, .max_iterations = 3});
    other.load(run.save());
    run.run(table_.block());
    other.run(table_.block());
    EXPECT_EQ(run.parameters()["level"][0], other.parameters()["level"][0]);
    expect_whole(std::to_string(m) + " rows a block");
  }
}

TEST_F(WholeUnits, VarianceReduced) {
  for (const std::size_t m : {1U, 10U, 3000U}) {
    VarianceReduced run(model_, schema_,
                        {.batch_size = m, .max_iterations = 2, .seed = 3, .pool = ThreadPool(2)});
    run.begin(theta_);
    run.run(table_.block());
    expect_whole(std::to_string(m) + " rows a mini-batch");
  }
}

template <class Run>
std::string bytes(const Run& run) {
  std::ostringstream out;
  run.save().write(out);
  return out.str();
}

/// One estimator learns in one go, the other is saved and loaded after every block.
template <class Make>
void learn_in_blocks(Source& source, const Make& make) {
  auto whole = make();
  auto broken = make();
  for (const Block& block : source) {
    whole.learn(block);
    broken.learn(block);
    auto next = make();
    std::istringstream in(bytes(broken));
    next.load(Archive::read(in));
    broken = std::move(next);
  }
  whole.finish();
  broken.finish();
  EXPECT_TRUE(bytes(whole) == bytes(broken));
}

TEST_F(WholeUnits, RecursionSavedAndLoadedAnywhere) {
  for (const std::size_t m : {1U, 10U, 600U})
    for (const std::size_t cut : {40U, 333U, 10'000U}) {
      MemorySource source(schema_, table_.block(), cut);
      learn_in_blocks(source, [&] {
        Recursion run(model_, schema_, {.batch_size = m, .pool = ThreadPool(2)});
        run.begin(theta_);
        return run;
      });
      expect_whole(std::to_string(m) + " rows a mini-batch, blocks of " + std::to_string(cut));
    }
}

/// A caller's own arrays do not know where they lie in the stream: their rows are numbered as they come, whatever waits for more.
TEST_F(WholeUnits, RowsOfACallersOwnAreNumberedAsTheyCome) {
  std::uint64_t number = 0;
  for (auto& [x, row] : rows_) row.number = number++;
  const auto learn_all = [&](auto& run, std::size_t cut) {
    for (std::size_t t = 0; t < table_.rows(); t += cut) {
      Block own = table_.block().slice(t, std::min(cut, table_.rows() - t));
      own.first = 0;
      own.numbers = nullptr;
      own.numbered = false;
      run.learn(own);
    }
    run.finish();
  };
  for (const std::size_t cut : {1U, 7U, 1000U}) {
    Recursion run(model_, schema_, {.batch_size = 10});
    run.begin(theta_);
    learn_all(run, cut);
    expect_whole("recursion, portions of " + std::to_string(cut));
    Online online(model_, schema_, {.batch_size = 10, .buffer = 60, .starts = 2});
    learn_all(online, cut);
    expect_whole("online, portions of " + std::to_string(cut));
  }
}

TEST_F(WholeUnits, OnlineSavedAndLoadedInBufferAndRace) {
  for (const std::uint64_t buffer : {5U, 60U, 400U})
    for (const std::size_t cut : {40U, 333U, 10'000U}) {
      MemorySource source(schema_, table_.block(), cut);
      learn_in_blocks(source, [&] {
        return Online(model_, schema_, {.batch_size = 10, .buffer = buffer, .starts = 3});
      });
      expect_whole("buffer of " + std::to_string(buffer) + ", blocks of " + std::to_string(cut));
    }
}

TEST_F(WholeUnits, FitByEveryMethod) {
  for (const Method method : {Method::automatic, Method::online, Method::batch, Method::incremental,
                              Method::variance_reduced})
    for (const std::uint64_t keep : {std::uint64_t{64} << 20U, std::uint64_t{1000}})
      in_blocks([&](Source& source, const std::string& what) {
        const bool rows_needed =
            method == Method::incremental || method == Method::variance_reduced;
        if (keep == 1000 && rows_needed) return;
        Fit fit(model_, {.method = method,
                         .online = {.batch_size = 10, .buffer = 60, .starts = 2},
                         .batch = {.max_iterations = 3},
                         .keep = keep,
                         .passes = method == Method::online ? 2U : 1U,
                         .pool = ThreadPool(2)});
        const FitResult result = fit.run(source);
        EXPECT_EQ(result.rows, table_.rows());
        expect_whole(std::string(name(method)) + ", " + what);
      });
}

struct Died {};

/// A fit that dies after every few blocks or iterations and goes on from what it saved.
TEST_F(WholeUnits, FitThatDiesAndGoesOn) {
  for (const Method method : {Method::automatic, Method::online, Method::batch, Method::incremental,
                              Method::variance_reduced}) {
    const FitOptions options{.method = method,
                             .online = {.batch_size = 10, .buffer = 60, .starts = 2},
                             .batch = {.max_iterations = 3},
                             .passes = method == Method::online ? 2U : 1U};
    MemorySource straight(schema_, table_, 333);
    const FitResult undisturbed = Fit(model_, options).run(straight);
    // At the end of a pass nothing follows a rest; of iterations there are few.
    const int life = streams(method) || method == Method::automatic ? 3 : 1;
    std::string state;
    int deaths = 0;
    for (std::optional<FitResult> result; !result;) {
      MemorySource source(schema_, table_, 333);  // counts its rows from 0
      FitOptions mortal = options;
      Fit* alive = nullptr;
      int rests = 0;
      mortal.rest = [&](bool) {
        if (++rests < life) return;
        state = bytes(*alive);
        throw Died();
      };
      Fit fit(model_, mortal);
      alive = &fit;
      if (!state.empty()) {
        std::istringstream in(state);
        fit.load(Archive::read(in));
      }
      try {
        result = fit.run(source);
        EXPECT_EQ(result->parameters["level"][0], undisturbed.parameters["level"][0]);
        EXPECT_EQ(result->rows, table_.rows());
      } catch (const Died&) {
        ASSERT_LT(++deaths, 200);
      }
    }
    EXPECT_GT(deaths, 0);
    expect_whole(std::string(name(method)), false);
  }
}

/// Whole units change places; what a row carries goes along, but for its number, which is its place in the pass.
TEST_F(WholeUnits, ShuffledOrder) {
  for (const bool first_is_marked : {true, false}) {
    std::vector<std::uint8_t> marks = table_.side().unit_start;
    marks.front() = first_is_marked ? 1 : 0;
    Block rows = table_.block();
    rows.side.unit_start = marks.data();
    ReorderedSource source(schema_, rows, {.seed = 5, .block_rows = 64, .unit = Unit::sequence});
    std::vector<double> last;
    for (int pass = 0; pass < 3; ++pass, source.rewind()) {
      std::vector<double> order;
      for (const Block& block : source)
        for (const spy::Row& row : spy::rows_of(block)) order.push_back(row.values[0]);
      EXPECT_EQ(order.size(), table_.rows());
      EXPECT_NE(order, last) << "every pass has an order of its own";
      last = order;
    }
    Fit fit(model_, {.method = Method::online,
                     .online = {.batch_size = 10, .buffer = 60, .starts = 2},
                     .passes = 2});
    fit.run(source);
    expect_whole("shuffled", false);
  }
  EXPECT_THROW(
      ReorderedSource(schema_, table_.block(), {.order = Order::random, .unit = Unit::sequence}),
      UsageError);
  EXPECT_THROW(ReorderedSource(schema_, table_.block()), UsageError) << "rows of units were torn";
}

}  // namespace test_units
