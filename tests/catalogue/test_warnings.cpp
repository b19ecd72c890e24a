// Why a fit should not be trusted: each warning where it belongs, with figures that are true, and none where nothing is wrong.
#include "catalogue/options.hpp"
#include <thalweg/catalogue/catalogue.hpp>
#include <thalweg/catalogue/warnings.hpp>
#include <thalweg/sources/memory.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace test_warnings {

using namespace thalweg;
using Kind = Warning::Kind;

/// Counts of a mixture of two rates that overlap: EM's rate is .97.
Table counts(std::size_t rows, bool sorted = false) {
  std::vector<double> values;
  Random random(2);
  for (std::size_t t = 0; t < rows; ++t) {
    std::poisson_distribution<int> one(1);
    std::poisson_distribution<int> three(3);
    values.push_back(random.uniform() < 0.8 ? one(random) : three(random));
  }
  if (sorted) std::ranges::sort(values);
  Table table(1);
  table.append(dense_block(values.data(), rows, 1));
  return table;
}

struct Asked {
  FitOptions options = {};
  std::string components = "2";
  bool from_a_start = true;
  bool mends_order = true;
};

FitOutcome fit(const Table& table, const Asked& asked) {
  FitJob job{.model = prepare(find_entry("poisson"), {{"components", asked.components}},
                              Schema{{"calls"}}),
             .options = asked.options,
             .mends_order = asked.mends_order,
             .with_baseline = true,
             .with_diagnosis = true};
  if (asked.from_a_start) {
    Parameters start = job.model.parameters;
    const std::vector<double> rates = {0.7, 4.5};
    std::ranges::fill(start["weights"], 0.5);
    std::ranges::copy(rates, start["rates"].begin());
    job.starts = {start};
  }
  MemorySource source(job.model.schema, table.block());
  return fit_model(job, source);
}

std::optional<Message> said(const FitOutcome& outcome, Kind kind) {
  for (const Warning& warning : warnings(outcome))
    if (warning.kind == kind) return warning.text;
  return std::nullopt;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Warnings, none_of_a_fit_at_its_maximum) {
  const FitOutcome outcome =
      fit(counts(3000), {.options = {.method = Method::batch}, .from_a_start = false});
  for (const Warning& warning : warnings(outcome)) ADD_FAILURE() << warning.text.text();
}

TEST(Warnings, not_converged_names_what_moves_and_what_is_left) {
  const Table table = counts(3000);
  const FitOutcome most = fit(table, {.options = {.method = Method::batch}});
  for (const std::uint64_t iterations : {100, 150}) {
    FitOptions options{.method = Method::batch};
    options.batch.max_iterations = iterations;
    const FitOutcome outcome = fit(table, {.options = options});
    ASSERT_TRUE(outcome.result.moving);
    const Moving& moving = *outcome.result.moving;
    const double left = *most.result.log_likelihood - *outcome.result.log_likelihood;
    EXPECT_NEAR(moving.left * 3000 / left, 1, 0.2) << "near the end Aitken's estimate is right";
    // It takes the iterations that are said, about.
    const double more = *moving.iterations_left();
    EXPECT_NEAR(static_cast<double>(iterations) + more, static_cast<double>(most.result.iterations),
                20);
    EXPECT_EQ(moving.parameter, "rates");
    EXPECT_EQ(moving.column, 0U);
    const auto text = said(outcome, Kind::not_converged);
    ASSERT_TRUE(text);
    const std::string words = in_command(*text);
    EXPECT_TRUE(contains(words, "batch EM did not converge in")) << words;
    EXPECT_TRUE(contains(words, "rates of component 1 in column calls moved by")) << words;
    EXPECT_TRUE(contains(words, "nat or more are left to gain (raise --max-iterations: about"))
        << words;
    EXPECT_TRUE(contains(in_python(*text), "(raise max_iter: about")) << in_python(*text);
  }
}

TEST(Warnings, components_in_another_order_are_named_by_their_new_numbers) {
  FitOptions options{.method = Method::batch};
  options.batch.max_iterations = 100;
  FitOutcome outcome = fit(counts(3000), {.options = options});
  const std::size_t before = *outcome.result.moving->component;
  const double rate = outcome.fitted.parameters["rates"][before];
  const std::vector<std::size_t> turned = {1, 0};
  Fitted& fitted = outcome.fitted;
  std::ranges::sort(fitted.parameters["weights"]);  // the other way round by weight
  arrange(outcome, ComponentOrder::weight);
  EXPECT_EQ(fitted.parameters["rates"][*outcome.result.moving->component], rate);
}

