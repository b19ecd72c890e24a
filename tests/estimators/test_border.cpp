// The border: no estimator takes a block that its model cannot, and none is changed by one that it refuses.
#include "runs.hpp"
#include <thalweg/estimators/fit.hpp>
#include <thalweg/estimators/incremental.hpp>
#include <thalweg/estimators/limiting_map.hpp>
#include <thalweg/estimators/variance_reduced.hpp>
#include <thalweg/sources/memory.hpp>

#include <array>
#include <functional>
#include <limits>
#include <map>

namespace test_border {

using namespace runs;

/// Each way by which rows reach a model from outside.
std::map<std::string, std::function<void(const Stream&, const Schema&, const Block&)>> ways() {
  return {
      {"batch",
       [](const Stream& stream, const Schema& schema, const Block& rows) {
         Batch batch(*stream.model, schema);
         batch.begin(stream.theta);
         batch.iterate(rows);
       }},
      {"batch, evaluated",
       [](const Stream& stream, const Schema& schema, const Block& rows) {
         Batch batch(*stream.model, schema);
         batch.begin(stream.theta);
         batch.evaluate(rows);
       }},
      {"incremental",
       [](const Stream& stream, const Schema& schema, const Block& rows) {
         Incremental incremental(*stream.model, schema);
         incremental.begin(stream.theta);
         incremental.visit(rows);
       }},
      {"variance-reduced",
       [](const Stream& stream, const Schema& schema, const Block& rows) {
         VarianceReduced reduced(*stream.model, schema);
         reduced.begin(stream.theta);
         reduced.iterate(rows);
       }},
      {"recursion",
       [](const Stream& stream, const Schema& schema, const Block& rows) {
         Recursion recursion(*stream.model, schema, {});
         recursion.begin(stream.theta);
         recursion.learn(rows);
       }},
      {"online",
       [](const Stream& stream, const Schema& schema, const Block& rows) {
         Online online(*stream.model, schema);
         online.learn(rows);
       }},
      {"batch over a source",
       [](const Stream& stream, const Schema& schema, const Block& rows) {
         MemorySource source(schema, rows);
         Batch batch(*stream.model, schema);
         batch.begin(stream.theta);
         batch.iterate(source);
       }},
      {"limiting map",
       [](const Stream& stream, const Schema& schema, const Block& rows) {
         MemorySource source(schema, rows);
         LimitingMap map(*stream.model, source);
         map(stream.theta);
       }},
      {"fit by batch EM",
       [](const Stream& stream, const Schema& schema, const Block& rows) {
         MemorySource source(schema, rows);
         Fit(*stream.model, {.method = Method::batch}).run(source);
       }},
  };
}

class Border : public ::testing::Test {
 protected:
  void expect_refused(const Block& rows, const std::string& what) const {
    for (const auto& [name, way] : ways())
      EXPECT_THROW(way(stream_, two_columns(), rows), Error) << name << " took " << what;
  }

  Stream stream_{200};
  Block good_ = stream_.table.block();
};

TEST_F(Border, good_rows_are_taken_by_all) {
  for (const auto& [name, way] : ways())
    EXPECT_NO_THROW(way(stream_, two_columns(), good_)) << name;
}

TEST_F(Border, nobody_takes_another_width) {
  const std::vector<double> cells(300, 1.0);
  expect_refused(dense_block(cells.data(), 100, 3), "three columns instead of two");
  expect_refused(dense_block(cells.data(), 100, 1), "one column instead of two");
}

TEST_F(Border, nobody_takes_sparse_rows) {
  const std::array<std::size_t, 3> starts{0, 1, 2};
  const std::array<std::uint32_t, 2> columns{0, 1};
  const std::array<double, 2> values{3, 4};
  Block sparse{.rows = 2, .columns = 2};
  sparse.sparse = {starts.data(), columns.data(), values.data()};
  expect_refused(sparse, "sparse rows");
}

TEST_F(Border, nobody_takes_a_missing_or_infinite_cell) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    std::vector<double> cells = stream_.table.values();
    cells[301] = bad;
    expect_refused(dense_block(cells.data(), 200, 2), "a cell of " + std::to_string(bad));
  }
}

TEST_F(Border, nobody_takes_a_weight_that_is_none) {
  for (const double bad : {-1.0, std::nan(""), HUGE_VAL}) {
    std::vector<double> weights(200, 1.0);
    weights[150] = bad;
    Block rows = good_;
    rows.side.weight = weights.data();
    expect_refused(rows, "a weight of " + std::to_string(bad));
  }
}

TEST_F(Border, nobody_takes_a_label_that_names_nothing) {
  std::vector<double> labels(200, std::numeric_limits<double>::quiet_NaN());
  labels[20] = 17;
  Block rows = good_;
  rows.side.label = labels.data();
  expect_refused(rows, "a label of component 17");
}

