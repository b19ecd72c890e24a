// Hidden Markov chains against sums over all paths of states, and against what they are where nothing is hidden or nothing is a chain.
#include <thalweg/families/gaussian.hpp>
#include <thalweg/families/poisson.hpp>
#include <thalweg/models/chain.hpp>
#include <thalweg/thalweg.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace test_chain {

using namespace thalweg;

constexpr std::size_t K = 3;
const Schema counts{{"count"}};

/// Three states that follow each other in a cycle: a transposed count would show.
Parameters truth(const Model& model) {
  Parameters theta(model.plan(counts).parameters);
  std::ranges::copy(std::vector{0.5, 0.3, 0.2}, theta["start"].begin());
  std::ranges::copy(std::vector{0.6, 0.35, 0.05, 0.1, 0.5, 0.4, 0.45, 0.05, 0.5},
                    theta["transition"].begin());
  std::ranges::copy(std::vector{1.0, 4.0, 9.0}, theta["rates"].begin());
  return theta;
}

/// Sequences of these lengths, drawn at theta.
Table drawn(const Model& model, const Parameters& theta, const std::vector<std::size_t>& lengths,
            std::uint64_t seed) {
  Table table(1);
  std::uint64_t t = 0;
  for (const std::size_t length : lengths) {
    Carry carry;
    for (std::size_t i = 0; i < length; ++i, ++t) {
      Random random(seed, t);
      double y = 0;
      model.draw(theta, Block{}, carry, random, &y);
      const std::uint8_t begins = i == 0 ? 1 : 0;
      Block row = dense_block(&y, 1, 1);
      row.side.unit_start = &begins;
      table.append(row);
    }
  }
  return table;
}

/// What is expected of one sequence, by the definition: a sum over all K^n paths.
struct Enumerated {
  double likelihood = 0;
  std::vector<double> posterior, pairs = std::vector<double>(K * K);

  Enumerated(const Parameters& theta, const Block& rows) : posterior(rows.rows * K) {
    std::vector<std::size_t> path(rows.rows);
    for (bool more = true; more;) {
      double p = 1;
      for (std::size_t t = 0; t < rows.rows; ++t) {
        p *= t == 0 ? theta["start"][path[0]] : theta["transition"][path[t - 1] * K + path[t]];
        const double y = rows.row(t)[0];
        const double rate = theta["rates"][path[t]];
        if (rows.weight(t) > 0) p *= std::exp(y * std::log(rate) - rate - std::lgamma(y + 1));
      }
      likelihood += p;
      for (std::size_t t = 0; t < rows.rows; ++t) posterior[t * K + path[t]] += p;
      for (std::size_t t = 1; t < rows.rows; ++t) pairs[path[t - 1] * K + path[t]] += p;
      more = false;
      for (std::size_t t = 0; t < rows.rows && !more; ++t) {
        more = ++path[t] < K;
        if (!more) path[t] = 0;
      }
    }
    for (double& p : posterior) p /= likelihood;
    for (double& p : pairs) p /= likelihood;
  }
};

TEST(Chain, expectations_are_sums_over_all_paths) {
  const Chain<Poisson> model(Poisson{}, K);
  const Parameters theta = truth(model);
  for (const std::size_t length : {1U, 2U, 3U, 6U}) {
    for (const bool gap : {false, length > 1}) {
      Table table = drawn(model, theta, {length}, length);
      std::vector<double> weights(length, 1.0);
      if (gap) weights[length / 2] = 0;  // a time step whose observation is not known
      Block rows = table.block();
      rows.side.weight = weights.data();
      const Enumerated exact(theta, rows);
      Sums sums(model.plan(counts).statistic);
      const double log_likelihood = expect(model, theta, rows, sums);
      EXPECT_NEAR(log_likelihood, std::log(exact.likelihood), 2e-12);
      EXPECT_EQ(sums.weight, rows.total_weight());
      for (std::size_t i = 0; i < K * K; ++i)
        EXPECT_NEAR(sums["transition"][i], exact.pairs[i], 1e-14 * 10) << i;
      for (std::size_t k = 0; k < K; ++k) {
        EXPECT_NEAR(sums["start"][k], exact.posterior[k], 1e-14 * 10);
        double occupancy = 0;
        double sum = 0;
        for (std::size_t t = 0; t < length; ++t) {
          occupancy += weights[t] * exact.posterior[t * K + k];
          sum += weights[t] * exact.posterior[t * K + k] * rows.row(t)[0];
        }
        EXPECT_NEAR(sums["occupancy"][k], occupancy, 1e-13);
        EXPECT_NEAR(sums["sums"][k], sum, 1e-12);
      }
      Explanation seen;
      explain(model, theta, rows, seen);
      for (std::size_t i = 0; i < length * K; ++i)
        EXPECT_NEAR(seen.posterior[i], exact.posterior[i], 1e-13);
    }
  }
}

