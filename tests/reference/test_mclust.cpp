// The log-likelihood at the parameters that mclust (R) printed with twelve digits: the densities of both programs are one.
#include "gaussian_fits.hpp"
#include <thalweg/estimators/expectation.hpp>

namespace test_mclust {

using namespace thalweg;
using gaussian_fits::Entry;
using samples::Gaussians;
using samples::Shape;

constexpr std::size_t known_fits = 18;

/// Entries of reference_R.json with mclust's parameters; their columns are those of the same set's other fits.
std::vector<Entry> printed() {
  auto out = gaussian_fits::entries("reference_R.json", [](const nlohmann::json& fit) {
    return gaussian_fits::says(fit, "model", "Mclust ") && fit.contains("variance");
  });
  for (const Entry& fit : gaussian_fits::recorded())
    for (Entry& entry : out)
      if (entry.set == fit.set) entry.columns = fit.columns;
  return out;
}

/// mclust's letters for volume, shape and orientation; a shape of ours that holds them.
Shape shape_of(const Entry& entry) {
  const std::string letters = entry.fit.at("model").get<std::string>().substr(7);
  if (letters == "EEE" || letters == "E") return Shape::tied;
  if (letters == "VVI") return Shape::diag;
  if (letters == "VII") return Shape::spherical;
  return Shape::full;
}

textbook::Matrix matrix(const nlohmann::json& value) {
  if (value.is_number()) return {{value.get<double>()}};
  textbook::Matrix out;
  for (const auto& row : value) {
    const std::vector<double> numbers = row;
    out.emplace_back(numbers.begin(), numbers.end());
  }
  return out;
}

Gaussians parameters(const nlohmann::json& fit) {
  Gaussians theta;
  const std::vector<double> weights = fit.at("weights");
  textbook::Real total = 0;
  for (const double w : weights) total += w;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    theta.weights.push_back(weights[k] / total);
    const auto& mean = fit.at("means")[k];
    theta.means.push_back(mean.is_number() ? textbook::Vector{mean.get<double>()}
                                           : matrix(nlohmann::json::array({mean}))[0]);
    const auto& variance = fit.at("variance");
    theta.covariances.push_back(matrix(variance.is_number() ? variance : variance[k]));
  }
  return theta;
}

TEST(ReferenceMclust, all_fits_are_found) {
  const char* root = std::getenv("THALWEG_DATA");
  if (!root || !*root)
    GTEST_SKIP() << "no recorded fit is here: set THALWEG_DATA to the folder of the data sets";
  EXPECT_GE(printed().size(), known_fits);
}

class ReferenceMclustFits : public ::testing::TestWithParam<Entry> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ReferenceMclustFits);

TEST_P(ReferenceMclustFits, log_likelihood) {
  const Entry& entry = GetParam();
  const textbook::Data data = gaussian_fits::rows(entry.set, entry.columns);
  const Gaussians theta = parameters(entry.fit);
  ASSERT_EQ(theta.d(), data.rows[0].size());
  const Table table = samples::table(data);
  const Block rows = table.block();
  const auto model = samples::gaussian_model(shape_of(entry), theta.K());
  const Plan plan = model->plan(Schema::numbered(theta.d()));
  const double expected = entry.fit.at("loglik");
  const auto ours =
      expect_all(*model, samples::parameters(*model, theta, shape_of(entry), rows), plan, rows);
  EXPECT_NEAR(ours.log_likelihood(), expected, 1e-6 * std::abs(expected));
  EXPECT_NEAR(static_cast<double>(textbook::log_likelihood(theta, data)), expected,
              1e-6 * std::abs(expected));
  const bool constrained =
      gaussian_fits::says(entry.fit, "model", "VEV");  // ours has no such shape
  if (!constrained) {
    EXPECT_EQ(plan.free_parameters, entry.fit.at("n_params").get<std::size_t>());
  }
}

INSTANTIATE_TEST_SUITE_P(Data, ReferenceMclustFits, ::testing::ValuesIn(printed()),
                         [](const auto& fit) { return fit.param.title(); });

}  // namespace test_mclust