/// A caller's own arrays do not know where they lie in the stream; the error does.
TEST_F(Border, rows_are_counted_from_the_first_of_the_stream) {
  std::vector<double> cells = stream_.table.values();
  cells[2 * 7] = std::nan("");
  const Block bad = dense_block(cells.data(), 200, 2);
  const auto refused_row = [&](auto& run) {
    for (int portion = 0; portion < 250; ++portion) run.learn(good_);
    try {
      run.learn(bad);
    } catch (const RowError& error) {
      return error.row();
    }
    return std::uint64_t{0};
  };
  Online online(*stream_.model, two_columns());
  EXPECT_EQ(refused_row(online), 50'007U);
  Recursion recursion(*stream_.model, two_columns(), {.batch_size = 50});
  recursion.begin(stream_.theta);
  EXPECT_EQ(refused_row(recursion), 50'007U);
}

/// A number that is saved goes on: in another process too, rows count from the first of the stream.
TEST_F(Border, rows_are_counted_on_after_a_run_was_saved) {
  std::vector<double> cells = stream_.table.values();
  cells[2 * 7] = std::nan("");
  const Block bad = dense_block(cells.data(), 200, 2);
  const auto refused_row = [&](auto& run, auto& later) {
    for (int portion = 0; portion < 10; ++portion) run.learn(good_);
    later.load(run.save());
    try {
      later.learn(bad);
    } catch (const RowError& error) {
      return error.row();
    }
    return std::uint64_t{0};
  };
  Online online(*stream_.model, two_columns());
  Online online_later(*stream_.model, two_columns());
  EXPECT_EQ(refused_row(online, online_later), 2007U);
  Recursion recursion(*stream_.model, two_columns(), {.batch_size = 50});
  Recursion recursion_later(*stream_.model, two_columns(), {.batch_size = 50});
  recursion.begin(stream_.theta);
  EXPECT_EQ(refused_row(recursion, recursion_later), 2007U);
}

TEST_F(Border, a_source_of_other_columns_is_refused) {
  const std::vector<double> cells(300, 1.0);
  Batch batch(*stream_.model, two_columns());
  batch.begin(stream_.theta);
  for (const std::size_t width : {1U, 3U}) {
    MemorySource source(Schema::numbered(width), dense_block(cells.data(), 100, width));
    EXPECT_THROW(batch.iterate(source), Error);
    EXPECT_THROW(batch.evaluate(source), Error);
  }
}

/// A column that is no datum would be fitted as one.
TEST_F(Border, nobody_takes_a_column_in_a_role_that_the_model_has_not) {
  Schema schema = two_columns();
  schema.roles = {Role::data, Role::exposure};
  for (const auto& [name, way] : ways()) {
    if (name == "fit by batch EM") continue;  // see below
    EXPECT_THROW(way(stream_, schema, good_), Error) << name;
  }
  MemorySource source(schema, good_);
  EXPECT_THROW(Fit(*stream_.model, {}).run(source), Error);
}

TEST_F(Border, what_is_to_be_held_has_to_be_there) {
  const Regularisation held{.fixed = std::make_shared<const Fixed>(Fixed::parse("mean"))};
  Batch batch(*stream_.model, two_columns(), {.regularisation = held});
  EXPECT_THROW(batch.begin(stream_.theta), UsageError);
  Online online(*stream_.model, two_columns(), {.buffer = 100, .regularisation = held});
  EXPECT_THROW(online.learn(good_), UsageError);
}

TEST_F(Border, a_fit_refuses_what_its_method_does_not_know) {
  for (const Method method : {Method::batch, Method::incremental, Method::exact})
    EXPECT_THROW(Fit(*stream_.model, {.method = method, .passes = 2}), UsageError);
  EXPECT_THROW(Fit(*stream_.model, {.method = Method::online, .runs = 2}), UsageError);
  EXPECT_THROW(Fit(*stream_.model, {.batch = {.reduce = [](Sums&, double&) {}}}), UsageError);
  EXPECT_THROW(Recursion(*stream_.model, two_columns(),
                         {.update = Update::gradient, .regularisation = {.ridge = 1}}),
               UsageError);
}

/// An estimator that goes over its rows again looks at them when they are new, not only the first time.
TEST_F(Border, other_rows_are_looked_at_again) {
  Batch batch(*stream_.model, two_columns());
  batch.begin(stream_.theta);
  batch.iterate(good_);
  std::vector<double> cells = stream_.table.values();
  cells[5] = std::nan("");
  EXPECT_THROW(batch.iterate(dense_block(cells.data(), 200, 2)), RowError);
}

}  // namespace test_border
