// Figure 2: online EM after 200, 2,000 and 20,000 rows by step size, with and without averaging. Figure 3: four runs of each.
#include "one_factor.hpp"

#include <array>

namespace cappe2010 {
namespace {

constexpr std::array<std::size_t, 3> lengths = {200, 2'000, 20'000};

RecursionOptions options(const OneFactor& factor, double exponent) {
  return {.step = Schedule::power(exponent),
          .warmup = 5,  // the source leaves the first five M-steps out
          .average = {.kind = Averaging::Kind::off},
          .regularisation = factor.regularisation};
}

/// The mean of what was added since a mark.
class RunningMean {
 public:
  void add(double x) {
    sum_ += x;
    ++count_;
  }
  double sum() const { return sum_; }
  double since(double mark, std::size_t rows) const {
    return (sum_ - mark) / static_cast<double>(rows);
  }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

void online_ppca(const Study& study) {
  const OneFactor factor;
  const std::size_t R = study.replications(1000);
  enum Setting { steep, flat, averaged, of_statistic, settings };
  constexpr std::array<const char*, settings> names = {"0.9", "0.6", "0.6 averaged",
                                                       "0.6 averaged statistic"};
  std::array<std::array<std::vector<double>, lengths.size()>, settings> found;
  for (auto& setting : found)
    for (auto& values : setting) values.resize(R);

  study.replicate(R, [&](std::size_t r) {
    const Table rows = factor.draw(lengths.back(), 2'000'000 + r);
    for (const Setting setting : {steep, flat}) {
      Recursion run(factor.model, factor.schema, options(factor, setting == steep ? 0.9 : 0.6));
      run.begin(factor.start);
      RunningMean mean;
      std::array<double, lengths.size()> marks{};
      for (std::size_t t = 0; t < lengths.back(); ++t) {
        run.learn(rows.block().slice(t, 1));
        const double norm = OneFactor::squared_norm(run.parameters());
        mean.add(norm);
        for (std::size_t i = 0; i < lengths.size(); ++i) {
          if (t + 1 == lengths[i] / 2) marks[i] = mean.sum();
          if (t + 1 != lengths[i]) continue;
          found[setting][i][r] = norm;
          if (setting == flat) found[averaged][i][r] = mean.since(marks[i], lengths[i] / 2);
        }
      }
    }
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      RecursionOptions half = options(factor, 0.6);
      half.average = {.kind = Averaging::Kind::from, .from_row = lengths[i] / 2};
      Recursion run(factor.model, factor.schema, half);
      run.begin(factor.start);
      run.learn(rows.block().slice(0, lengths[i]));
      found[of_statistic][i][r] = OneFactor::squared_norm(run.reported());
    }
  });

  Boxes boxes;
  for (std::size_t s = 0; s < settings; ++s)
    for (std::size_t i = 0; i < lengths.size(); ++i)
      boxes.add(names[s], static_cast<double>(lengths[i]), found[s][i]);
  boxes.write(study.path("online_ppca"));
}

void trajectories(const Study& study) {
  constexpr std::size_t n = 5'000;
  constexpr std::size_t begin_averaging = 500;
  const OneFactor factor;
  Curves curves;
  for (std::size_t r = 0; r < 4; ++r) {
    const Table rows = factor.draw(n, 3'000'000 + r);
    for (const bool steep : {true, false}) {
      Recursion run(factor.model, factor.schema, options(factor, steep ? 0.9 : 0.6));
      run.begin(factor.start);
      RunningMean mean;
      double mark = 0;
      const std::string name = "run " + std::to_string(r + 1);
      for (std::size_t t = 1; t <= n; ++t) {
        run.learn(rows.block().slice(t - 1, 1));
        const double first = run.parameters()["loadings"][0];
        mean.add(first);
        if (t == begin_averaging) mark = mean.sum();
        if (t % 5 != 0) continue;
        const auto x = static_cast<double>(t);
        curves.add(steep ? "0.9" : "0.6", name, x, first);
        if (!steep)
          curves.add("0.6 averaged", name, x,
                     t > begin_averaging ? mean.since(mark, t - begin_averaging) : first);
      }
    }
  }
  curves.write(study.path("trajectories"));
}

}  // namespace cappe2010
