// Mixtures of categorical columns against a slow version of latent class analysis, with missing cells, at the floor, and in
// closed form.
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/estimators/batch.hpp>
#include <thalweg/families/categorical.hpp>
#include <thalweg/models/linear_form.hpp>
#include <thalweg/models/mixture.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace test_categorical {

using namespace thalweg;
using Real = long double;
using Tables = std::vector<std::vector<std::vector<Real>>>;  // column, component, level

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

struct Lca {
  std::vector<Real> weights;
  Tables p;
};

/// Latent class analysis as the textbooks have it: posteriors of every row, then shares of posteriors; cells that are missing are
/// left out of the product and of the shares of their column.
Real slow_iteration(Lca& theta, const std::vector<std::vector<double>>& rows) {
  const std::size_t K = theta.weights.size();
  Real log_likelihood = 0;
  std::vector<std::vector<Real>> posterior;
  for (const auto& row : rows) {
    std::vector<Real> joint = theta.weights;
    Real density = 0;
    for (std::size_t k = 0; k < K; ++k) {
      for (std::size_t j = 0; j < row.size(); ++j)
        if (!std::isnan(row[j])) joint[k] *= theta.p[j][k][static_cast<std::size_t>(row[j])];
      density += joint[k];
    }
    log_likelihood += std::log(density);
    for (Real& x : joint) x /= density;
    posterior.push_back(joint);
  }
  for (std::size_t k = 0; k < K; ++k) {
    theta.weights[k] = 0;
    for (const auto& r : posterior) theta.weights[k] += r[k] / Real(rows.size());
    for (std::size_t j = 0; j < theta.p.size(); ++j) {
      Real seen = 0;
      std::vector<Real> counts(theta.p[j][k].size());
      for (std::size_t t = 0; t < rows.size(); ++t) {
        if (std::isnan(rows[t][j])) continue;
        seen += posterior[t][k];
        counts[static_cast<std::size_t>(rows[t][j])] += posterior[t][k];
      }
      for (std::size_t l = 0; l < counts.size(); ++l) theta.p[j][k][l] = counts[l] / seen;
    }
  }
  return log_likelihood;
}

const Categorical family{{3, 2, 4}};
const Mixture<Categorical> mixture(family, 2);

Lca start() {
  return {{0.4L, 0.6L},
          {{{0.5L, 0.3L, 0.2L}, {0.2L, 0.3L, 0.5L}},
           {{0.7L, 0.3L}, {0.4L, 0.6L}},
           {{0.4L, 0.3L, 0.2L, 0.1L}, {0.1L, 0.2L, 0.2L, 0.5L}}}};
}

Parameters parameters(const Lca& theta) {
  Parameters out(mixture.plan(Schema::numbered(3)).parameters);
  for (std::size_t k = 0; k < 2; ++k) {
    out["weights"][k] = static_cast<double>(theta.weights[k]);
    std::size_t at = k * family.total();
    for (const auto& table : theta.p)
      for (const Real p : table[k]) out["probabilities"][at++] = static_cast<double>(p);
  }
  return out;
}

/// Rows of a truth of two classes; one cell in seven is missing, and two rows know nothing at all.
std::vector<std::vector<double>> drawn(std::size_t n, bool holes) {
  const Parameters truth = parameters({{0.35L, 0.65L},
                                       {{{0.8L, 0.15L, 0.05L}, {0.1L, 0.3L, 0.6L}},
                                        {{0.9L, 0.1L}, {0.25L, 0.75L}},
                                        {{0.7L, 0.1L, 0.1L, 0.1L}, {0.05L, 0.15L, 0.2L, 0.6L}}}});
  std::vector<std::vector<double>> rows(n, std::vector<double>(3));
  for (std::size_t t = 0; t < n; ++t) {
    Random random(5, t);
    draw(mixture, truth, random, rows[t].data());
    for (double& y : rows[t])
      if (holes && random.index(7) == 0) y = missing;
    if (holes && t % 200 == 17) rows[t].assign(3, missing);
  }
  return rows;
}

Table table_of(const std::vector<std::vector<double>>& rows) {
  Table table(rows[0].size());
  for (const auto& row : rows) table.append_row(row.data());
  return table;
}

TEST(Categorical, batch_em_is_the_textbooks) {
  for (const bool holes : {false, true}) {
    const auto rows = drawn(400, holes);
    const Table table = table_of(rows);
    const Block block = table.block();
    Lca slow = start();
    Batch batch(mixture, Schema::numbered(3), {.max_iterations = 1000});
    batch.begin(parameters(start()));
    for (int i = 0; i < 40; ++i) {
      const auto log_likelihood = static_cast<double>(slow_iteration(slow, rows));
      batch.iterate(block);
      ASSERT_NEAR(batch.log_likelihood(), log_likelihood, 1e-10 * std::abs(log_likelihood)) << i;
      const Parameters expected = parameters(slow);
      for (std::size_t l = 0; l < expected.size(); ++l)
        ASSERT_NEAR(batch.parameters().data()[l], expected.data()[l], 1e-11) << i << " " << l;
    }
  }
}

