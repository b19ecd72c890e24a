// Whole fits by method: which rows are read how often, where they end, and what the result says about it.
#include "core/row_order.hpp"
#include "list_source.hpp"
#include "runs.hpp"
#include <thalweg/data/picked_rows.hpp>
#include <thalweg/estimators/fit.hpp>

namespace test_fit {

using namespace runs;
using samples::ListSource;

class Fits : public ::testing::Test {
 protected:
  FitResult fit(FitOptions options, Source& source, bool given = false) {
    Fit fit(stream_.model, std::move(options));
    if (given) fit.begin(stream_.theta);
    return fit.run(source);
  }

  double maximum(const Parameters& from) {
    Batch batch(*stream_.model, two_columns());
    batch.begin(from);
    batch.run(stream_.table.block());
    return batch.log_likelihood();
  }

  static constexpr std::size_t n = 3000;
  Stream stream_{n};
  ListSource source_{stream_.table, 100};
};

TEST_F(Fits, auto_ends_at_the_batch_maximum_where_rows_fit) {
  const FitResult result = fit({.online = {.buffer = 1000}}, source_);
  EXPECT_EQ(result.method, Method::batch);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.rows, n);
  EXPECT_EQ(result.weight, static_cast<double>(n));
  EXPECT_EQ(result.passes, 1 + result.iterations + 1);
  EXPECT_EQ(source_.blocks(), n / 100) << "the input itself was read once";
  EXPECT_NE(result.why.text().find("batch"), std::string::npos) << result.why.text();
  EXPECT_NE(result.why.text().find("3000"), std::string::npos) << result.why.text();
  ASSERT_TRUE(result.log_likelihood && result.progressive);
  EXPECT_NEAR(*result.log_likelihood,
              maximum(samples::parameters(*stream_.model, samples::three_gaussians())), 1e-4);
  const auto own = static_cast<double>(
      textbook::log_likelihood(samples::theta(result.parameters), stream_.data));
  EXPECT_NEAR(*result.log_likelihood, own, 1e-9 * std::abs(own));
}

TEST_F(Fits, auto_does_one_pass_where_rows_do_not_fit) {
  const FitResult result = fit({.keep = n * 16 - 1}, source_);
  EXPECT_EQ(result.method, Method::online);
  EXPECT_EQ(result.passes, 1U);
  EXPECT_EQ(result.iterations, 0U);
  EXPECT_FALSE(result.log_likelihood);
  EXPECT_EQ(source_.rewinds(), 0U);
  EXPECT_NE(result.why.text().find("one online pass"), std::string::npos) << result.why.text();
  // All rows but the last fit: they come in random order, and it follows them.
  const Block gathered = stream_.table.block().slice(0, n - 1);
  Online online(*stream_.model, two_columns(), {.thorough = true, .length = n});
  PickedRows picked;
  online.learn(picked.pick(gathered, shuffled_places(gathered, Unit::row, 0, 0)));
  online.learn(stream_.table.block().slice(n - 1, 1));
  online.finish();
  EXPECT_TRUE(same_bits(result.parameters, online.reported()));
  ListSource again(stream_.table, 100);
  EXPECT_EQ(fit({.keep = n * 16}, again).method, Method::batch) << "one byte more and they fit";
}

TEST_F(Fits, rows_with_labels_have_no_baseline) {
  std::vector<double> labels(n, NAN);
  for (std::size_t t = 0; t < n; t += 5) labels[t] = 2;
  Block rows = stream_.table.block();
  rows.side.label = labels.data();
  Table labelled(2);
  labelled.append(rows);
  for (const Method method : {Method::automatic, Method::online, Method::batch})
    for (const std::uint64_t keep : {std::uint64_t{1}, std::uint64_t{1} << 20U}) {
      ListSource source(labelled, 100);
      Fit fit(stream_.model, {.method = method, .keep = keep});
      fit.compare_with(std::make_shared<const GaussianMixture>(Gaussian{}, 1));
      const FitResult result = fit.run(source);
      EXPECT_FALSE(result.baseline);
      EXPECT_TRUE(result.parameters.finite());
    }
}

