// Marginals and conditionals: p(a, b) = p(a) p(b | a), and both ways round agree.
#include <thalweg/catalogue/parts.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace test_parts {

using namespace thalweg;

using Columns = std::vector<std::size_t>;

constexpr std::size_t d = 4;

double normal(Random& random) {  // Box and Muller 1958
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307 * random.uniform());
}

/// Random parameters; matrices are M M' + I / 2.
Fitted mixture(const std::string& kind, std::uint64_t seed) {
  Fitted fitted = prepare(find_entry("gaussian"), {{"components", "3"}, {"covariance", kind}},
                          {{"a", "b", "c", "d"}});
  Random random(seed);
  const auto fill = [&](auto values, auto draw) {
    for (double& value : values) value = draw();
  };
  std::ranges::copy(std::vector<double>{0.5, 0.3, 0.2}, fitted.parameters["weights"].begin());
  fill(fitted.parameters["means"], [&] { return 3 * normal(random); });
  const auto covariances = fitted.parameters["covariances"];
  fill(covariances, [&] { return 0.5 + random.uniform(); });
  if (kind == "full" || kind == "tied")
    for (std::size_t at = 0; at < covariances.size(); at += d * d) {
      std::vector<double> m(d * d);
      fill(std::span(m), [&] { return normal(random); });
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) {
          double sum = i == j ? 0.5 : 0;
          for (std::size_t l = 0; l < d; ++l) sum += m[i * d + l] * m[j * d + l];
          covariances[at + i * d + j] = sum;
        }
    }
  calibrate(*fitted.model, dense_block(nullptr, 0, d), fitted.parameters);
  return fitted;
}

double log_density(const Fitted& fitted, const std::vector<double>& row) {
  Explanation seen;
  explain(*fitted.model, fitted.parameters, dense_block(row.data(), 1, row.size()), seen);
  return seen.log_density[0];
}

std::vector<double> pick(const std::vector<double>& row, const Columns& columns) {
  std::vector<double> picked;
  for (const std::size_t j : columns) picked.push_back(row[j]);
  return picked;
}

class GaussianParts : public testing::TestWithParam<std::string> {};

TEST_P(GaussianParts, joint_is_marginal_times_conditional) {
  const Fitted joint = mixture(GetParam(), 1);
  Random random(2);
  for (const Columns& given : {Columns{0}, Columns{2, 0}, Columns{3, 1, 2}}) {
    Columns others;
    for (std::size_t j = 0; j < d; ++j)
      if (std::ranges::find(given, j) == given.end()) others.push_back(j);
    for (int i = 0; i < 20; ++i) {
      std::vector<double> row(d);
      for (double& y : row) y = 4 * normal(random);
      const Fitted rest = condition(joint, given, pick(row, given));
      EXPECT_EQ(rest.options.text("covariance"), GetParam());
      EXPECT_NEAR(log_density(joint, row),
                  log_density(marginal(joint, given), pick(row, given)) +
                      log_density(rest, pick(row, others)),
                  1e-10 * std::abs(log_density(joint, row)));
    }
  }
}

TEST_P(GaussianParts, marginal_of_a_conditional_is_the_conditional_of_a_marginal) {
  const Fitted joint = mixture(GetParam(), 3);
  const std::vector<double> at{0.7};
  const Fitted one = marginal(condition(joint, {1}, at), {2, 0});  // of a, c, d: d and a
  const Fitted other = condition(marginal(joint, {3, 1, 0}), {1}, at);
  EXPECT_EQ(one.schema.columns, (std::vector<std::string>{"d", "a"}));
  EXPECT_EQ(other.schema.columns, one.schema.columns);
  for (const char* name : {"weights", "means", "covariances"})
    for (std::size_t i = 0; i < one.parameters[name].size(); ++i)
      EXPECT_NEAR(one.parameters[name][i], other.parameters[name][i], 1e-12) << name;
}

TEST_P(GaussianParts, one_condition_after_the_other) {
  const Fitted joint = mixture(GetParam(), 4);
  const std::vector<double> both{0.2, -0.4};
  const Fitted once = condition(joint, {1, 3}, both);
  const Fitted twice =
      condition(condition(joint, {1}, std::span(both).first(1)), {2}, std::span(both).last(1));
  for (const char* name : {"weights", "means", "covariances"})
    for (std::size_t i = 0; i < once.parameters[name].size(); ++i)
      EXPECT_NEAR(once.parameters[name][i], twice.parameters[name][i], 1e-10) << name;
}

