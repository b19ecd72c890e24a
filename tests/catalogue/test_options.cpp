// The table of options: its rows fit together, and each face words messages in its own names.
#include "catalogue/option_values.hpp"
#include <thalweg/catalogue/catalogue.hpp>
#include <thalweg/core/error.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace thalweg {
namespace test_options {

TEST(Options, names_flags_and_arguments_are_different) {
  std::set<std::string_view> names;
  std::set<std::string_view> flags;
  std::set<std::pair<int, std::string_view>> arguments;
  for (const Option& row : option_table) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (!row.flag.empty()) {
      EXPECT_TRUE(flags.insert(row.long_flag()).second) << row.flag;
    }
    if (!row.python.name.empty()) {
      EXPECT_TRUE(arguments.emplace(static_cast<int>(row.python.place), row.python.name).second)
          << row.python.name;
    }
    EXPECT_TRUE(!row.flag.empty() || !row.python.name.empty()) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
    EXPECT_EQ(row.python.rank > 0,
              !row.python.name.empty() && row.python.place == InPython::Place::estimator)
        << row.name;
  }
}

TEST(Options, every_default_is_a_value_that_its_row_takes) {
  for (const Option& row : option_table) {
    if (row.standard.empty()) continue;
    OptionValues values;
    EXPECT_NO_THROW(values.set(row, std::string(row.standard))) << row.name;
    EXPECT_FALSE(values.changed(row)) << row.name;
  }
}

TEST(Options, texts_mention_options_that_exist) {
  for (const Option& row : option_table) {
    std::string all = help_with_default(row) + std::string(row.python.help);
    for (const Refusal& refusal : row.refused) all += refusal.because;
    for (const Mention& mention : Message::parse(all).mentions())
      EXPECT_TRUE(find_option(mention.option)) << row.name << " mentions " << mention.option;
    EXPECT_EQ(in_command(Message::parse(all)).find_first_of("{}"), std::string::npos) << all;
  }
}

TEST(Options, without_a_wish_a_fit_is_that_of_the_library) {
  const FitOptions asked = fit_options({});
  const FitOptions standard;
  EXPECT_EQ(asked.method, standard.method);
  EXPECT_EQ(asked.keep, standard.keep);
  EXPECT_EQ(asked.passes, standard.passes);
  EXPECT_EQ(asked.batch.tolerance, standard.batch.tolerance);
  EXPECT_EQ(asked.batch.max_iterations, standard.batch.max_iterations);
  EXPECT_EQ(asked.regularisation.floor, standard.regularisation.floor);
  EXPECT_EQ(asked.regularisation.ridge, standard.regularisation.ridge);
  EXPECT_EQ(asked.online.step.text(), standard.online.step.text());
  EXPECT_EQ(asked.online.average.text(), standard.online.average.text());
  EXPECT_EQ(asked.online.batch_size, standard.online.batch_size);
  EXPECT_EQ(asked.online.buffer, standard.online.buffer);
  EXPECT_EQ(asked.online.warmup, standard.online.warmup);
  EXPECT_EQ(asked.online.starts, standard.online.starts);
  EXPECT_EQ(asked.online.seed, standard.online.seed);
}

std::string refusal(const auto& act) {
  try {
    act();
  } catch (const UsageError& error) {
    return in_command(error.message()) + " | " + in_python(error.message());
  }
  return "";
}

TEST(Options, values_out_of_range_are_refused_in_the_words_of_each_face) {
  OptionValues values;
  EXPECT_EQ(refusal([&] { values.set("passes", "0"); }),
            "--passes \"0\" is not a whole number from 1 on | "
            "passes \"0\" is not a whole number from 1 on");
  EXPECT_EQ(refusal([&] { values.set("tolerance", "0"); }),
            "--tolerance 0 is not a positive number | tol 0 is not a positive number");
  EXPECT_EQ(refusal([&] { values.set("floor", "2"); }),
            "--floor 2 is outside [0, 1] | floor 2 is outside [0, 1]");
  EXPECT_EQ(refusal([&] { values.set("threads", "5000"); }),
            "--threads \"5000\" is not a whole number from 1 to 1024 | "
            "n_threads \"5000\" is not a whole number from 1 to 1024");
  EXPECT_EQ(refusal([&] { values.set("keep", "much"); }).substr(0, 13), "--keep \"much\"");
  EXPECT_EQ(refusal([&] { values.set("average_of", "rows"); }).substr(0, 57),
            "--average-of \"rows\" is not one of statistic, parameters |");
  EXPECT_EQ(values.count("passes"), 1U) << "what is refused is not kept";
}

