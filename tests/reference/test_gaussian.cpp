// Every recorded Gaussian mixture: the first five iterations and the maximum from its start, parameters and BIC.
#include "gaussian_fits.hpp"
#include <thalweg/estimators/batch.hpp>

namespace test_gaussian {

using namespace thalweg;
using gaussian_fits::Entry;
using gaussian_fits::Shape;

constexpr std::size_t known_fits = 36;
constexpr std::size_t many_rows = 100000;  // from here on a fit takes seconds

void expect_recorded(const Entry& entry) {
  const Shape shape = gaussian_fits::shape(entry);
  const textbook::Data data = gaussian_fits::rows(entry.set, entry.columns);
  ASSERT_EQ(data.rows.size(), entry.n());
  ASSERT_EQ(data.rows[0].size(), entry.fit.at("d").get<std::size_t>());
  const Table table = samples::table(data);
  const Block rows = table.block();
  const auto n = static_cast<double>(entry.n());

  const auto start = gaussian_fits::start(entry, data);
  const auto model = samples::gaussian_model(shape, start.K());
  Batch batch(model, Schema::numbered(start.d()), {.regularisation = {.floor = 0}});
  EXPECT_EQ(batch.plan().free_parameters, entry.fit.at("n_params").get<std::size_t>());
  batch.begin(samples::parameters(*model, start, shape, rows));

  const std::vector<double> path = entry.fit.at("loglik_at_start_and_after_1_to_5_EM_iterations");
  ASSERT_EQ(path.size(), 6U);
  for (std::size_t i = 0; i < path.size(); ++i) {
    ASSERT_FALSE(batch.iterate(rows)) << "stopped at iteration " << i;
    EXPECT_NEAR(batch.log_likelihood(), path[i], 1e-9 * std::abs(path[i])) << "iteration " << i;
  }

  if (gaussian_fits::says(entry.fit, "remark", "do not use as an acceptance target")) return;
  batch.run(rows);
  EXPECT_TRUE(batch.converged());
  const double maximum = entry.fit.at("loglik");
  EXPECT_NEAR(batch.log_likelihood() / n, maximum / n, 1e-6) << batch.iterations();
  const double bic =
      static_cast<double>(batch.plan().free_parameters) * std::log(n) - 2 * batch.log_likelihood();
  EXPECT_NEAR(bic, entry.fit.at("bic").get<double>(), 2e-6 * n);
  EXPECT_FALSE(batch.events().any()) << "a fit with floor 0 that needs a repair";
}

std::vector<Entry> chosen(bool large) {
  std::vector<Entry> out;
  for (Entry& entry : gaussian_fits::recorded())
    if ((entry.n() >= many_rows) == large) out.push_back(std::move(entry));
  return out;
}

TEST(ReferenceGaussian, all_fits_are_found) {
  const char* root = std::getenv("THALWEG_DATA");
  if (!root || !*root)
    GTEST_SKIP() << "no recorded fit is here: set THALWEG_DATA to the folder of the data sets";
  std::string names;
  for (const Entry& entry : gaussian_fits::recorded()) names += " " + entry.title();
  EXPECT_GE(gaussian_fits::recorded().size(), known_fits) << "found only:" << names;
}

// Shipped, so that something is compared everywhere: Old Faithful, Azzalini & Bowman (1990). Numbers: EM in double
// precision from rows 9 and 257 (from 0), checked with scikit-learn 1.2.1.
TEST(ReferenceGaussian, shipped_faithful) {
  const textbook::Data data = reference::columns(reference::shipped("faithful.csv"), 0, 1);
  const Entry entry{
      "faithful",
      "gmm_diag_K2",
      {{"model", "Gaussian mixture, diag covariance"}, {"start", {{"rows", {9, 257}}}}},
      ""};
  const Table table = samples::table(data);
  const Block rows = table.block();
  const auto model = samples::gaussian_model(Shape::diag, 2);
  Batch batch(model, Schema::numbered(2), {.regularisation = {.floor = 0}});
  batch.begin(samples::parameters(*model, gaussian_fits::start(entry, data), Shape::diag, rows));
  for (const double expected : {-1731.315200484138, -1516.4473541679492, -1515.495682949642,
                                -1511.2210959526828, -1491.9065231568684, -1412.1283864423974}) {
    batch.iterate(rows);
    EXPECT_NEAR(batch.log_likelihood(), expected, 1e-9 * std::abs(expected));
  }
  batch.run(rows);
  EXPECT_NEAR(batch.log_likelihood() / 272, -1147.8063525378107 / 272, 1e-6);
}

class ReferenceGaussianFits : public ::testing::TestWithParam<Entry> {};
class SlowReferenceGaussianFits : public ::testing::TestWithParam<Entry> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ReferenceGaussianFits);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SlowReferenceGaussianFits);

TEST_P(ReferenceGaussianFits, iterations_and_maximum) { expect_recorded(GetParam()); }

// Two derivations of the same numbers: what is compared with is right, and so is the textbook for other tests.
TEST_P(ReferenceGaussianFits, the_textbook_says_the_same) {
  const Entry& entry = GetParam();
  const textbook::Data data = gaussian_fits::rows(entry.set, entry.columns);
  const double work = static_cast<double>(entry.n() * data.rows[0].size() * data.rows[0].size());
  if (work > 5e6) return;  // too much for long double
  auto theta = gaussian_fits::start(entry, data);
  for (const double expected :
       entry.fit.at("loglik_at_start_and_after_1_to_5_EM_iterations").get<std::vector<double>>()) {
    const auto slow = static_cast<double>(textbook::log_likelihood(theta, data));
    EXPECT_NEAR(slow, expected, 1e-9 * std::abs(expected));
    theta = textbook::batch_iteration(theta, data, gaussian_fits::shape(entry));
  }
}

TEST_P(SlowReferenceGaussianFits, iterations_and_maximum) { expect_recorded(GetParam()); }

const auto by_title = [](const auto& fit) { return fit.param.title(); };
INSTANTIATE_TEST_SUITE_P(Data, ReferenceGaussianFits, ::testing::ValuesIn(chosen(false)), by_title);
INSTANTIATE_TEST_SUITE_P(Data, SlowReferenceGaussianFits, ::testing::ValuesIn(chosen(true)),
                         by_title);

}  // namespace test_gaussian