TEST_P(GaussianParts, a_density_integrates_to_one) {
  const Fitted joint = mixture(GetParam(), 5);
  const std::vector<double> at{1.0, -1.0, 0.5};
  const Fitted rest = condition(joint, {0, 1, 2}, at);
  double sum = 0;
  for (double y = -60; y < 60; y += 0.01) sum += 0.01 * std::exp(log_density(rest, {y}));
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST_P(GaussianParts, far_away_the_weights_stay_finite) {
  const Fitted rest = condition(mixture(GetParam(), 6), {0}, std::vector<double>{1e8});
  double sum = 0;
  for (const double w : rest.parameters["weights"]) sum += w;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_TRUE(std::isfinite(log_density(rest, {0, 0, 0})));
}

INSTANTIATE_TEST_SUITE_P(Kinds, GaussianParts, testing::Values("full", "tied", "diag", "spherical"),
                         [](const auto& kind) { return kind.param; });

TEST(GaussianPartsRefuse, what_cannot_be) {
  const Fitted joint = mixture("full", 1);
  const std::vector<double> four(d);
  EXPECT_THROW(marginal(joint, {}), UsageError);
  EXPECT_THROW(marginal(joint, {4}), UsageError);
  EXPECT_THROW(marginal(joint, {1, 1}), UsageError);
  EXPECT_THROW(condition(joint, {0, 1, 2, 3}, four), UsageError);
  EXPECT_THROW(condition(joint, {0}, four), UsageError);
  EXPECT_THROW(columns_named(joint, {"e"}), UsageError);
  EXPECT_EQ(columns_named(joint, {"c", "a"}), (Columns{2, 0}));
}

/// A chain whose states emit what the components of mixture() are.
Fitted chain(const std::string& kind, std::uint64_t seed) {
  const Fitted emission = mixture(kind, seed);
  Fitted fitted = prepare(find_entry("hmm"),
                          {{"components", "3"}, {"emission", "gaussian"}, {"covariance", kind}},
                          emission.schema);
  std::ranges::copy(emission.parameters["weights"], fitted.parameters["start"].begin());
  std::ranges::copy(std::vector<double>{0.6, 0.3, 0.1, 0.15, 0.5, 0.35, 0.4, 0.1, 0.5},
                    fitted.parameters["transition"].begin());
  for (const char* name : {"means", "covariances"})
    std::ranges::copy(emission.parameters[name], fitted.parameters[name].begin());
  calibrate(*fitted.model, dense_block(nullptr, 0, d), fitted.parameters);
  return fitted;
}

/// Over all paths of states, with what each component says alone.
TEST_P(GaussianParts, in_a_chain_the_whole_sequence_tells_of_each_row) {
  const Fitted whole = chain(GetParam(), 8);
  const Columns given = {2, 0};
  const std::size_t rows = 4;
  std::vector<double> cells(rows * given.size());
  Random random(9);
  for (double& y : cells) y = 3 * normal(random);
  const auto cells_of = [&](std::size_t t) { return std::span(cells).subspan(t * 2, 2); };

  double density[rows][3];  // of a row's given columns in each state
  double told[rows][3][4];  // mean and sd of the others there
  for (std::size_t k = 0; k < 3; ++k) {
    Fitted alone = mixture(GetParam(), 8);
    for (std::size_t i = 0; i < 3; ++i) alone.parameters["weights"][i] = i == k ? 1 : 1e-300;
    const auto rest = condition_on(alone, given);
    for (std::size_t t = 0; t < rows; ++t) {
      Explanation seen;
      explain(*rest->given().model, rest->given().parameters, dense_block(cells_of(t).data(), 1, 2),
              seen);
      density[t][k] = std::exp(seen.log_density[0]);
      rest->tell(cells_of(t), seen, 0, told[t][k]);
    }
  }
  double total = 0;
  double mean[rows][2] = {};
  double square[rows][2] = {};
  for (std::size_t path = 0; path < 81; ++path) {
    const std::size_t x[rows] = {path / 27, path / 9 % 3, path / 3 % 3, path % 3};
    double p = whole.parameters["start"][x[0]];
    for (std::size_t t = 0; t < rows; ++t)
      p *= density[t][x[t]] * (t > 0 ? whole.parameters["transition"][x[t - 1] * 3 + x[t]] : 1);
    total += p;
    for (std::size_t t = 0; t < rows; ++t)
      for (std::size_t j = 0; j < 2; ++j) {
        const double* here = told[t][x[t]] + 2 * j;
        mean[t][j] += p * here[0];
        square[t][j] += p * (here[0] * here[0] + here[1] * here[1]);
      }
  }

  const auto rest = condition_on(whole, given);
  Explanation seen;
  explain(*rest->given().model, rest->given().parameters, dense_block(cells.data(), rows, 2), seen);
  for (std::size_t t = 0; t < rows; ++t) {
    double out[4];
    rest->tell(cells_of(t), seen, t, out);
    for (std::size_t j = 0; j < 2; ++j) {
      const double m = mean[t][j] / total;
      EXPECT_NEAR(out[2 * j], m, 1e-9);
      EXPECT_NEAR(out[2 * j + 1], std::sqrt(square[t][j] / total - m * m), 1e-8);
    }
  }
}

/// The examples of the whole catalogue, where they have such parts.
struct Kind {
  std::string entry;
  std::size_t example = 0;
};

[[maybe_unused]] void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.entry << " " << kind.example;
}

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const Entry& entry : catalogue())
    for (std::size_t i = 0; entry.parts && i < entry.examples().size(); ++i)
      all.push_back({entry.name, i});
  return all;
}