// Transition rows that are all alike forget the state: a mixture.
TEST(Chain, without_memory_it_is_the_mixture) {
  const Chain<Poisson> chain(Poisson{}, K);
  const Mixture<Poisson> mixture(Poisson{}, K);
  Parameters theta = truth(chain);
  Parameters rows_only(mixture.plan(counts).parameters);
  std::ranges::copy(theta["start"], rows_only["weights"].begin());
  std::ranges::copy(theta["rates"], rows_only["rates"].begin());
  for (std::size_t i = 0; i < K * K; ++i) theta["transition"][i] = theta["start"][i % K];
  const Table table = drawn(chain, theta, {400, 1, 37}, 5);
  Sums a(chain.plan(counts).statistic);
  Sums b(mixture.plan(counts).statistic);
  EXPECT_NEAR(expect(chain, theta, table.block(), a), expect(mixture, rows_only, table.block(), b),
              1e-9);
  for (std::size_t k = 0; k < K; ++k) {
    EXPECT_NEAR(a["occupancy"][k], b["weights"][k], 1e-10);
    EXPECT_NEAR(a["sums"][k], b["sums"][k], 1e-9);
  }
}

TEST(Chain, sequences_add_and_their_weight_is_repetition) {
  const Chain<Poisson> model(Poisson{}, K);
  const Parameters theta = truth(model);
  const Table first = drawn(model, theta, {7}, 1);
  const Table second = drawn(model, theta, {5}, 2);
  Table weighted(1);
  Table repeated(1);
  for (const auto& [table, times] : {std::pair(&first, 3), std::pair(&second, 1)}) {
    Block rows = table->block();
    for (int i = 0; i < times; ++i) repeated.append(rows);
    const std::vector<double> weights(rows.rows, times);
    rows.side.weight = weights.data();
    weighted.append(rows);
  }
  Sums a(model.plan(counts).statistic);
  Sums b(model.plan(counts).statistic);
  EXPECT_NEAR(expect(model, theta, weighted.block(), a), expect(model, theta, repeated.block(), b),
              1e-11);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a.data()[i], b.data()[i], 1e-11) << i;
  EXPECT_EQ(a.weight, b.weight);
  std::vector<double> uneven(weighted.rows(), 1.0);
  uneven[3] = 2;
  Block rows = weighted.block();
  rows.side.weight = uneven.data();
  EXPECT_THROW(admit(model, counts, rows), RowError);
}

/// The weight changes at row 30 of a sequence of 60, and blocks end anywhere, there among other places.
TEST(Chain, a_sequence_has_one_weight_wherever_blocks_end) {
  const Chain<Poisson> model(Poisson{}, K);
  const Parameters theta = truth(model);
  Table table = drawn(model, theta, {5, 60, 4}, 3);
  const Plan plan = model.plan(counts);
  using Way = std::function<void(Source&)>;
  bool saved = false;  // after every block; what is loaded knows the weight, too
  const auto learn = [&saved](Source& source, auto run, const auto& make) {
    for (const Block& block : source) {
      run.learn(block);
      if (!saved) continue;
      auto next = make();
      next.load(run.save());
      run = std::move(next);
    }
  };
  const auto online = [&](std::uint64_t buffer) -> Way {
    return [&, buffer](Source& source) {
      const auto make = [&] { return Online(model, counts, {.batch_size = 3, .buffer = buffer}); };
      learn(source, make(), make);
    };
  };
  const std::vector<std::pair<std::string, Way>> ways = {
      {"expectation", [&](Source& source) { expect_all(model, theta, plan, source); }},
      {"recursion",
       [&](Source& source) {
         const auto make = [&] {
           Recursion run(model, counts, {.batch_size = 3});
           run.begin(theta);
           return run;
         };
         learn(source, make(), make);
       }},
      {"online, in its buffer", online(1000)},
      {"online, behind its buffer", online(5)},
      {"batch EM that reads again",
       [&](Source& source) {
         Fit(model, {.method = Method::batch, .batch = {.max_iterations = 1}, .keep = 0})
             .run(source);
       }},
  };
  for (const bool uneven : {true, false})
    for (const auto& [cut, save] : std::vector<std::pair<std::size_t, bool>>{
             {1, false}, {7, false}, {35, false}, {1000, false}, {1, true}, {35, true}})
      for (const auto& [name, way] : ways) {
        saved = save;
        std::vector<double> weights(table.rows(), 2.0);
        weights[34] = 0;  // a time step, of no other weight
        if (uneven) std::fill(weights.begin() + 35, weights.begin() + 65, 3.0);
        Block rows = table.block();
        rows.side.weight = weights.data();
        rows.number_from(0);
        MemorySource source(counts, rows, cut);
        SCOPED_TRACE(name + ", blocks of " + std::to_string(cut) + (saved ? ", saved" : ""));
        std::optional<std::uint64_t> refused;
        try {
          way(source);
        } catch (const RowError& error) {
          refused = error.row();
        }
        EXPECT_EQ(refused, uneven ? std::optional<std::uint64_t>(35) : std::nullopt);
      }
}

