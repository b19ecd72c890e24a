// Regularisation of a fit in its model file: bit for bit back, with the constants of the file, and refused where they are damaged.
#include "catalogue/fitted_regularisation.hpp"
#include <thalweg/catalogue/merge.hpp>
#include <thalweg/catalogue/order.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/sources/memory.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace test_fitted_regularisation {

using namespace thalweg;
using Json = nlohmann::ordered_json;

const Json& with_regularisation() {
  static const Json file = Json::parse(R"({
    "model": "gaussian", "options": {"components": 3, "covariance": "diag"}, "columns": ["a"],
    "parameters": {"weights": [0.25, 0.25, 0.5], "means": [[0], [2], [5]],
                   "covariances": [[1], [3], [2]]},
    "constants": {"shift": [1], "scale": [4]},
    "statistics": {"weight": 10, "mean": {"weights": [0.25, 0.25, 0.5], "sums": [[0, 2, 1]],
                   "squares": [[9, 9, 8]]}},
    "terms": {"floor": 0.125, "ridge": 0.1, "fixed": ["covariances", "means[2]"],
              "prior": {"strength": 2.5, "mean": {"weights": [0.1, 0.2, 0.7], "sums": [[0, 1, 2]],
                                                  "squares": [[3, 4, 5]]}}},
    "training": {"method": "batch", "observations": 10, "rows": 10}})");
  return file;
}

Fitted read(const Json& file) { return from_file(model_from_json(file.dump(), "m"), "m"); }

Json written(const Fitted& fitted) { return Json::parse(to_json(to_file(fitted))); }

TEST(FittedRegularisation, AreReadAndWrittenBitForBit) {
  const Fitted fitted = read(with_regularisation());
  EXPECT_EQ(fitted.regularisation.floor, 0.125);
  EXPECT_EQ(fitted.regularisation.ridge, 0.1);
  EXPECT_EQ(*fitted.regularisation.fixed, Fixed::parse("means[2],covariances"));
  EXPECT_EQ(fitted.regularisation.prior_strength, 2.5);
  EXPECT_EQ(fitted.regularisation.prior->weight, 2.5);
  EXPECT_EQ((*fitted.regularisation.prior)["weights"][2], 0.7);
  EXPECT_EQ(free_parameters(fitted), 2U + 2U);
  Json expected = with_regularisation().at("terms");
  EXPECT_EQ(written(fitted).at("terms"), expected);
  Json file = with_regularisation();
  file["terms"]["prior"]["weight"] = 2.5;
  file["terms"]["prior"].erase("strength");
  EXPECT_EQ(read(file).regularisation.prior_strength, 0)
      << "of another file, not of the first rows";
  EXPECT_EQ(written(read(file)).at("terms").at("prior").at("weight"), 2.5);
}

TEST(FittedRegularisation, AreNotWrittenWhereTheyAreAsUsual) {
  Json file = with_regularisation();
  file.erase("terms");
  EXPECT_FALSE(written(read(file)).contains("terms"));
  file["terms"] = {{"floor", 1e-6}, {"ridge", 0}};
  EXPECT_FALSE(written(read(file)).contains("terms"));
}

TEST(FittedRegularisation, AreRefusedWhereTheyAreDamaged) {
  const std::vector<std::pair<const char*, std::function<void(Json&)>>> cases = {
      {"\"forget\", which this program does not know", [](Json& t) { t["forget"] = 1; }},
      {"floor is negative", [](Json& t) { t["floor"] = -1; }},
      {"ridge is negative", [](Json& t) { t["ridge"] = -0.5; }},
      {"wrong type", [](Json& t) { t["ridge"] = "much"; }},
      {"wrong type", [](Json& t) { t["fixed"] = {1}; }},
      {"no parameter \"mean\"", [](Json& t) { t["fixed"] = {"mean"}; }},
      {"component 3", [](Json& t) { t["fixed"] = {"means[3]"}; }},
      {"not worth any rows", [](Json& t) { t["prior"]["strength"] = 0; }},
      {"wrong type", [](Json& t) { t["prior"].erase("strength"); }},
      {"wrong type", [](Json& t) { t["prior"].erase("mean"); }},
      {"no \"squares\"", [](Json& t) { t["prior"]["mean"].erase("squares"); }},
      {"\"sums\" has shape [1][2]",
       [](Json& t) {
         t["prior"]["mean"]["sums"] = {{1, 2}};
       }},
      {"\"sums\" is not a regular array",
       [](Json& t) { t["prior"]["mean"]["sums"][0][0] = nullptr; }},
      {"which this program does not know", [](Json& t) { t = Json::array({1}); }},
  };
  for (const auto& [expected, damage] : cases) {
    Json file = with_regularisation();
    damage(file["terms"]);
    try {
      read(file);
      ADD_FAILURE() << "taken: " << expected;
    } catch (const Error& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what.starts_with("m: ")) << what;
      EXPECT_NE(what.find(expected), std::string::npos) << expected << " in: " << what;
    }
  }
}

