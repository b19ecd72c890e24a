// Rows drawn from a model: row t is the same in every cut and on every pass.
#include "reading.hpp"
#include <thalweg/core/random.hpp>
#include <thalweg/families/poisson.hpp>
#include <thalweg/models/mixture.hpp>
#include <thalweg/sources/simulated.hpp>

namespace thalweg {
namespace simulated {

class Simulated : public testing::Test {
 protected:
  Simulated() {
    model = ModelHandle(Mixture(Poisson{}, 2)).shared();
    theta = Parameters(model->plan(schema).parameters);
    theta["weights"][0] = 0.3;
    theta["weights"][1] = 0.7;
    theta["rates"][0] = 2;
    theta["rates"][1] = 40;
  }

  SimulatedSource source_of(SimulatedOptions options) const {
    return {model, schema, theta, options};
  }

  Schema schema{{"count"}};
  std::shared_ptr<const Model> model;
  Parameters theta;
};

TEST_F(Simulated, RowTHasTheStreamOfRowT) {
  auto source = source_of({.rows = 100, .seed = 9, .block_rows = 16});
  const Rows rows = read_all(source);
  ASSERT_EQ(rows.size(), 100U);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    Random random(9, t);
    double expected = 0;
    draw(*model, theta, random, &expected);
    EXPECT_EQ(rows[t], std::vector<double>{expected});
  }
}

TEST_F(Simulated, DoesNotDependOnTheCut) {
  auto whole = source_of({.rows = 1000, .seed = 4, .block_rows = 8192});
  const Rows expected = read_all(whole);
  for (const std::size_t block_rows : {1U, 2U, 7U, 1000U}) {
    auto source = source_of({.rows = 1000, .seed = 4, .block_rows = block_rows});
    EXPECT_EQ(read_all(source), expected);
  }
}

TEST_F(Simulated, RewindsToTheSameRows) {
  auto source = source_of({.rows = 50, .seed = 4});
  const Rows first = read_all(source);
  ASSERT_TRUE(source.rewind());
  EXPECT_EQ(read_all(source), first);
  auto other = source_of({.rows = 50, .seed = 5});
  EXPECT_NE(read_all(other), first);
}

TEST_F(Simulated, KnowsItsLengthAndShare) {
  auto source = source_of({.rows = 40, .block_rows = 10});
  EXPECT_EQ(source.schema(), schema);
  EXPECT_EQ(source.rows(), 40U);
  EXPECT_EQ(source.share_read(), 0.0);
  Block block;
  ASSERT_TRUE(source.next(block));
  EXPECT_EQ(source.share_read(), 0.25);
  EXPECT_EQ(read_all(source).size(), 30U);
  EXPECT_EQ(source.share_read(), 1.0);
}

TEST_F(Simulated, DrawsFromTheModel) {
  auto source = source_of({.rows = 20000, .seed = 1});
  double sum = 0;
  for (const auto& row : read_all(source)) sum += row[0];
  // mean 0.3·2 + 0.7·40 = 28.6, standard deviation of the mean 0.13
  EXPECT_NEAR(sum / 20000, 28.6, 0.6);
}

TEST_F(Simulated, RefusesEmptyBlocks) {
  EXPECT_THROW(source_of({.rows = 1, .block_rows = 0}), UsageError);
  auto none = source_of({.rows = 0});
  Block block;
  EXPECT_FALSE(none.next(block));
}

}  // namespace simulated
}  // namespace thalweg