class CatalogueParts : public testing::TestWithParam<Kind> {
 protected:
  CatalogueParts() {
    const Entry& entry = find_entry(GetParam().entry);
    const Example example = entry.examples().at(GetParam().example);
    whole_ = prepare(entry, example.options, example.schema);
    whole_.parameters = example.truth;
    whole_.regularisation.floor = 1e-5;
    whole_.regularisation.ridge = 1e-4;
  }

  static std::vector<double> row_of(const Fitted& fitted, std::uint64_t number) {
    std::vector<double> cells(fitted.schema.width());
    Random random(7, number);
    draw(*fitted.model, fitted.parameters, random, cells.data());
    return cells;
  }

  Fitted whole_;
};

TEST_P(CatalogueParts, joint_is_marginal_times_conditional) {
  const auto conditional = condition_on(whole_, {1});
  Columns others = {0};
  for (std::size_t j = 2; j < whole_.schema.width(); ++j) others.push_back(j);
  EXPECT_EQ(conditional->others(), others);
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::vector<double> y = row_of(whole_, i);
    const Fitted rest = conditional->at(pick(y, {1}));
    const double joint = log_density(whole_, y);
    EXPECT_NEAR(
        joint, log_density(conditional->given(), pick(y, {1})) + log_density(rest, pick(y, others)),
        1e-10 * std::abs(joint));
    EXPECT_EQ(rest.regularisation.floor, 1e-5);
    EXPECT_EQ(rest.regularisation.ridge, 1e-4);
    EXPECT_FALSE(rest.training || rest.statistic);
  }
}

/// A marginal of all columns, in another order, has the density of the whole.
TEST_P(CatalogueParts, columns_come_in_the_order_that_is_asked_for) {
  Columns backwards;
  for (std::size_t j = whole_.schema.width(); j-- > 0;) backwards.push_back(j);
  const Fitted turned = marginal(whole_, backwards);
  EXPECT_EQ(turned.schema.columns[0], whole_.schema.columns.back());
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::vector<double> y = row_of(whole_, i);
    EXPECT_NEAR(log_density(turned, pick(y, backwards)), log_density(whole_, y), 1e-10);
  }
}

/// What is told of the other columns is what rows of their model show.
TEST_P(CatalogueParts, what_is_told_is_what_is_drawn) {
  constexpr std::size_t rows = 20'000;
  const auto conditional = condition_on(whole_, {0});
  const std::vector<double> value = pick(row_of(whole_, 3), {0});
  const Fitted rest = conditional->at(value);
  Explanation seen;
  explain(*conditional->given().model, conditional->given().parameters,
          dense_block(value.data(), 1, 1), seen);
  const std::vector<std::string> names = conditional->names();
  std::vector<double> told(names.size());
  conditional->tell(value, seen, 0, told);
  std::size_t at = 0;
  for (std::size_t j = 0; j < rest.schema.width(); ++j) {
    std::vector<double> cells;
    for (std::uint64_t t = 0; t < rows; ++t) cells.push_back(row_of(rest, 1000 + t)[j]);
    if (rest.schema.categorical(j)) {
      for (std::size_t l = 0; l < rest.schema.levels[j].size(); ++l, ++at) {
        EXPECT_EQ(names[at], rest.schema.columns[j] + "=" + rest.schema.levels[j][l]);
        const auto count = std::ranges::count(cells, static_cast<double>(l));
        EXPECT_NEAR(told[at], static_cast<double>(count) / rows, 5 * 0.5 / std::sqrt(rows));
      }
      continue;
    }
    double mean = 0;
    double square = 0;
    for (const double y : cells) mean += y / rows;
    for (const double y : cells) square += (y - mean) * (y - mean) / rows;
    EXPECT_EQ(names[at], rest.schema.columns[j]);
    EXPECT_EQ(names[at + 1], "sd_" + rest.schema.columns[j]);
    EXPECT_NEAR(told[at], mean, 5 * std::sqrt(square / rows));
    EXPECT_NEAR(told[at + 1], std::sqrt(square), 0.05 * std::sqrt(square));
    at += 2;
  }
  EXPECT_EQ(at, told.size());
}