TEST(Categorical, a_missing_cell_says_nothing) {
  const Parameters theta = parameters(start());
  Explanation whole;
  Explanation part;
  const std::vector<double> hole{2, missing, 1};
  explain(mixture, theta, dense_block(hole.data(), 1, 3), whole);
  double sum = 0;  // of the densities of everything that it could have been
  for (const double level : {0.0, 1.0}) {
    const std::vector<double> row{2, level, 1};
    explain(mixture, theta, dense_block(row.data(), 1, 3), part);
    sum += std::exp(part.log_density[0]);
  }
  EXPECT_NEAR(std::exp(whole.log_density[0]), sum, 1e-15);
  const std::vector<double> nothing(3, missing);
  explain(mixture, theta, dense_block(nothing.data(), 1, 3), part);
  EXPECT_NEAR(part.log_density[0], 0, 1e-15);
  EXPECT_NEAR(part.posterior[0], 0.4, 1e-15);
}

TEST(Categorical, densities_sum_to_one) {
  const Parameters theta = parameters(start());
  double sum = 0;
  for (int i = 0; i < 24; ++i) {
    const std::vector<double> row{static_cast<double>(i % 3), static_cast<double>(i / 3 % 2),
                                  static_cast<double>(i / 6)};
    Explanation e;
    explain(mixture, theta, dense_block(row.data(), 1, 3), e);
    sum += std::exp(e.log_density[0]);
  }
  EXPECT_NEAR(sum, 1, 1e-14);
}

// The form that looks up and the form that multiplies out say the same.
TEST(Categorical, the_form_is_linear) {
  const Table table = table_of(drawn(130, true));
  const Parameters theta = parameters(start());
  const Extent e{2, 3};
  CategoricalForm quick(family, theta.data() + 2, e);
  LinearForm<Categorical> plain(family, theta.data() + 2, e);
  for (const std::size_t rows : {1U, 9U, 128U}) {
    std::vector<double> workspaces[2] = {std::vector<double>(quick.workspace()),
                                         std::vector<double>(plain.workspace())};
    std::vector<double> scores[2];
    std::vector<double> sums[2];
    for (auto& s : scores) s.resize(2 * kernels::tile_stride, 0.75);
    for (auto& s : sums) s.resize(2 * family.width(e));
    quick.read(table.block(), 2, rows, workspaces[0].data());
    plain.read(table.block(), 2, rows, workspaces[1].data());
    quick.score(workspaces[0].data(), rows, scores[0].data());
    plain.score(workspaces[1].data(), rows, scores[1].data());
    for (std::size_t k = 0; k < 2; ++k)
      for (std::size_t t = 0; t < rows; ++t) {
        const std::size_t at = k * kernels::tile_stride + t;
        EXPECT_NEAR(scores[0][at], scores[1][at], 1e-13);
        scores[0][at] = scores[1][at] = 0.1 * static_cast<double>(1 + (t + k) % 5);
      }
    for (std::size_t k = 0; k < 2; ++k)
      for (std::size_t t = rows; t < kernels::tile_stride; ++t)
        scores[0][k * kernels::tile_stride + t] = scores[1][k * kernels::tile_stride + t] = 0;
    quick.accumulate(workspaces[0].data(), scores[0].data(), rows, nullptr, sums[0].data());
    plain.accumulate(workspaces[1].data(), scores[1].data(), rows, nullptr, sums[1].data());
    for (std::size_t i = 0; i < sums[0].size(); ++i) EXPECT_NEAR(sums[0][i], sums[1][i], 1e-12);
  }
}

// One class has a closed form: the shares of the levels among the cells that are known.
TEST(Categorical, one_class_is_a_table_of_shares) {
  const auto rows = drawn(300, true);
  const Table table = table_of(rows);
  const Mixture<Categorical> one(family, 1);
  Random random(1);
  Batch batch(one, Schema::numbered(3), {});
  batch.begin(one.start(one.plan(Schema::numbered(table.block().columns)), table.block(), random));
  batch.run(table.block());
  std::size_t at = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    double seen = 0;
    for (const auto& row : rows) seen += std::isnan(row[j]) ? 0 : 1;
    for (std::size_t l = 0; l < family.levels[j]; ++l, ++at) {
      double count = 0;
      for (const auto& row : rows) count += row[j] == static_cast<double>(l) ? 1 : 0;
      EXPECT_NEAR(batch.parameters()["probabilities"][at], count / seen, 1e-12);
    }
  }
}

