// The same bits for any number of threads and for any cut of the input, in every covariance type.
#include "gaussian_models.hpp"
#include "list_source.hpp"
#include "runs.hpp"
#include <thalweg/core/thread_pool.hpp>
#include <thalweg/estimators/fit.hpp>

namespace test_threads {

using namespace runs;
using samples::Gaussians;
using samples::Shape;

constexpr std::array<std::size_t, 3> pools{1, 2, 8};
constexpr std::array<std::size_t, 3> cuts{97, 1000, 100000};

/// Four overlapping components in five columns, neighbours correlated.
Gaussians truth() {
  Gaussians theta;
  for (int k = 0; k < 4; ++k) {
    theta.weights.push_back(0.1L * (k + 1));
    theta.means.emplace_back();
    textbook::Matrix c(5, textbook::Vector(5));
    for (std::size_t i = 0; i < 5; ++i) {
      theta.means.back().push_back(2 * k * (i % 2 == 0 ? 1 : -1));
      c[i][i] = 1 + 0.2L * k;
      if (i > 0) c[i][i - 1] = c[i - 1][i] = 0.3L;
    }
    theta.covariances.push_back(c);
  }
  return theta;
}

class Threads : public ::testing::TestWithParam<Shape> {
 protected:
  Threads() {
    Gaussians off = truth();
    for (auto& mean : off.means) mean[0] += 0.7L;
    textbook::constrain(off.covariances, off.weights, GetParam());
    start_ = samples::parameters(*model_, off, GetParam(), table_.block());
  }

  /// run(pool, source) gives the same string whoever works and however the rows come.
  template <class Run>
  void expect_one_answer(Run&& run) {
    std::string first;
    for (const std::size_t threads : pools)
      for (const std::size_t cut : cuts) {
        samples::ListSource source(table_, cut);
        const std::string state = run(ThreadPool(threads), source);
        if (first.empty()) first = state;
        EXPECT_TRUE(state == first) << threads << " threads, blocks of " << cut;
      }
  }

  static constexpr std::size_t n = 20000;  // several compute slices and a bit
  Table table_ = samples::table(samples::draw(truth(), n, 3));
  std::shared_ptr<const Model> model_ = samples::gaussian_model(GetParam(), 4);
  Schema schema_ = Schema::numbered(5);
  Parameters start_;
};

TEST_P(Threads, batch) {
  expect_one_answer([this](ThreadPool pool, Source& source) {
    Batch batch(model_, schema_, {.pool = pool});
    batch.begin(start_);
    for (int i = 0; i < 4; ++i, source.rewind()) batch.iterate(source);
    return bytes(batch.save());
  });
}

// A pool has work in one step only when its mini-batch is large.
TEST_P(Threads, online) {
  for (const std::size_t m : {37U, 5000U})
    expect_one_answer([this, m](ThreadPool pool, Source& source) {
      Online online(model_, schema_, {.batch_size = m, .starts = 2, .pool = pool});
      for (const Block& block : source) online.learn(block);
      online.finish();
      return bytes(online.save());
    });
}

TEST_P(Threads, textbook) {
  expect_one_answer([this](ThreadPool pool, Source& source) {
    Recursion recursion(model_, schema_, {.warmup = 50, .pool = pool});
    recursion.begin(start_);
    for (const Block& block : source) recursion.learn(block);
    Archive numbers;
    numbers.put("theta", recursion.parameters());
    numbers.put("S", recursion.statistic());
    return bytes(numbers);
  });
}

TEST_P(Threads, whole_fits) {
  for (const Method method : {Method::automatic, Method::online, Method::batch})
    expect_one_answer([this, method](ThreadPool pool, Source& source) {
      FitOptions options{.method = method, .pool = pool};
      options.batch.max_iterations = 10;
      options.online.starts = 2;
      const FitResult result = Fit(model_, options).run(source);
      Archive numbers;
      numbers.put("theta", result.parameters);
      numbers.put("S", result.statistic);
      numbers.put("likelihood", std::vector<double>{result.log_likelihood.value_or(0),
                                                    result.progressive.value_or(0)});
      return bytes(numbers);
    });
}

INSTANTIATE_TEST_SUITE_P(All, Threads, ::testing::ValuesIn(samples::shapes),
                         [](const auto& shape) { return textbook::name(shape.param); });

}  // namespace test_threads
