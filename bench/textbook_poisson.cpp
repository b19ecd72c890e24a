// The textbook recursion on two Poissons, one row a step: the library beside a plain loop written for this one model.
//
//   textbook_poisson                   do the two agree, does the library allocate, how long do they take: JSON
//   textbook_poisson FACE ROWS         runs one of them (plain, library) on the first ROWS rows, for callgrind to count
//                                      with --toggle-collect='*counted_learn*': set-up stays outside
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/estimators/recursion.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <random>
#include <string_view>
#include <vector>

namespace {

std::size_t allocations = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t a) { return counted(size, std::size_t(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return counted(size, std::size_t(a)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using namespace thalweg;
using Rows = std::vector<double>;

constexpr std::size_t rows_drawn = 200'000;
// gamma_1 = 1 makes both rates y_1, and equal they would stay: the first M-step waits for other rows.
constexpr std::size_t warmup = 20;
constexpr std::array<double, 4> start = {0.5, 0.5, 0.7, 4.5};  // two weights, two rates

/// theta at the end, and the sum of log f(y_n) under the theta before row n.
struct Result {
  std::array<double, 4> theta;
  double log_likelihood;
};

// --- the plain loop ------------------------------------------------------------------------------

std::vector<double> log_factorials() {
  std::vector<double> table(1024);
  for (std::size_t y = 1; y < table.size(); ++y)
    table[y] = std::lgamma(static_cast<double>(y) + 1.0);
  return table;
}

class Plain {
 public:
  void learn(const double* rows, std::size_t count) {
    for (std::size_t t = 0; t < count; ++t) {
      const double y = rows[t];
      const double gamma = std::pow(static_cast<double>(++n_), -0.6);
      const double score_0 = std::log(weight_[0]) - rate_[0] + y * std::log(rate_[0]);
      const double score_1 = std::log(weight_[1]) - rate_[1] + y * std::log(rate_[1]);
      const double top = score_0 > score_1 ? score_0 : score_1;
      const double e_0 = std::exp(score_0 - top);
      const double e_1 = std::exp(score_1 - top);
      const double sum = e_0 + e_1;
      log_likelihood_ += top + std::log(sum) - log_factorial_[static_cast<std::size_t>(y)];
      const std::array<double, 2> r = {e_0 / sum, e_1 / sum};
      for (std::size_t k = 0; k < 2; ++k) {
        ones_[k] += gamma * (r[k] - ones_[k]);
        counts_[k] += gamma * (r[k] * y - counts_[k]);
      }
      if (n_ <= warmup) continue;
      for (std::size_t k = 0; k < 2; ++k) {
        weight_[k] = ones_[k];
        rate_[k] = counts_[k] / ones_[k];
      }
    }
  }

  Result result() const { return {{weight_[0], weight_[1], rate_[0], rate_[1]}, log_likelihood_}; }

 private:
  std::vector<double> log_factorial_ = log_factorials();
  std::array<double, 2> weight_ = {start[0], start[1]};
  std::array<double, 2> rate_ = {start[2], start[3]};
  std::array<double, 2> ones_ = {};    // E[1{X=k}]
  std::array<double, 2> counts_ = {};  // E[1{X=k} y]
  double log_likelihood_ = 0;
  std::size_t n_ = 0;
};

// --- the library ---------------------------------------------------------------------------------

class Library {
 public:
  explicit Library(const ModelHandle& model)
      : recursion_(model, Schema::numbered(1),
                   {.step = Schedule::power(0.6),
                    .warmup = warmup,
                    .average = {.kind = Averaging::Kind::off}}) {
    Parameters theta(recursion_.plan().parameters);
    std::copy(start.begin(), start.end(), theta.data());
    recursion_.begin(std::move(theta));
  }

  void learn(const double* rows, std::size_t count) {
    recursion_.learn(dense_block(rows, count, 1));
  }

  Result result() const {
    Result result{{}, recursion_.scored_log_likelihood()};
    std::copy_n(recursion_.parameters().data(), start.size(), result.theta.begin());
    return result;
  }

 private:
  Recursion recursion_;
};

Library library() { return Library(poisson_mixture({.components = 2})); }

// --- measuring -----------------------------------------------------------------------------------

/// The mixture of the source, (.8; 1, 3).
Rows draw() {
  std::mt19937_64 random(1);
  std::bernoulli_distribution second(0.2);
  std::array<std::poisson_distribution<long>, 2> count = {std::poisson_distribution<long>(1.0),
                                                          std::poisson_distribution<long>(3.0)};
  Rows rows(rows_drawn);
  for (double& y : rows) y = static_cast<double>(count[second(random) ? 1 : 0](random));
  return rows;
}

struct Measured {
  Result result;
  double seconds;  // of processor time
  std::size_t allocations;
};

/// The first row may allocate what the loop then lives on.
template <class Face>
Measured measure(Face face, const Rows& rows) {
  face.learn(rows.data(), 1);
  const std::size_t before = allocations;
  const std::clock_t begin = std::clock();
  face.learn(rows.data() + 1, rows.size() - 1);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const std::size_t allocated = allocations - before;
  return {face.result(), seconds, allocated};
}

/// The largest relative difference.
double difference(const Result& a, const Result& b) {
  const auto apart = [](double x, double y) {
    return std::isfinite(x / y) ? std::abs(x / y - 1) : HUGE_VAL;
  };
  double largest = apart(a.log_likelihood, b.log_likelihood);
  for (std::size_t i = 0; i < a.theta.size(); ++i)
    largest = std::max(largest, apart(a.theta[i], b.theta[i]));
  return largest;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int compare(const Rows& rows) {
  constexpr std::size_t rounds = 15;
  if (allocations == 0) return std::fputs("allocations are not counted\n", stderr), 1;
  std::vector<double> ratio;
  double apart = 0;
  std::size_t allocated = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const Measured by_hand = measure(Plain(), rows);
    const Measured by_library = measure(library(), rows);
    ratio.push_back(by_library.seconds / by_hand.seconds);
    apart = std::max(apart, difference(by_library.result, by_hand.result));
    allocated += by_library.allocations;
  }
  std::printf("{\"difference\": %.3g, \"allocations\": %zu, \"time\": %.4f}\n", apart, allocated,
              median(ratio));
  return 0;
}

template <class Face>
[[gnu::noinline]] void counted_learn(Face& face, const double* rows, std::size_t count) {
  face.learn(rows, count);
}

}  // namespace

int main(int argc, char** argv) {
  const Rows rows = draw();
  if (argc == 1) return compare(rows);
  const std::string_view face = argv[1];
  const std::size_t count = argc == 3 ? std::strtoul(argv[2], nullptr, 10) : 0;
  const auto run = [&](auto learner) {
    counted_learn(learner, rows.data(), std::min(count, rows.size()));
    std::printf("%.15g\n", learner.result().log_likelihood);
    return 0;
  };
  if (face == "plain") return run(Plain());
  if (face == "library") return run(library());
  return std::fputs("usage: textbook_poisson [plain|library ROWS]\n", stderr), 2;
}