TEST_F(Fits, entropy_of_the_rows_in_memory) {
  const FitResult result = fit({}, source_);
  ASSERT_TRUE(result.entropy);
  Explanation seen;
  explain(*stream_.model, result.parameters, stream_.table.block(), seen);
  double sum = 0;
  for (const double p : seen.posterior)
    if (p > 0) sum -= p * std::log(p);
  EXPECT_NEAR(*result.entropy, sum, 1e-9 * sum);
  source_.rewind();
  EXPECT_FALSE(fit({.method = Method::online}, source_).entropy);
}

TEST_F(Fits, cutting_changes_nothing) {
  for (const Method method : {Method::automatic, Method::online, Method::batch}) {
    const FitResult whole = fit({.method = method}, source_);
    source_.rewind();
    for (const std::size_t cut : {1U, 7U, 1000U, 100000U}) {
      ListSource source(stream_.table, cut);
      EXPECT_TRUE(same_bits(fit({.method = method}, source).parameters, whole.parameters))
          << name(method) << " " << cut;
    }
  }
}

TEST_F(Fits, batch_through_rereading_equals_the_kept_one) {
  for (const bool given : {true, false}) {
    ListSource kept(stream_.table, 100);
    ListSource again(stream_.table, 100);
    FitOptions options{.method = Method::batch};
    options.online.racers =
        1;  // kept rows are polished from several starts, read ones from the best
    FitOptions small = options;
    small.keep = 1000;
    const FitResult a = fit(options, kept, given);
    const FitResult b = fit(small, again, given);
    EXPECT_TRUE(same_bits(a.parameters, b.parameters)) << (given ? "given start" : "own starts");
    EXPECT_EQ(a.iterations, b.iterations);
    EXPECT_EQ(a.passes, a.iterations + 1);
    EXPECT_NE(a.why.text(), b.why.text());
    EXPECT_GT(again.rewinds(), 0U);
  }
}

TEST_F(Fits, batch_on_a_pipe_that_does_not_fit_is_refused) {
  ListSource pipe(stream_.table, 100, false);
  EXPECT_THROW(fit({.method = Method::batch, .keep = 1000}, pipe), Error);
  ListSource small(stream_.table, 100, false);
  EXPECT_NO_THROW(fit({.method = Method::batch}, small)) << "kept in memory, a pipe will do";
  ListSource twice(stream_.table, 100, false);
  EXPECT_THROW(fit({.method = Method::online, .passes = 2}, twice), Error);
}

TEST_F(Fits, passes_are_counted_and_approach_the_maximum) {
  const FitResult one = fit({.method = Method::online}, source_, true);
  source_.rewind();
  const FitResult ten = fit({.method = Method::online, .passes = 10}, source_, true);
  EXPECT_EQ(one.passes, 1U);
  EXPECT_EQ(ten.passes, 10U);
  EXPECT_EQ(ten.rows, n) << "rows of one pass";
  EXPECT_EQ(*ten.progressive, *one.progressive) << "only the first pass is honest";
  const auto at = [&](const FitResult& result) {
    return static_cast<double>(
        textbook::log_likelihood(samples::theta(result.parameters), stream_.data));
  };
  const double best = maximum(one.parameters);
  EXPECT_GT(at(ten), at(one));
  EXPECT_LT(best - at(ten), 2e-4 * n);
}

TEST_F(Fits, a_stop_request_ends_with_what_was_learned) {
  int asked = 0;
  FitOptions options;
  options.stop = [&asked] { return ++asked > 20; };
  const FitResult result = fit(options, source_);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.method, Method::online);
  EXPECT_EQ(result.rows, 2100U) << "a block that was read is learned before the stop is looked at";
  EXPECT_TRUE(result.parameters.finite());
  EXPECT_NE(result.why.text().find("interrupted"), std::string::npos) << result.why.text();
}

TEST_F(Fits, a_stop_request_in_the_polish_keeps_the_iterations_made) {
  int asked = 0;
  FitOptions options;
  options.stop = [&asked] { return ++asked > 35; };  // 30 blocks, then some iterations
  const FitResult result = fit(options, source_);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.rows, n);
  EXPECT_TRUE(result.parameters.finite());
  EXPECT_FALSE(result.converged);
}