TEST(Categorical, a_level_that_is_not_seen_reaches_the_floor_and_is_counted) {
  auto rows = drawn(200, false);
  for (auto& row : rows)
    if (row[0] == 1) row[0] = 0;
  const Table table = table_of(rows);
  Parameters theta = parameters(start());
  Sums sums(mixture.plan(Schema::numbered(3)).statistic);
  expect(mixture, theta, table.block(), sums);
  Events events;
  maximise(mixture, mean(sums), {.events = &events}, theta);
  EXPECT_EQ(events[Event::floor_reached], 2U);
  EXPECT_TRUE(events.columns(Event::floor_reached).has(0));
  for (std::size_t k = 0; k < 2; ++k) {
    const auto p = theta["probabilities"].subspan(k * 9, 3);
    EXPECT_NEAR(p[1], 1e-12, 1e-20);
    EXPECT_NEAR(p[0] + p[1] + p[2], 1, 1e-15);
  }
  const std::vector<double> surprise{1, 0, 0};  // unlikely, not impossible
  Explanation e;
  explain(mixture, theta, dense_block(surprise.data(), 1, 3), e);
  EXPECT_LT(e.log_density[0], -27);
  EXPECT_TRUE(std::isfinite(e.log_density[0]));
  theta["probabilities"][1] = theta["probabilities"][10] = 0;  // as a file may say
  explain(mixture, theta, dense_block(surprise.data(), 1, 3), e);
  EXPECT_TRUE(std::isfinite(e.log_density[0]));
}

// A column that a class has never seen keeps what it had; at the start its levels are alike.
TEST(Categorical, a_column_without_cells) {
  auto rows = drawn(100, false);
  for (auto& row : rows) row[2] = missing;
  const Table table = table_of(rows);
  Random random(1);
  Parameters theta =
      mixture.start(mixture.plan(Schema::numbered(table.block().columns)), table.block(), random);
  for (std::size_t l = 5; l < 9; ++l) EXPECT_EQ(theta["probabilities"][l], 0.25);
  theta = parameters(start());
  Sums sums(mixture.plan(Schema::numbered(3)).statistic);
  expect(mixture, theta, table.block(), sums);
  maximise(mixture, mean(sums), {}, theta);
  EXPECT_EQ(theta["probabilities"][5], 0.4);
  EXPECT_EQ(theta["probabilities"][14], 0.1);
  EXPECT_NE(theta["probabilities"][0], 0.5);
}

// n_0 rows of the usual prior are n_0 / (K levels) pseudo-counts a level and n_0 / K a class.
TEST(Categorical, the_prior_is_a_dirichlet) {
  const auto rows = drawn(150, true);
  const Table table = table_of(rows);
  const Mixture<Categorical> one(family, 1);
  const Plan plan = one.plan(Schema::numbered(3));
  Parameters theta(plan.parameters);
  const Regularisation regularisation = settle(one, {.prior_strength = 12}, plan, table.block());
  Batch batch(one, Schema::numbered(3), {.regularisation = regularisation});
  Random random(1);
  batch.begin(one.start(one.plan(Schema::numbered(table.block().columns)), table.block(), random));
  batch.run(table.block());
  double seen = 0;
  double count = 0;
  for (const auto& row : rows) {
    seen += std::isnan(row[2]) ? 0 : 1;
    count += row[2] == 3 ? 1 : 0;
  }
  EXPECT_NEAR(batch.parameters()["probabilities"][8], (count + 12.0 / 4) / (seen + 12), 1e-12);
}

// Starts find classes that differ in every column, with every seed.
TEST(Categorical, starts_tell_classes_apart) {
  const Categorical wide{std::vector<std::size_t>(8, 3)};
  const Mixture<Categorical> three(wide, 3);
  Table table(8);
  for (std::size_t t = 0; t < 300; ++t) {
    Random random(9, t);
    std::vector<double> row(8);
    for (double& y : row)
      y = random.index(10) == 0 ? missing
                                : static_cast<double>((t + (random.index(10) == 0 ? 1 : 0)) % 3);
    table.append_row(row.data());
  }
  int found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    Batch batch(three, Schema::numbered(8), {});
    batch.begin(three.start(batch.plan(), table.block(), random));
    batch.run(table.block());
    const auto weights = batch.parameters()["weights"];
    found += std::ranges::max(weights) < 0.4 ? 1 : 0;
  }
  EXPECT_GE(found, 16);
}

TEST(Categorical, cells_outside_the_levels_are_refused) {
  const Schema schema = Schema::numbered(3);
  for (const auto& [row, good] :
       std::vector<std::pair<std::vector<double>, bool>>{{{2, 1, 3}, true},
                                                         {{3, 1, 3}, false},
                                                         {{2, 2, 3}, false},
                                                         {{-1, 0, 0}, false},
                                                         {{0.5, 0, 0}, false},
                                                         {{missing, missing, 0}, true},
                                                         {{HUGE_VAL, 0, 0}, false}}) {
    const Block block = dense_block(row.data(), 1, 3);
    if (good) {
      EXPECT_NO_THROW(mixture.check(schema, block));
    } else {
      EXPECT_THROW(mixture.check(schema, block), RowError) << row[0] << row[1] << row[2];
    }
  }
}

}  // namespace test_categorical
