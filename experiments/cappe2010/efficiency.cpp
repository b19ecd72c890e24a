// Mean squared error over the Cramér–Rao bound against n, by averaging; and by mini-batch size.
#include "two_poissons.hpp"

#include <algorithm>
#include <array>

namespace cappe2010 {
namespace {

double smaller_rate(const Parameters& theta) {
  return std::min(theta["rates"][0], theta["rates"][1]);
}

/// n times the variance of an efficient estimate of the smaller rate: 2.6931².
double bound(const TwoPoissons& two) {
  const Table law = two.law();
  const Information exact = information(*two.model, two.truth, law.block());
  const std::size_t rate = two.truth.layout().find("rates")->offset;
  return exact.between(rate, rate);
}

class Errors {
 public:
  Errors(std::size_t points, std::size_t replications)
      : values_(points, std::vector<double>(replications)) {}
  double& at(std::size_t point, std::size_t r) { return values_[point][r]; }
  double mean_square(std::size_t point, double truth) const {
    double sum = 0;
    for (const double x : values_[point]) sum += (x - truth) * (x - truth);
    return sum / static_cast<double>(values_[point].size());
  }

 private:
  std::vector<std::vector<double>> values_;
};

RecursionOptions options(Averaging average, std::size_t batch = 1) {
  return {.step = Schedule::power(0.6), .batch_size = batch, .warmup = 20, .average = average};
}

}  // namespace

void efficiency(const Study& study) {
  const TwoPoissons two;
  const std::size_t R = study.replications(400);
  constexpr std::array<std::size_t, 8> lengths = {2'000,  4'000,  8'000,   16'000,
                                                  32'000, 64'000, 128'000, 256'000};
  enum Kind { last, half, poly_1, poly_3, kinds };
  constexpr std::array<const char*, kinds> names = {"last iterate", "half", "poly:1", "poly:3"};
  std::vector<Errors> found(kinds, Errors(lengths.size(), R));
  study.replicate(R, [&](std::size_t r) {
    const Table rows = two.draw(lengths.back(), 5'000'000 + r);
    const auto follow = [&](Averaging average, auto&& at_length) {
      Recursion run(two.model, two.schema, options(average));
      run.begin(two.start);
      std::size_t learned = 0;
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        run.learn(rows.block().slice(learned, lengths[i] - learned));
        learned = lengths[i];
        at_length(i, run);
      }
    };
    follow({.eta = 1}, [&](std::size_t i, const Recursion& run) {
      found[poly_1].at(i, r) = smaller_rate(run.reported());
      found[last].at(i, r) = smaller_rate(run.parameters());
    });
    follow({.eta = 3}, [&](std::size_t i, const Recursion& run) {
      found[poly_3].at(i, r) = smaller_rate(run.reported());
    });
    // The mean over the second half, from the means over all rows at n and at n/2.
    Statistic before(two.plan.statistic);
    follow({.kind = Averaging::Kind::from}, [&](std::size_t i, const Recursion& run) {
      Statistic second = run.reported_statistic();
      for (std::size_t j = 0; j < second.size(); ++j)
        second.data()[j] = 2 * second.data()[j] - before.data()[j];
      Parameters theta = run.parameters();
      maximise(*two.model, i == 0 ? run.reported_statistic() : second, {}, theta);
      found[half].at(i, r) = smaller_rate(theta);
      before = run.reported_statistic();
    });
  });
  Curves curves;
  for (std::size_t kind = 0; kind < kinds; ++kind)
    for (std::size_t i = kind == half ? 1 : 0; i < lengths.size(); ++i) {
      const auto n = static_cast<double>(lengths[i]);
      curves.add("rate 1", names[kind], n, found[kind].mean_square(i, 1) / (bound(two) / n));
    }
  curves.write(study.path("efficiency"));
}

void mini_batches(const Study& study) {
  const TwoPoissons two;
  const std::size_t R = study.replications(400);
  constexpr std::array<std::size_t, 6> sizes = {1, 4, 16, 64, 256, 1024};
  constexpr std::array<std::size_t, 3> lengths = {10'240, 40'960, 163'840};
  std::vector<Errors> found(lengths.size(), Errors(sizes.size(), R));
  study.replicate(R, [&](std::size_t r) {
    const Table rows = two.draw(lengths.back(), 6'000'000 + r);
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      Recursion run(two.model, two.schema, options({}, sizes[s]));
      run.begin(two.start);
      std::size_t learned = 0;
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        run.learn(rows.block().slice(learned, lengths[i] - learned));
        learned = lengths[i];
        found[i].at(s, r) = smaller_rate(run.reported());
      }
    }
  });
  Curves curves;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    for (std::size_t s = 0; s < sizes.size(); ++s)
      curves.add("rate 1", std::to_string(lengths[i]) + " rows", static_cast<double>(sizes[s]),
                 found[i].mean_square(s, 1) * static_cast<double>(lengths[i]) / bound(two));
  curves.write(study.path("mini_batches"));
}

}  // namespace cappe2010