TEST(Warnings, other_methods_that_iterate_say_it_too) {
  for (const Method method : {Method::incremental, Method::variance_reduced}) {
    FitOptions options{.method = method};
    options.batch.max_iterations = 2;
    const FitOutcome outcome = fit(counts(3000), {.options = options});
    const auto text = said(outcome, Kind::not_converged);
    ASSERT_TRUE(text);
    EXPECT_TRUE(contains(text->text(), " moved by ")) << text->text();
  }
}

TEST(Warnings, a_tolerance_that_stops_a_climb) {
  const Table table = counts(20'000);
  FitOptions options{.method = Method::batch};
  options.batch.stop_by = StopBy::change;
  options.batch.tolerance = 1e-3;
  const FitOutcome outcome = fit(table, {.options = options});
  EXPECT_TRUE(outcome.result.converged);
  const FitOutcome most = fit(table, {.options = {.method = Method::batch}});
  ASSERT_GT(*most.result.log_likelihood - *outcome.result.log_likelihood, 1);
  const auto text = said(outcome, Kind::still_climbs);
  ASSERT_TRUE(text);
  EXPECT_TRUE(contains(in_python(*text), "nat or more are left to gain (a smaller tol)"))
      << in_python(*text);
  options.batch.tolerance = 1e-9;
  EXPECT_FALSE(said(fit(table, {.options = options}), Kind::still_climbs));
}

TEST(Warnings, no_better_than_one) {
  Table table(1);
  Random random(7);
  for (int t = 0; t < 3000; ++t) {
    const double y = std::poisson_distribution<int>(2.5)(random);
    table.append(dense_block(&y, 1, 1));
  }
  for (const Method method : {Method::batch, Method::online})
    EXPECT_TRUE(
        said(fit(table, {.options = {.method = method}, .from_a_start = false}), Kind::no_better))
        << name(method);
  EXPECT_FALSE(
      said(fit(counts(3000), {.options = {.method = Method::batch}, .from_a_start = false}),
           Kind::no_better));
}

TEST(Warnings, rows_that_are_sorted_under_a_single_pass) {
  const Asked online{
      .options = {.method = Method::online}, .from_a_start = false, .mends_order = false};
  const FitOutcome outcome = fit(counts(20'000, true), online);
  const auto text = said(outcome, Kind::on_the_way);
  EXPECT_FALSE(text) << "few values: that it never falls says little";
  std::vector<double> values(20'000);
  for (std::size_t t = 0; t < values.size(); ++t) values[t] = static_cast<double>(t / 10);
  Table table(1);
  table.append(dense_block(values.data(), values.size(), 1));
  const auto found = said(fit(table, online), Kind::on_the_way);
  ASSERT_TRUE(found);
  EXPECT_TRUE(contains(in_command(*found), "column \"calls\" never falls")) << in_command(*found);
  EXPECT_TRUE(contains(in_command(*found), "(use --shuffle-buffer 100000, or --order shuffled)"));
  EXPECT_FALSE(said(fit(table, {.options = {.method = Method::batch}, .from_a_start = false}),
                    Kind::on_the_way));
  const FitOutcome mended =
      fit(table, {.options = {.method = Method::online}, .from_a_start = false});
  EXPECT_FALSE(said(mended, Kind::on_the_way));
  EXPECT_EQ(mended.remarks.size(), 1U) << "what was done about it is told, and no warning";
}

TEST(Warnings, a_run_that_remembers_its_start) {
  const Asked asked{.options = {.method = Method::online, .online = {.step = Schedule::power(0.9)}},
                    .from_a_start = false};
  EXPECT_TRUE(said(fit(counts(20'000), asked), Kind::too_short));
}

TEST(Warnings, what_is_degenerate) {
  Table table = counts(300);
  FitOptions options{.method = Method::online, .online = {.buffer = 0, .warmup = 0}};
  options.online.batch_size = 1;
  const FitOutcome outcome = fit(table, {.options = options});
  const auto found = degeneracies(outcome.fitted);
  EXPECT_EQ(said(outcome, Kind::degenerate).has_value(), !found.empty());
}

TEST(Warnings, a_state_keeps_what_moves) {
  Moving moving{.parameter = "means",
                .component = 2,
                .row = std::nullopt,
                .column = 0,
                .by = 0.5,
                .scaled = 0.25,
                .gain = 1e-3,
                .left = HUGE_VAL,
                .rate = 1.5,
                .allowed = 1e-8};
  Archive archive;
  save(moving, archive);
  const Moving again = load_moving(archive);
  EXPECT_EQ(again.parameter, "means");
  EXPECT_EQ(again.component, 2U);
  EXPECT_FALSE(again.row);
  EXPECT_EQ(again.column, 0U);
  EXPECT_EQ(again.left, HUGE_VAL);
  EXPECT_FALSE(again.iterations_left()) << "gains that grow tell no end";
}

}  // namespace test_warnings
