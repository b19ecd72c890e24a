// The maximum a posteriori under a conjugate prior: with one component it has a closed form, which one pass at rate 1/n reaches by
// every method. With S_0 and n_0 of the prior, S and n of the rows, it is theta-bar((n S + n_0 S_0) / (n + n_0)).
#include "runs.hpp"
#include <thalweg/estimators/fit.hpp>
#include <thalweg/estimators/incremental.hpp>
#include <thalweg/estimators/slowest.hpp>
#include <thalweg/estimators/variance_reduced.hpp>
#include <thalweg/sources/memory.hpp>

namespace test_map {

using namespace runs;

/// What every method ends with; names for messages.
template <class M>
std::vector<std::pair<std::string, Parameters>> all_ends(const M& model, const Parameters& start,
                                                         const Table& table,
                                                         const Regularisation& regularisation) {
  const Schema schema = Schema::numbered(table.columns());
  const Block rows = table.block();
  std::vector<std::pair<std::string, Parameters>> ends;
  for (const std::size_t m : {1U, 7U}) {
    Recursion online(
        model, schema,
        {.step = Schedule::reciprocal(), .batch_size = m, .regularisation = regularisation});
    online.begin(start);
    online.learn(rows);
    online.finish();
    ends.emplace_back("online", online.parameters());
    Incremental incremental(
        model, schema, {.batch_size = m, .max_iterations = 1, .regularisation = regularisation});
    incremental.begin(start);
    incremental.run(rows);
    ends.emplace_back("incremental", incremental.parameters());
    VarianceReduced reduced(
        model, schema, {.batch_size = m, .max_iterations = 1, .regularisation = regularisation});
    reduced.begin(start);
    reduced.run(rows);
    ends.emplace_back("variance-reduced", reduced.parameters());
  }
  for (const Acceleration accelerate : {Acceleration::none, Acceleration::squarem}) {
    Batch batch(model, schema,
                {.max_iterations = 1, .accelerate = accelerate, .regularisation = regularisation});
    batch.begin(start);
    batch.run(rows);
    ends.emplace_back("batch", batch.parameters());
  }
  return ends;
}

constexpr double n_0 = 12;

/// One Poisson that begins at 2, and a gamma prior of n_0 rows whose mean is 9.
struct OneRate {
  OneRate() {
    S_0->data()[0] = 1;
    S_0->data()[1] = 9;
    S_0->weight = n_0;
    start["weights"][0] = 1;
    start["rates"][0] = 2;
  }
  PoissonMixture model{{}, 1};
  Plan plan = model.plan(Schema::numbered(1));
  std::shared_ptr<Statistic> S_0 = std::make_shared<Statistic>(plan.statistic);
  Parameters start{plan.parameters};
};

// rate = (sum y + n_0 mean_0) / (n + n_0).
TEST(Map, poisson_has_its_closed_form) {
  const OneRate one;
  Table table(1);
  double sum = 0;
  for (int t = 0; t < 50; ++t) {
    const double y = static_cast<double>(t * t % 7);
    table.append_row(&y);
    sum += y;
  }
  for (const auto& [name, theta] : all_ends(one.model, one.start, table, {.prior = one.S_0}))
    EXPECT_NEAR(theta["rates"][0], (sum + n_0 * 9) / (50 + n_0), 1e-12) << name;

  // The gradient recursion gets there in time: its target is the same.
  Recursion gradient(one.model, Schema::numbered(1),
                     {.update = Update::gradient,
                      .step = Schedule::power(0.6),
                      .batch_size = 50,
                      .average = {.kind = Averaging::Kind::off},
                      .regularisation = {.prior = one.S_0}});
  gradient.begin(one.start);
  gradient.repeat(50);
  for (int pass = 0; pass < 200; ++pass) gradient.learn(table.block());
  EXPECT_NEAR(gradient.parameters()["rates"][0], (sum + n_0 * 9) / (50 + n_0), 1e-9);
}

// Normal-inverse-Wishart kernel: first and second moments are pooled.
TEST(Map, gaussian_has_its_closed_form) {
  const GaussianMixture model(Gaussian(Covariance::full), 1);
  const Schema schema = Schema::numbered(2);
  const textbook::Data data = samples::draw(samples::three_gaussians(), 60, 9);
  const Table table = samples::table(data);
  const Plan plan = model.plan(schema);
  Random random(1);
  const Parameters start =
      model.start(model.plan(Schema::numbered(table.block().columns)), table.block(), random);
  const Regularisation regularisation = settle(model, {.prior_strength = n_0}, plan, table.block());
  const Parameters& gauge = start;
  double mean[2] = {};
  double second[2][2] = {};
  for (const auto& row : data.rows)
    for (std::size_t i = 0; i < 2; ++i) {
      const double z_i = (row[i] - gauge["shift"][i]) / gauge["scale"][i];
      mean[i] += z_i;
      for (std::size_t j = 0; j < 2; ++j)
        second[i][j] += z_i * (row[j] - gauge["shift"][j]) / gauge["scale"][j];
    }
  const auto pooled = [&](double sum, std::size_t at) {
    return (sum + n_0 * regularisation.prior->data()[at]) / (60 + n_0);
  };
  for (const auto& [name, theta] : all_ends(model, start, table, regularisation)) {
    for (std::size_t i = 0; i < 2; ++i) {
      const double m_i = pooled(mean[i], 1 + i);
      EXPECT_NEAR(theta["means"][i], gauge["shift"][i] + gauge["scale"][i] * m_i, 1e-10) << name;
      for (std::size_t j = 0; j <= i; ++j) {
        const double v =
            pooled(second[i][j], 3 + i * (i + 1) / 2 + j) - m_i * pooled(mean[j], 1 + j);
        EXPECT_NEAR(theta["covariances"][2 * i + j], gauge["scale"][i] * gauge["scale"][j] * v,
                    1e-9)
            << name;
      }
    }
  }
}

// Rates G (1-G)^j remember (2-G)/G mini-batches: a prior is weighed against no more rows, however many were seen.
TEST(Map, a_constant_step_counts_the_rows_it_remembers) {
  const OneRate one;
  Recursion run(one.model, Schema::numbered(1),
                {.step = Schedule::constant(0.1),
                 .batch_size = 5,
                 .average = {.kind = Averaging::Kind::off},
                 .regularisation = {.prior = one.S_0}});
  run.begin(one.start);
  Table table(1);
  const double y = 3;
  for (int t = 0; t < 5; ++t) table.append_row(&y);
  run.learn(table.block());
  const double first = run.statistic()["sums"][0];
  const double share = run.statistic()["weights"][0];
  EXPECT_NEAR(run.parameters()["rates"][0], (5 * first + n_0 * 9) / (5 * share + n_0), 1e-12);
  for (int k = 0; k < 2000; ++k) run.learn(table.block());
  const double n = 5 * (2 - 0.1) / 0.1;
  EXPECT_NEAR(run.parameters()["rates"][0], (n * 3 + n_0 * 9) / (n + n_0), 1e-9);
}

// Batch{.regularisation = {.prior_strength = 100}} was the fit without a prior.
TEST(Map, a_strength_that_no_rows_have_scaled_is_refused) {
  const OneRate one;
  const Schema schema = Schema::numbered(1);
  const Regularisation regularisation{.prior_strength = 100};
  EXPECT_THROW(Batch(one.model, schema, {.regularisation = regularisation}), UsageError);
  EXPECT_THROW(Incremental(one.model, schema, {.regularisation = regularisation}), UsageError);
  EXPECT_THROW(VarianceReduced(one.model, schema, {.regularisation = regularisation}), UsageError);
  EXPECT_THROW(Recursion(one.model, schema, {.regularisation = regularisation}), UsageError);
  Online online(one.model, schema, {.regularisation = regularisation});
  EXPECT_THROW(online.begin(one.start, Statistic(one.plan.statistic), 10), UsageError);
  const double y = 5;
  const Block rows = dense_block(&y, 1, 1);
  EXPECT_THROW(slowest_direction(one.model, one.plan, one.start, rows, regularisation), UsageError);
  const Regularisation settled = settle(one.model, regularisation, one.plan, rows);
  EXPECT_NO_THROW(Batch(one.model, schema, {.regularisation = settled}));
}

// The prior of a file has the constants of that file: every method sees it with those of where it begins.
TEST(Map, a_prior_is_seen_with_the_constants_of_the_start) {
  const GaussianMixture model(Gaussian(Covariance::diag), 1);
  const Plan plan = model.plan(Schema::numbered(1));
  Parameters start(plan.parameters);
  start["weights"][0] = 1;
  start["means"][0] = 3;
  start["covariances"][0] = 2;
  start["shift"][0] = 1;
  start["scale"][0] = 4;
  Parameters elsewhere = start;
  elsewhere["shift"][0] = -2;
  elsewhere["scale"][0] = 0.5;
  auto S_0 = std::make_shared<Statistic>(plan.statistic);
  (*S_0)["weights"][0] = 1;
  (*S_0)["sums"][0] = 4;
  (*S_0)["squares"][0] = 20;
  S_0->weight = n_0;
  // y = shift + scale z: the prior's mean is -2 + 0.5 * 4 = 0, its variance 0.25 * (20 - 16) = 1.
  Table table(1);
  for (const double y : {4.0, 6.0, 8.0, 10.0}) table.append_row(&y);
  const double mean = 4 * 7 / (4 + n_0);
  const double square = (4 * 54 + n_0 * 1) / (4 + n_0);
  const Regularisation regularisation{
      .prior = S_0, .prior_gauge = std::make_shared<const Parameters>(std::move(elsewhere))};
  for (const auto& [name, theta] : all_ends(model, start, table, regularisation)) {
    EXPECT_NEAR(theta["means"][0], mean, 1e-12) << name;
    EXPECT_NEAR(theta["covariances"][0], square - mean * mean, 1e-12) << name;
  }
}

// A fit overwrote the regularisation of its parts by its own.
TEST(Map, a_fit_has_one_regularisation) {
  const OneRate one;
  for (const Regularisation& regularisation :
       {Regularisation{.floor = 0.5}, Regularisation{.ridge = 1},
        Regularisation{.prior_strength = 3}, Regularisation{.prior = one.S_0},
        Regularisation{.fixed = std::make_shared<const Fixed>(Fixed::parse("rates"))}}) {
    EXPECT_THROW(Fit(one.model, {.online = {.regularisation = regularisation}}), UsageError);
    EXPECT_THROW(Fit(one.model, {.batch = {.regularisation = regularisation}}), UsageError);
    EXPECT_NO_THROW(Fit(one.model, {.regularisation = regularisation}));
  }
  EXPECT_THROW(Fit(one.model, {.online = {.pool = ThreadPool(2)}}), UsageError);
  EXPECT_THROW(Fit(one.model, {.batch = {.pool = ThreadPool(2)}}), UsageError);
}

// What a fit settled it gives back; it makes the M-step from its statistic to its parameters.
TEST(Map, a_fit_gives_back_what_it_settled) {
  const OneRate one;
  Table table(1);
  for (int t = 0; t < 60; ++t) {
    const double y = static_cast<double>(t * t % 7);
    table.append_row(&y);
  }
  for (const Method method : {Method::automatic, Method::online, Method::batch, Method::incremental,
                              Method::variance_reduced}) {
    MemorySource source(Schema::numbered(1), table.block());
    const FitResult result =
        Fit(one.model, {.method = method,
                        .online = {.average = {.kind = Averaging::Kind::off}},
                        .regularisation = {.ridge = 0.25, .prior_strength = 30},
                        .pool = ThreadPool(2)})
            .run(source);
    ASSERT_TRUE(result.regularisation.prior && result.regularisation.prior_gauge);
    EXPECT_EQ(result.regularisation.prior->weight, 30);
    EXPECT_EQ(result.regularisation.ridge, 0.25);
    Parameters theta = result.parameters;
    maximise(one.model, result.statistic, result.regularisation.context(60), theta);
    EXPECT_NEAR(theta["rates"][0], result.parameters["rates"][0], 1e-9) << name(method);
  }
}

}  // namespace test_map