/// Sequences of very different lengths, one of them longer than a slice: whoever cuts one changes the likelihood.
TEST(Chain, no_sequence_is_cut) {
  const Chain<Poisson> model(Poisson{}, K);
  const Parameters theta = truth(model);
  const Table table = drawn(model, theta, {3, 9000, 1, 200, 5000}, 7);
  Sums whole(model.plan(counts).statistic);
  const double log_likelihood = expect(model, theta, table.block(), whole);
  for (const std::size_t cut : {0U, 1U, 100U, 4096U}) {
    for (const std::size_t threads : {1U, 3U}) {
      MemorySource source(counts, table, cut);
      Batch batch(model, counts, {.max_iterations = 1, .pool = ThreadPool(threads)});
      batch.begin(theta);
      batch.iterate(source);
      EXPECT_NEAR(batch.log_likelihood(), log_likelihood, 1e-8);
      // A mini-batch of all rows is a batch step too.
      Recursion recursion(model, counts,
                          {.batch_size = 100'000,
                           .average = {.kind = Averaging::Kind::off},
                           .pool = ThreadPool(threads)});
      recursion.begin(theta);
      source.rewind();
      for (const Block& block : source) recursion.learn(block);
      recursion.finish();
      for (std::size_t i = 0; i < theta.size(); ++i)
        EXPECT_NEAR(recursion.parameters().data()[i], batch.parameters().data()[i], 1e-12) << i;
    }
  }
}

TEST(Chain, batch_em_climbs_to_the_truth) {
  const Chain<Poisson> model(Poisson{}, K);
  const Parameters theta = truth(model);
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < 400; ++i) lengths.push_back(1 + i * 7 % 90);
  const Table table = drawn(model, theta, lengths, 11);
  Batch batch(model, counts);
  Random random(1);
  Parameters start = model.start(model.plan(counts), table.block(), random);
  batch.begin(start);
  double last = -HUGE_VAL;
  for (int i = 0; i < 300; ++i) {
    batch.iterate(table.block());
    EXPECT_GE(batch.log_likelihood(), last - 1e-7);
    last = batch.log_likelihood();
  }
  std::vector<double> rates(batch.parameters()["rates"].begin(), batch.parameters()["rates"].end());
  std::ranges::sort(rates);
  // 18,000 rows, a third each: errors of sqrt(rate / 6000), some more for what is hidden
  EXPECT_NEAR(rates[0], 1, 0.15);
  EXPECT_NEAR(rates[1], 4, 0.4);
  EXPECT_NEAR(rates[2], 9, 0.4);
}

// What is ruled out and happens nevertheless makes no NaN, and neither does a state that is never visited.
TEST(Chain, the_impossible_is_survived) {
  const Chain<Poisson> model(Poisson{}, K);
  Parameters theta = truth(model);
  std::ranges::copy(std::vector{1.0, 0.0, 0.0}, theta["start"].begin());
  std::ranges::copy(std::vector{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                    theta["transition"].begin());
  std::ranges::copy(std::vector{1e-12, 4.0, 1e6}, theta["rates"].begin());
  Table table(1);
  for (int t = 0; t < 50; ++t) {
    const double y = t % 2 == 0 ? 0 : 1e6;
    table.append_row(&y);
  }
  Batch batch(model, counts, {.max_iterations = 20});
  batch.begin(theta);
  for (int i = 0; i < 20; ++i) {
    batch.iterate(table.block());
    EXPECT_TRUE(std::isfinite(batch.log_likelihood()));
    for (const double value : batch.parameters().values()) ASSERT_TRUE(std::isfinite(value));
  }
}

// Gaussian emissions bring a gauge: far away and in other units the fit is the same.
TEST(Chain, gaussian_emissions_have_no_unit) {
  const Chain<Gaussian> model(Gaussian(Covariance::diag), 2);
  const Schema schema = Schema::numbered(1);
  std::vector<double> near;
  std::size_t state = 0;
  for (std::size_t t = 0; t < 600; ++t) {
    Random random(3, t);
    if (random.uniform() < 0.1) state = 1 - state;
    near.push_back(std::normal_distribution<>(state == 0 ? 0 : 3, 1)(random));
  }
  std::vector<double> far = near;
  for (double& y : far) y = 1e6 + 100 * y;
  std::vector<Parameters> found;
  for (const auto* rows : {&near, &far}) {
    const Block block = dense_block(rows->data(), rows->size(), 1);
    Batch batch(model, schema, {.tolerance = 1e-12});
    Random random(1);
    batch.begin(model.start(model.plan(schema), block, random));
    batch.run(block);
    EXPECT_TRUE(batch.converged());
    found.push_back(batch.parameters());
  }
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(1e6 + 100 * found[0]["means"][k], found[1]["means"][k], 1e-3);
    EXPECT_NEAR(found[0]["transition"][k * 3], found[1]["transition"][k * 3], 1e-6);
    EXPECT_NEAR(found[0]["transition"][k * 3], 0.9, 0.06);
  }
}

}  // namespace test_chain