TEST_F(Fits, methods_for_rows_in_memory_end_at_the_maximum) {
  const double best = maximum(samples::parameters(*stream_.model, samples::three_gaussians()));
  for (const Method method : {Method::incremental, Method::variance_reduced}) {
    ListSource pipe(stream_.table, 100, false);
    const FitResult result = fit({.method = method}, pipe);
    EXPECT_EQ(result.method, method);
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.rows, n);
    EXPECT_FALSE(result.progressive);
    EXPECT_NEAR(*result.log_likelihood, best, 1e-4);
    EXPECT_EQ(result.memory > 0, method == Method::incremental);
    EXPECT_EQ(result.rate.has_value(), method == Method::variance_reduced);
    EXPECT_EQ(result.passes,
              method == Method::incremental ? result.iterations + 1 : 2 * result.iterations + 1);
    EXPECT_EQ(result.batch_size, method == Method::incremental ? 14U : 30U);
    ListSource large(stream_.table, 100);
    EXPECT_THROW(fit({.method = method, .keep = 1000}, large), Error) << "does not fit";
  }
}

TEST_F(Fits, methods_for_rows_in_memory_stop_on_request) {
  for (const Method method : {Method::incremental, Method::variance_reduced}) {
    int asked = 0;
    FitOptions options{.method = method};
    options.stop = [&asked] { return ++asked > 2; };
    source_.rewind();
    const FitResult result = fit(options, source_);
    EXPECT_TRUE(result.stopped);
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.iterations, 3U);
    const auto own = static_cast<double>(
        textbook::log_likelihood(samples::theta(result.parameters), stream_.data));
    EXPECT_NEAR(*result.log_likelihood, own, 1e-9 * std::abs(own));
  }
}

TEST_F(Fits, gradient_streams_as_online_does) {
  const FitResult result = fit({.method = Method::gradient, .keep = 1000}, source_);
  EXPECT_EQ(result.method, Method::gradient);
  EXPECT_EQ(result.passes, 1U);
  EXPECT_TRUE(result.progressive);
  EXPECT_NE(result.why.text().find("gradient"), std::string::npos) << result.why.text();
  Online online(*stream_.model, two_columns(), {.update = Update::gradient, .length = n});
  feed(online, stream_.table, 100);
  online.finish();
  EXPECT_TRUE(same_bits(result.parameters, online.reported()));
}

TEST_F(Fits, the_best_of_the_candidates_is_chosen) {
  const FitResult result = fit({}, source_);
  std::size_t chosen = 0;
  for (const StartRecord& record : result.starts) chosen += record.chosen;
  EXPECT_EQ(chosen, 1U);
  EXPECT_EQ(result.starts.size() % 8, 0U);
  EXPECT_EQ(result.buffer, n) << "a search on all of them costs next to nothing";
  EXPECT_FALSE(result.progressive) << "no row is left to be scored before it is learned";
  EXPECT_EQ(result.batch_size, 6U) << "3,000 rows in 500 steps";
}

TEST_F(Fits, too_few_rows_are_refused) {
  for (const Method method : {Method::automatic, Method::online, Method::batch, Method::incremental,
                              Method::variance_reduced, Method::gradient})
    for (const std::size_t rows : {0U, 2U}) {
      Table few(2);
      few.append(stream_.table.block().slice(0, rows));
      ListSource source(few, 100);
      EXPECT_THROW(fit({.method = method}, source), Error) << name(method) << " " << rows;
    }
}

TEST_F(Fits, tiny_data_end_at_the_maximum_too) {
  const Stream small(60);
  ListSource source(small.table, 7);
  const FitResult result = fit({}, source);
  EXPECT_EQ(result.method, Method::batch);
  EXPECT_TRUE(result.parameters.finite());
  EXPECT_EQ(result.buffer, 60U);
}

TEST(Method, names) {
  for (const char* text : {"auto", "online", "batch"}) EXPECT_EQ(name(parse_method(text)), text);
  for (const char* text : {"", "Auto", "automatic", "batch "})
    EXPECT_THROW(parse_method(text), UsageError) << text;
}

}  // namespace test_fit