INSTANTIATE_TEST_SUITE_P(Catalogue, CatalogueParts, testing::ValuesIn(kinds()),
                         [](const auto& test) {
                           return test.param.entry + "_" + std::to_string(test.param.example);
                         });

TEST(PartsRefuse, a_model_without_them_in_one_line) {
  Entry bare = find_entry("poisson");
  bare.parts = nullptr;
  const Fitted fitted = prepare(bare, {{"components", "2"}}, {{"a", "b"}});
  for (const bool alone : {true, false}) {
    try {
      alone ? static_cast<void>(marginal(fitted, {0}))
            : static_cast<void>(condition_on(fitted, {0}));
      ADD_FAILURE() << "nothing was refused";
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()), "a poisson model has no marginals and conditionals");
    }
  }
}

TEST(PartsRefuse, values_that_the_model_does_not_take) {
  Fitted counts = prepare(find_entry("poisson"), {{"components", "1"}}, {{"a", "b"}});
  std::ranges::fill(counts.parameters.values(), 1.0);
  EXPECT_THROW(condition(counts, {0}, std::vector<double>{1.5}), RowError);
  EXPECT_THROW(condition(counts, {0}, std::vector<double>{NAN}), RowError);
  EXPECT_NO_THROW(condition(counts, {0}, std::vector<double>{2}));
}

Fitted two_factors() {
  const Example example = find_entry("ppca").examples().at(1);
  Fitted fitted = prepare(find_entry("ppca"), example.options, example.schema);
  fitted.parameters = example.truth;
  return fitted;
}

/// Fewer given columns than factors are fine; a model needs more columns than factors that are left.
TEST(FactorParts, of_few_columns) {
  const Fitted fitted = two_factors();
  try {
    marginal(fitted, {0, 1});
    ADD_FAILURE() << "nothing was refused";
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "2 columns are left for 2 factors: more columns than factors are needed");
  }
  const std::vector<double> at{1.0, 2.0, 3.0};
  EXPECT_THROW(condition(fitted, {0, 1, 2}, at), UsageError);
  EXPECT_EQ(condition_on(fitted, {0, 1, 2})->names().size(),
            4U);  // but means and deviations are told
}

/// By the covariance of all columns, Sigma = W W' + noise I, with two given ones by Cramer's rule.
TEST(FactorParts, textbook) {
  const Fitted fitted = two_factors();
  const auto W = fitted.parameters["loadings"];
  const auto mean = fitted.parameters["mean"];
  const auto sigma = [&](std::size_t i, std::size_t j) {
    return W[2 * i] * W[2 * j] + W[2 * i + 1] * W[2 * j + 1] +
           (i == j ? fitted.parameters["noise_variance"][0] : 0);
  };
  const std::vector<double> at{0.7, -2.0};  // columns 3 and 1
  const Fitted rest = condition(fitted, {3, 1}, at);
  const Columns others = {0, 2, 4};
  const double determinant = sigma(3, 3) * sigma(1, 1) - sigma(3, 1) * sigma(1, 3);
  const auto V = rest.parameters["loadings"];
  for (std::size_t i = 0; i < others.size(); ++i) {
    const double a = sigma(others[i], 3);
    const double b = sigma(others[i], 1);
    const double by_3 = (a * sigma(1, 1) - b * sigma(1, 3)) / determinant;
    const double by_1 = (b * sigma(3, 3) - a * sigma(3, 1)) / determinant;
    EXPECT_NEAR(rest.parameters["mean"][i],
                mean[others[i]] + by_3 * (at[0] - mean[3]) + by_1 * (at[1] - mean[1]), 1e-12);
    for (std::size_t j = 0; j < others.size(); ++j)
      EXPECT_NEAR(
          V[2 * i] * V[2 * j] + V[2 * i + 1] * V[2 * j + 1] +
              (i == j ? rest.parameters["noise_variance"][0] : 0),
          sigma(others[i], others[j]) - by_3 * sigma(3, others[j]) - by_1 * sigma(1, others[j]),
          1e-12);
  }
}

}  // namespace test_parts
