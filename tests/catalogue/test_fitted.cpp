// Model files that are wrong are refused in one clear line that names the file.
#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/core/error.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <functional>

namespace test_fitted {

using namespace thalweg;
using Json = nlohmann::ordered_json;

const Json& gaussian_file() {
  static const Json file = Json::parse(R"({
    "format": "thalweg-model", "version": 1, "model": "gaussian",
    "options": {"components": 2, "covariance": "diag"}, "columns": ["a", "b"],
    "parameters": {"weights": [0.25, 0.75], "means": [[0, 1], [2, 3]],
                   "covariances": [[1, 2], [3, 4]]},
    "constants": {"shift": [1, 2], "scale": [1, 3]},
    "statistics": {"weight": 10, "mean": {"weights": [0.25, 0.75],
                   "sums": [[0, 1], [2, 3]], "squares": [[9, 9], [9, 9]]}},
    "training": {"method": "batch", "observations": 10, "rows": 10}})");
  return file;
}

Fitted read(const std::string& text) {
  return from_file(model_from_json(text, "m.json"), "m.json");
}

/// The one line in which a text is refused.
std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with("m.json: ")) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return what;
  }
  return "taken";
}

std::string refusal(const std::function<void(Json&)>& damage) {
  Json file = gaussian_file();
  damage(file);
  return refusal(file.dump());
}

struct Damage {
  const char* expected;  // a part of the message
  std::function<void(Json&)> damage;
};

TEST(ModelFile, IsTakenAsItStands) {
  const Fitted fitted = read(gaussian_file().dump());
  EXPECT_EQ(fitted.parameters["covariances"][3], 4);
  EXPECT_EQ(fitted.parameters["scale"][1], 3);
  EXPECT_EQ(fitted.statistic->weight, 10);
}

TEST(ModelFile, IsRefusedInOneLine) {
  const std::vector<Damage> cases = {
      {"no \"model\"", [](Json& f) { f.erase("model"); }},
      {"no \"parameters\"", [](Json& f) { f.erase("parameters"); }},
      {"no \"means\"", [](Json& f) { f["parameters"].erase("means"); }},
      {"did you mean gaussian?", [](Json& f) { f["model"] = "gausian"; }},
      {"wrong type", [](Json& f) { f["model"] = 3; }},
      {"version is 2", [](Json& f) { f["version"] = 2; }},
      {"format", [](Json& f) { f["format"] = "another"; }},
      {"[3]",
       [](Json& f) {
         f["parameters"]["weights"] = {0.25, 0.25, 0.5};
       }},
      {"[2][3]",
       [](Json& f) {
         f["parameters"]["means"] = {{0, 1, 2}, {2, 3, 4}};
       }},
      {"\"means\" is not a regular array",
       [](Json& f) { f["parameters"]["means"] = Json::parse("[[0,1],[2]]"); }},
      {"\"means\" is not a regular array",
       [](Json& f) { f["parameters"]["means"] = Json::parse("[0,[1]]"); }},
      {"\"means\" is not a regular array", [](Json& f) { f["parameters"]["means"] = "zero"; }},
      {"\"means\" is not a regular array",
       [](Json& f) { f["parameters"]["means"][0][0] = nullptr; }},
      {"sum to 1.25",
       [](Json& f) {
         f["parameters"]["weights"] = {0.5, 0.75};
       }},
      {"\"weights\" has the entry -0.5",
       [](Json& f) {
         f["parameters"]["weights"] = {-0.5, 1.5};
       }},
      {"\"covariances\" has the entry -1",
       [](Json& f) { f["parameters"]["covariances"][0][0] = -1; }},
      {"\"covariances\" has the entry 0",
       [](Json& f) { f["parameters"]["covariances"][0][0] = 0; }},
      {"\"colour\"", [](Json& f) { f["parameters"]["colour"] = {1}; }},
      {"knows no rank", [](Json& f) { f["options"]["rank"] = 2; }},
      {"full, tied, diag, spherical", [](Json& f) { f["options"]["covariance"] = "round"; }},
      {"components \"0\"", [](Json& f) { f["options"]["components"] = 0; }},
      {"wrong type",
       [](Json& f) {
         f["columns"] = {1, 2};
       }},
      {"[2][2]", [](Json& f) { f["columns"] = {"a"}; }},
      {"\"scale\" has the entry 0", [](Json& f) { f["constants"]["scale"][0] = 0; }},
      {"\"scale\" has the entry -1", [](Json& f) { f["constants"]["scale"][0] = -1; }},
      {"\"scale\"", [](Json& f) { f["constants"].erase("scale"); }},
      {"\"squares\"", [](Json& f) { f["statistics"]["mean"].erase("squares"); }},
      {"weight", [](Json& f) { f["statistics"]["weight"] = -1; }},
      {"wrong type", [](Json& f) { f["statistics"].erase("weight"); }},
      {"\"rows\" is not a count", [](Json& f) { f["training"]["rows"] = "many"; }},
      {"\"seed\" is not a count", [](Json& f) { f["training"]["seed"] = 1.5; }},
      {"\"seed\" is not a count", [](Json& f) { f["training"]["seed"] = 1e30; }},
      {"is not a count", [](Json& f) { f["training"]["events"]["floor_reached"] = -1; }},
  };
  for (const Damage& one : cases) {
    const std::string message = refusal(one.damage);
    EXPECT_NE(message.find(one.expected), std::string::npos)
        << "expected \"" << one.expected << "\" in: " << message;
  }
}