TEST(Options, a_method_refuses_what_means_nothing_to_it) {
  OptionValues values;
  for (const std::string method :
       {"auto", "online", "batch", "incremental", "variance-reduced", "gradient", "exact"})
    EXPECT_EQ(refusal([&] { values.check_method(parse_method(method)); }), "") << method;
  values.set("passes", "3");
  EXPECT_EQ(refusal([&] { values.check_method(Method::online); }), "");
  EXPECT_EQ(refusal([&] { values.check_method(Method::incremental); }),
            "--passes means nothing to --method incremental (it has --max-iterations) | "
            "passes means nothing to method='incremental' (it has max_iter)");
  OptionValues stepping;
  stepping.set("step", "constant:0.1");
  EXPECT_EQ(refusal([&] { stepping.check_method(Method::variance_reduced); }), "");
  stepping.set("step", "0.7");
  EXPECT_EQ(refusal([&] { stepping.check_method(Method::variance_reduced); }),
            "--step 0.7 means nothing to --method variance-reduced (constant:G sets its rate) | "
            "step=0.7 means nothing to method='variance-reduced' (constant:G sets its rate)");
}

TEST(Options, a_model_refuses_what_it_has_nothing_for) {
  OptionValues values;
  values.set("ridge", "1");
  EXPECT_EQ(refusal([&] { values.check_model(find_entry("gaussian")); }), "");
  EXPECT_EQ(refusal([&] { values.check_model(find_entry("poisson")); }).substr(0, 67),
            "--ridge means nothing to a poisson model: it has no covariances | r");
}

TEST(Options, each_face_has_its_words) {
  const auto both = [](const Message& message) {
    return in_command(message) + " | " + in_python(message);
  };
  EXPECT_EQ(both(option("keep")), "--keep | the memory for rows");
  EXPECT_EQ(both(option("on_error", "missing")),
            "--on-error missing | thalweg.Files(…, on_error='missing')");
  EXPECT_EQ(both(option("columns")), "--columns | thalweg.Files(…, columns=…)");
  EXPECT_EQ(both(option("levels", "colour=red|green")), "--levels colour=red|green | categories");
  EXPECT_EQ(both(option("model", "categorical")),
            "--model categorical | thalweg.CategoricalMixture");
  EXPECT_EQ(both(option("components", "3")), "-k 3 | n_components=3");
  EXPECT_EQ(both(option("covariance", "diag")), "--covariance diag | covariance_type='diag'");
  EXPECT_EQ(both(option("one_step_from")), "--one-step-from | one_step");
  EXPECT_EQ(both(option("step", "1/n")), "--step 1/n | step='1/n'");
  EXPECT_EQ(python_class(find_entry("ppca")), "PPCA");
}

TEST(Options, what_decides_about_a_fit_is_listed_once_and_in_one_form) {
  OptionValues values;
  values.set("tolerance", "0.00001");
  values.set("batch_size", "50");
  const auto lines = values.deciding();
  const std::set<std::string> all(lines.begin(), lines.end());
  EXPECT_EQ(all.size(), lines.size());
  EXPECT_TRUE(all.contains("--tolerance 1e-05"));
  EXPECT_TRUE(all.contains("--batch-size 50"));
  EXPECT_TRUE(all.contains("--buffer by itself"));
  EXPECT_TRUE(all.contains("--seed 0"));
  EXPECT_FALSE(all.contains("--threads by itself")) << "it changes no bit";
}

}  // namespace test_options
}  // namespace thalweg
