// A whole fit that dies again and again and goes on from what it saved ends with the bits of an undisturbed one.
#include "runs.hpp"
#include "sources/journal.hpp"
#include <thalweg/catalogue/factors.hpp>
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/data/picked_rows.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/sources/memory.hpp>
#include <thalweg/sources/reordered.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

namespace test_fit_resume {

using namespace runs;

struct Died {};

struct Task {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Model> baseline;
  FitOptions options;
  std::function<std::unique_ptr<Source>()> open;
};

std::string outcome(const FitResult& result) {
  Archive archive;
  save(result, archive);
  std::ostringstream out;
  archive.write(out);
  out << result.why.text() << result.entropy.value_or(0);
  return out.str();
}

std::string undisturbed(const Task& task) {
  const auto source = task.open();
  Journal journal(*source);
  Fit fit(task.model, task.options);
  fit.compare_with(task.baseline);
  return outcome(fit.run(journal));
}

/// Dies at every `life`-th rest of each attempt, having saved its state there. Gives the number of deaths, too.
std::pair<std::string, int> with_deaths(const Task& task, int life) {
  std::string state;
  for (int deaths = 0;; ++deaths) {
    const auto source = task.open();
    Journal journal(*source);
    Fit* alive = nullptr;
    int rests = 0;
    FitOptions options = task.options;
    options.rest = [&](bool) {
      if (++rests < life) return;
      std::ostringstream out;
      alive->save().write(out);
      state = out.str();
      throw Died();
    };
    Fit fit(task.model, options);
    alive = &fit;
    fit.compare_with(task.baseline);
    if (!state.empty()) {
      std::istringstream in(state);
      fit.load(Archive::read(in));
    }
    try {
      return {outcome(fit.run(journal)), deaths};
    } catch (const Died&) {
      if (deaths > 2000) throw std::runtime_error("no progress");
    }
  }
}

class FitResume : public ::testing::Test {
 protected:
  static constexpr std::size_t n = 3000;

  Task task(FitOptions options, Order order = Order::sequential) const {
    Task task{.model = gaussian_mixture({.components = 3}),
              .baseline = gaussian_mixture({.components = 1}),
              .options = std::move(options),
              .open = {}};
    task.open = [this, order]() -> std::unique_ptr<Source> {
      if (order == Order::sequential)
        return std::make_unique<MemorySource>(two_columns(), stream_.table.block(), 250);
      return std::make_unique<ReorderedSource>(
          two_columns(), stream_.table.block(),
          ReorderedOptions{.order = order, .seed = 3, .block_rows = 250});
    };
    return task;
  }

  static void expect_the_same(const Task& task, int lives = 9) {
    const std::string straight = undisturbed(task);
    for (int life = 2; life < lives; life += 3) {
      const auto [resumed, deaths] = with_deaths(task, life);
      EXPECT_GT(deaths, 0);
      EXPECT_TRUE(resumed == straight)
          << "dying at every rest " << life << ", " << deaths << " times";
    }
  }

  Stream stream_{n};
};

TEST_F(FitResume, auto_in_stream_ascents_and_jumps) { expect_the_same(task({})); }

TEST_F(FitResume, auto_that_does_not_fit) { expect_the_same(task({.keep = 20'000})); }

TEST_F(FitResume, sorted_rows_that_do_not_fit) {
  std::vector<std::size_t> places(n);
  std::iota(places.begin(), places.end(), std::size_t{0});
  const Block rows = stream_.table.block();
  std::sort(places.begin(), places.end(),
            [&rows](std::size_t a, std::size_t b) { return rows.row(a)[0] < rows.row(b)[0]; });
  PickedRows picked;
  Table sorted(2);
  Block all = picked.pick(rows, places);
  all.number_from(0);
  sorted.append(all);
  int told = 0;
  Task exchanging =
      task({.keep = 20'000, .tell = [&told](const Remark& remark) {
              ++told;
              EXPECT_NE(remark.text.text().find("are mixed within 1250 rows"), std::string::npos)
                  << remark.text.text();
            }});
  std::size_t cut = 250;
  exchanging.open = [&sorted, &cut]() -> std::unique_ptr<Source> {
    return std::make_unique<MemorySource>(two_columns(), sorted.block(), cut);
  };
  expect_the_same(exchanging);
  EXPECT_GT(told, 0);
  const std::string straight = undisturbed(exchanging);
  for (const std::size_t other : {1U, 77U, 3000U}) {
    cut = other;
    EXPECT_TRUE(undisturbed(exchanging) == straight) << "cut into blocks of " << cut;
  }
}

TEST_F(FitResume, online_passes_in_any_order) {
  for (const Order order : {Order::sequential, Order::shuffled, Order::random})
    expect_the_same(task({.method = Method::online, .passes = 3}, order));
}

TEST_F(FitResume, a_settled_prior_is_remembered) {
  for (const Method method : {Method::automatic, Method::online, Method::batch})
    expect_the_same(task({.method = method,
                          .passes = method == Method::batch ? 1U : 2U,
                          .regularisation = {.prior_strength = 40}}),
                    4);
  // Starts lie in the constants of some of the rows, the prior in those of all.
  expect_the_same(task({.method = Method::online,
                        .online = {.buffer = 2800},
                        .passes = 2,
                        .regularisation = {.prior_strength = 40}}),
                  4);
}

TEST_F(FitResume, methods_for_rows_in_memory) {
  for (const Method method : {Method::batch, Method::incremental, Method::variance_reduced})
    expect_the_same(task({.method = method, .online = {.seed = 5}}), 4);
}

TEST_F(FitResume, batch_that_reads_the_source_again) {
  expect_the_same(task({.method = Method::batch, .keep = 10'000}), 6);
}

TEST_F(FitResume, gradient) { expect_the_same(task({.method = Method::gradient, .passes = 2})); }

TEST_F(FitResume, exact_also_with_another_number_of_threads) {
  Task exact = task({.method = Method::exact, .pool = ThreadPool(3)});
  exact.model = ppca({.rank = 1});
  exact.baseline = nullptr;
  const std::string straight = undisturbed(exact);
  EXPECT_TRUE(with_deaths(exact, 2).first == straight);
  exact.options.pool = ThreadPool();
  EXPECT_TRUE(with_deaths(exact, 2).first == straight);
}

// The journal in between knows the rows.
TEST_F(FitResume, another_input_is_refused) {
  const Task whole = task({});
  std::string state;
  {
    const auto source = whole.open();
    Journal journal(*source);
    Fit* alive = nullptr;
    FitOptions options = whole.options;
    int rests = 0;
    options.rest = [&](bool) {
      if (++rests != 5) return;
      std::ostringstream out;
      alive->save().write(out);
      state = out.str();
    };
    Fit fit(whole.model, options);
    alive = &fit;
    fit.run(journal);
  }
  const auto resume = [&](Table rows) {
    MemorySource source(two_columns(), std::move(rows), 250);
    Journal journal(source);
    Fit fit(whole.model, whole.options);
    std::istringstream in(state);
    fit.load(Archive::read(in));
    fit.run(journal);
  };
  Table changed(2);
  changed.append(stream_.table.block());
  EXPECT_NO_THROW(resume(changed));
  Table other(2);
  other.append(stream_.table.block().slice(1, n - 1));
  EXPECT_THROW(resume(other), Error);
  Table shorter(2);
  shorter.append(stream_.table.block().slice(0, 600));
  EXPECT_THROW(resume(shorter), Error);
}

}  // namespace test_fit_resume