/// z = (y - shift) / scale, twice the unit: first moments halve, second ones quarter.
TEST(FittedRegularisation, APriorIsWrittenWithTheConstantsOfTheFile) {
  Fitted fitted = read(with_regularisation());
  fitted.parameters["scale"][0] = 8;
  const Json mean = written(fitted).at("terms").at("prior").at("mean");
  EXPECT_EQ(mean.at("weights"), (Json{0.1, 0.2, 0.7}));
  EXPECT_EQ(mean.at("sums"), (Json{{0, 0.5, 1}}));
  EXPECT_EQ(mean.at("squares"), (Json{{0.75, 1, 1.25}}));
}

TEST(FittedRegularisation, FollowTheComponents) {
  Fitted fitted = read(with_regularisation());
  reorder(fitted, {2, 0, 1});
  const Json regularisation = written(fitted).at("terms");
  EXPECT_EQ(regularisation.at("fixed"), (Json{"covariances", "means[0]"}));
  EXPECT_EQ(regularisation.at("prior").at("mean").at("weights"), (Json{0.7, 0.1, 0.2}));
  EXPECT_EQ(regularisation.at("prior").at("mean").at("sums"), (Json{{2, 0, 1}}));
}

TEST(FittedRegularisation, APriorIsWeighedAgainstRowsNotPasses) {
  Fitted fitted = read(with_regularisation());
  EXPECT_EQ(rows_behind(fitted), 10);
  fitted.statistic->weight = 30;  // three passes
  EXPECT_EQ(rows_behind(fitted), 10);
  fitted.training->method = "online";
  fitted.training->step = "constant:0.5";
  fitted.training->batch_size = 2;
  EXPECT_EQ(rows_behind(fitted), 6) << "(2 - G) / G = 3 mini-batches";
  fitted.training->method = "variance-reduced";
  EXPECT_EQ(rows_behind(fitted), 10) << "its step forgets nothing";
  fitted.training.reset();
  EXPECT_EQ(rows_behind(fitted), 30);
}

/// One step with everything: theta-bar((n S + n_0 S_0) / (n + n_0)), written out.
TEST(FittedRegularisation, OneStepHasThePriorOnceAndHoldsWhatIsHeld) {
  Fitted base = read(with_regularisation());
  const std::vector<double> y = {-1, 0, 2, 3, 5, 7};
  const Block rows = dense_block(y.data(), y.size(), 1);
  MemorySource source(base.schema, rows);
  const Fitted step = one_step(base, source);
  const auto S = (*step.statistic)["weights"];
  const auto S_0 = (*base.regularisation.prior)["weights"];
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(step.parameters["weights"][k], (6 * S[k] + 2.5 * S_0[k]) / 8.5, 1e-14);
  EXPECT_EQ(step.parameters["means"][2], 5) << "held";
  EXPECT_EQ(step.parameters["covariances"][1], 3) << "held";
  EXPECT_NE(step.parameters["means"][1], 2);

  // Two shards of it are it, and so are shards of shards.
  std::vector<Fitted> shards;
  for (const std::size_t cut : {0U, 2U, 3U}) {
    const std::size_t size = cut == 0 ? 2 : cut == 2 ? 1 : 3;
    MemorySource part(base.schema, rows.slice(cut, size));
    shards.push_back(one_step(base, part));
  }
  const Fitted half = merge({shards[0], shards[1]}, {"a", "b"}).fitted;
  const Merged whole = merge({half, shards[2]}, {"ab", "c"});
  EXPECT_TRUE(whole.exact);
  for (std::size_t i = 0; i < step.parameters.size(); ++i)
    EXPECT_NEAR(whole.fitted.parameters.data()[i], step.parameters.data()[i], 1e-13);
  EXPECT_EQ(written(whole.fitted).at("terms"), with_regularisation().at("terms"));
}

}  // namespace test_fitted_regularisation
