// The text of a model file: numbers bit for bit, no NaN, errors that name the file.
#include <thalweg/catalogue/model_file.hpp>
#include <thalweg/core/error.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace test_model_file {

using namespace thalweg;

ModelFile with(std::vector<double> values) {
  ModelFile file;
  file.model = "poisson";
  const std::size_t size = values.size();
  file.parameters = {{"rates", {size, 1}, std::move(values)}};
  return file;
}

TEST(ModelText, NumbersReadBackBitForBit) {
  const std::vector<double> values = {1e-308,
                                      0.1,
                                      1e300,
                                      -0.0,
                                      0.0,
                                      1.0 / 3.0,
                                      5e-324,
                                      std::numeric_limits<double>::max(),
                                      std::numeric_limits<double>::min(),
                                      -123456789.123456789,
                                      9007199254740993.0,
                                      1e22,
                                      1e23,
                                      18446744073709551616.0};
  ModelFile file = with(values);
  file.statistics = file.parameters;
  file.statistics_weight = 0.1 + 0.2;
  const ModelFile back = model_from_json(to_json(file), "text");
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back.parameters[0].values[i]),
              std::bit_cast<std::uint64_t>(values[i]))
        << values[i];
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back.statistics[0].values[i]),
              std::bit_cast<std::uint64_t>(values[i]));
  }
  EXPECT_EQ(back.statistics_weight, 0.1 + 0.2);
  EXPECT_EQ(back.parameters[0].shape, (std::vector<std::size_t>{values.size(), 1}));
}

TEST(ModelText, LabelsComeBackAndAreLeftOutWhereThereAreNone) {
  ModelFile file;
  file.model = "poisson";
  file.training.emplace();
  EXPECT_EQ(to_json(file).find("labels"), std::string::npos);
  file.training->labels = {"setosa", "a \"b\", c"};
  EXPECT_EQ(model_from_json(to_json(file), "m").training->labels, file.training->labels);
}

TEST(ModelText, NeverHoldsANaN) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_THROW(to_json(with({1, bad})), Error);
    ModelFile file = with({1});
    file.constants = {{"scale", {1}, {bad}}};
    EXPECT_THROW(to_json(file), Error);
    file = with({1});
    file.statistics = {{"sums", {1}, {bad}}};
    EXPECT_THROW(to_json(file), Error);
    file = with({1});
    file.statistics = {{"sums", {1}, {1}}};
    file.statistics_weight = bad;
    EXPECT_THROW(to_json(file), Error);
    file = with({1});
    file.training.emplace();
    file.training->log_likelihood = bad;  // unknown, then: null
    file.training->progressive_mean_log_likelihood = bad;
    const ModelFile back = model_from_json(to_json(file), "text");
    EXPECT_FALSE(back.training->log_likelihood || back.training->progressive_mean_log_likelihood);
    file.training->observations = bad;
    EXPECT_THROW(to_json(file), Error);
  }
}

TEST(ModelText, KeepsEveryFieldOfTheTraining) {
  ModelFile file = with({1});
  file.options = {{"components", "2"}, {"covariance", "diag"}};
  file.columns = {"a \"quoted\" name", "größe", "tab\there"};
  Training& training = file.training.emplace();
  training.method = "online";
  training.observations = 12.5;
  training.rows = 1;
  training.passes = 2;
  training.progressive_mean_log_likelihood = -1.5;
  training.log_likelihood = -2.5;
  training.iterations = 3;
  training.converged = true;
  training.seed = std::numeric_limits<std::uint64_t>::max();
  training.step = "0.6,offset=2";
  training.average = "half";
  training.batch_size = 4;
  training.buffer = 5;
  training.events.count(Event::empty_component, 6);
  training.events.count(Event::batch_left_out, 7);
  const ModelFile back = model_from_json(to_json(file), "text");
  EXPECT_EQ(to_json(back), to_json(file));
  EXPECT_EQ(back.columns, file.columns);
  EXPECT_EQ(back.options, file.options);
  EXPECT_EQ(back.training->seed, training.seed);
  EXPECT_EQ(back.training->events, training.events);
  EXPECT_EQ(back.training->batch_size, 4U);
  EXPECT_EQ(back.training->buffer, 5U);
  EXPECT_EQ(back.training->average, "half");
}

TEST(ModelText, ColumnNamesThatAreNotTextAreRefused) {
  ModelFile file = with({1});
  file.columns = {"L\xe4nge"};  // Latin 1
  EXPECT_THROW(to_json(file), Error);
}

TEST(ModelText, UnreadableFilesAreNamed) {
  for (const char* path : {"/nowhere/model.json", "/", "/dev/null"}) {
    try {
      read_model_file(path);
      ADD_FAILURE() << "read " << path;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(std::string(path) + ": ")) << error.what();
    }
  }
}

TEST(ModelText, FillRefusesOtherShapes) {
  Parameters theta(std::make_shared<const Layout>(
      std::vector<Piece>{{.name = "rates", .shape = {2, 1}, .domain = Domain::positive}}));
  fill_from({{"rates", {2, 1}, {3, 4}}}, theta);
  EXPECT_EQ(theta["rates"][1], 4);
  EXPECT_THROW(fill_from({{"rates", {1, 2}, {3, 4}}}, theta), Error);
  EXPECT_THROW(fill_from({{"rates", {2}, {3, 4}}}, theta), Error);
  EXPECT_THROW(fill_from({{"means", {2, 1}, {3, 4}}}, theta), Error);
}

}  // namespace test_model_file
