// Model files: the same bits back, and nothing but a valid model from damaged text.
#include "laws.hpp"
#include "outcome.hpp"

#include <algorithm>
#include <cmath>

namespace laws {
namespace {

Fitted fitted_example(const Subject& subject) {
  const Table table = subject.draw_weighted(500, 91);
  Fitted fitted = prepare(*subject.entry, subject.example.options, subject.example.schema);
  Batch batch(fitted.model, fitted.schema, {.max_iterations = 3});
  batch.begin(subject.blurred(table.block()));
  batch.run(table.block());
  fitted.parameters = batch.parameters();
  fitted.statistic = batch.statistic();
  Training& training = fitted.training.emplace();
  training.method = "batch";
  training.observations = fitted.statistic->weight;
  training.rows = table.rows();
  training.log_likelihood = batch.log_likelihood();
  training.iterations = 3;
  training.seed = 7;
  training.events.count(Event::floor_reached, 2);
  return fitted;
}

Fitted read_back(const std::string& text) {
  return from_file(model_from_json(text, "text"), "text");
}

std::string explained(const Fitted& fitted, const Block& rows) {
  Explanation e;
  explain(*fitted.model, fitted.parameters, rows, e);
  return (Bytes() << e.log_density << e.posterior << e.scores).text();
}

bool has_nan(const Fitted& fitted, const Block& rows) {
  Explanation e;
  explain(*fitted.model, fitted.parameters, rows, e);
  const auto is_nan = [](double x) { return std::isnan(x); };
  return std::ranges::any_of(e.log_density, is_nan) || std::ranges::any_of(e.posterior, is_nan) ||
         std::ranges::any_of(e.scores, is_nan) || !fitted.parameters.finite();
}

}  // namespace

void file_round_trip(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Fitted fitted = fitted_example(subject);
  const std::string text = to_json(to_file(fitted));
  const Fitted back = read_back(text);
  EXPECT_EQ(to_json(to_file(back)), text);
  EXPECT_TRUE(close(back.parameters, fitted.parameters, 0));
  EXPECT_TRUE(close(*back.statistic, *fitted.statistic, 0));
  EXPECT_EQ(back.statistic->weight, fitted.statistic->weight);
  EXPECT_EQ(back.schema, fitted.schema);
  EXPECT_EQ(back.options.values(), fitted.options.values());
  EXPECT_EQ(back.training->log_likelihood, fitted.training->log_likelihood);
  EXPECT_EQ(back.training->events, fitted.training->events);
  const Table rows = subject.draw(200, 92);
  EXPECT_EQ(explained(back, rows.block()), explained(fitted, rows.block()));

  ModelFile small;
  small.model = subject.entry->name;
  small.parameters = arrays_of(fitted.parameters);
  const Fitted from_little = from_file(small, "small");
  EXPECT_EQ(from_little.schema.width(), fitted.schema.width());
  for (const Option& option : subject.entry->options)
    if (option.in_parameters && fitted.options.values().contains(std::string(option.name))) {
      EXPECT_EQ(from_little.options.text(option.name), fitted.options.text(option.name));
    }
  Explanation a;
  Explanation b;
  explain(*fitted.model, fitted.parameters, rows.block(), a);
  explain(*from_little.model, from_little.parameters, rows.block(), b);
  for (std::size_t t = 0; t < rows.rows(); ++t)  // another gauge: the same up to rounding
    EXPECT_TRUE(close(b.log_density[t], a.log_density[t], 1e-12));
}

void damaged_file(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table rows = subject.draw(5, 93);
  const std::string text = to_json(to_file(fitted_example(subject)));
  const std::string whole = to_json(to_file(read_back(text)));
  const std::string content = text.substr(0, text.find_last_not_of(" \n") + 1);
  for (std::size_t length = 0; length < content.size(); ++length)
    ASSERT_THROW(read_back(text.substr(0, length)), Error) << length << " bytes";
  EXPECT_EQ(to_json(to_file(read_back(content))), whole);

  std::size_t refused = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const int flip : {0x01, 0x02, 0x04, 0x10, 0x4B, 0x80}) {  // 0x4B makes '.' an 'e'
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      try {
        const Fitted other = read_back(damaged);
        ASSERT_FALSE(has_nan(other, rows.block())) << "byte " << i << " of\n" << damaged;
      } catch (const Error& error) {
        ++refused;
        ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        ASSERT_TRUE(std::string(error.what()).starts_with("text: ")) << error.what();
      }
    }
  }
  EXPECT_GT(refused, text.size());
}

}  // namespace laws
