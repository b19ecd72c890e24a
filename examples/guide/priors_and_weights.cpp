// What a row counts and what is known beforehand: weights are repetitions, a prior is rows that somebody else has seen.
#include <thalweg/thalweg.hpp>

#include <cmath>
#include <cstdio>
#include <memory>

using namespace thalweg;

FitResult fit(const Table& rows, std::size_t components, const Regularisation& regularisation) {
  MemorySource source(Schema{{"calls"}}, rows);
  return Fit(poisson_mixture({.components = components}), {.regularisation = regularisation})
      .run(source);
}

int main() {
  // A row of weight 3 is three rows.
  Table weighted(1), repeated(1);
  for (int t = 0; t < 400; ++t) {
    const double calls = t % 5 == 0 ? 11 + t % 7 : t % 4;
    const int times = 1 + t % 3;
    weighted.append_row(&calls, times);
    for (int i = 0; i < times; ++i) repeated.append_row(&calls);
  }
  const FitResult one = fit(weighted, 2, {}), other = fit(repeated, 2, {});
  const double gap = std::abs(*one.log_likelihood - *other.log_likelihood);
  std::printf("weight %.0f, rows %zu, log-likelihoods differ by %.1e\n", one.weight,
              repeated.rows(), gap);
  bool right = one.weight == static_cast<double>(repeated.rows()) && gap < 1e-3;

  // Five mornings of our own; a colleague's forty had 3 calls on average. As a statistic that is S_0 = (1, 3) of weight 40.
  Table mornings(1);
  for (const double calls : {7.0, 4.0, 9.0, 5.0, 5.0}) mornings.append_row(&calls);
  const auto model = poisson_mixture({.components = 1});
  Statistic known(model->plan(Schema{{"calls"}}).statistic);
  known["weights"][0] = 1;
  known["sums"][0] = 3;
  known.weight = 40;
  Regularisation regularisation;
  regularisation.prior = std::make_shared<const Statistic>(known);
  const double rate = fit(mornings, 1, regularisation).parameters["rates"][0];
  std::printf("rate %.6f, by hand %.6f\n", rate, (30 + 40 * 3.0) / (5 + 40));
  right = right && std::abs(rate - (30 + 40 * 3.0) / (5 + 40)) < 1e-9;

  // The usual prior, worth so many rows, makes components alike: the more of it, the nearer their rates.
  double before = HUGE_VAL;
  for (const double strength : {0.0, 100.0, 1000.0}) {
    const auto rates = fit(weighted, 2, {.prior_strength = strength}).parameters["rates"];
    const double apart = std::abs(rates[0] - rates[1]);
    std::printf("prior of %4.0f rows: rates %.3f apart\n", strength, apart);
    right = right && apart < before;
    before = apart;
  }
  return right ? 0 : 1;
}