TEST(ModelFile, TextThatIsNoModelIsRefused) {
  const std::string deep(200'000, '[');
  const std::string closed = deep + std::string(deep.size(), ']');
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"), std::string("3"),
        std::string("\"gaussian\""), std::string("\xff\xfe{}"), deep, closed})
    EXPECT_NE(refusal(text), "taken") << text.substr(0, 40);
  for (const char* number : {"NaN", "Infinity", "1e999", "-1e999", "nan", "01"}) {
    std::string text = gaussian_file().dump();
    text.replace(text.find("[[0,1]") + 2, 1, number);
    EXPECT_NE(refusal(text), "taken") << number;
  }
  // Deep nesting at every place where something else is expected.
  for (const char* place : {"/version", "/format", "/model", "/options", "/options/components",
                            "/columns", "/parameters", "/parameters/means", "/constants",
                            "/statistics/mean", "/training", "/training/events"}) {
    Json file = gaussian_file();
    file[Json::json_pointer(place)] = "HERE";
    std::string text = file.dump();
    text.replace(text.find("\"HERE\""), 6, closed);
    EXPECT_NE(refusal(text), "taken") << place;
  }
}

TEST(ModelFile, MoreComponentsThanWeightsAreRefusedBeforeTheyAreMade) {
  EXPECT_NE(refusal([](Json& f) {
              f["options"]["components"] = 1'000'000;
              f["columns"] = std::vector<std::string>(2000, "c");
            }),
            "taken");
}

TEST(ModelFile, NamesWithLineEndsStayOnOneLine) {
  EXPECT_NE(refusal([](Json& f) { f["model"] = "two\nlines"; }), "taken");
  EXPECT_NE(refusal([](Json& f) { f["options"]["a\nb"] = 1; }), "taken");
  EXPECT_NE(refusal([](Json& f) { f["parameters"]["a\nb"] = 1; }), "taken");
}

TEST(ModelFile, ModelAndParametersAreEnough) {
  const Fitted diag = read(R"({"model":"gaussian","parameters":{"weights":[1],"means":[[5,6]],
                               "covariances":[[4,9]]}})");
  EXPECT_EQ(diag.options.text("covariance"), "diag");
  EXPECT_EQ(diag.schema, Schema::numbered(2));
  EXPECT_EQ(diag.parameters["shift"][0], 5);  // the gauge is the mixture's own mean and scale
  EXPECT_EQ(diag.parameters["scale"][1], 3);
  EXPECT_FALSE(diag.training || diag.statistic);
  const Fitted full = read(R"({"model":"gaussian","parameters":{"weights":[1],"means":[[5]],
                               "covariances":[[[4]]]}})");
  EXPECT_EQ(full.options.text("covariance"), "full");
  const Fitted poisson =
      read(R"({"model":"poisson","parameters":{"weights":[0.5,0.5],"rates":[[1],[2]]}})");
  EXPECT_EQ(poisson.options.count("components"), 2U);
}

}  // namespace test_fitted
