// A model of one's own: mixtures of Rayleigh distributions, y/s² exp(-y²/(2 s²)) for y > 0, under batch and online EM.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

using namespace thalweg;

/// EM needs two numbers of each component, E[r] and E[r y²] with r = P(X = k | Y): then w = S1 and s² = S2 / (2 S1).
struct RayleighMixture : PlainModel {
  explicit RayleighMixture(std::size_t components) : K(components) {}

  Plan plan(const Schema&) const override {
    const Piece weights{.name = "weights", .shape = {K}, .domain = Domain::simplex};
    const Piece sigma2{.name = "sigma2", .shape = {K}, .domain = Domain::positive};
    return {{weights, {.name = "squares", .shape = {K}}}, {weights, sigma2}, 2 * K - 1, K};
  }

  Parameters start(const Plan& plan, const Block& buffer, Random& random) const override {
    Parameters theta(plan.parameters);  // K rows, each its own estimate
    for (double& w : theta["weights"]) w = 1.0 / static_cast<double>(K);
    for (double& v : theta["sigma2"]) v = std::pow(buffer.row(random.index(buffer.rows))[0], 2) / 2;
    return theta;
  }

  double expect(const Parameters& theta, const Block& block, Sums& sums) const override {
    Explanation e;
    explain(theta, block, e);
    double log_likelihood = 0;
    for (std::size_t t = 0; t < block.rows; ++t) {
      const double w = block.weight(t);
      const double y = block.row(t)[0];
      sums.weight += w;
      log_likelihood += w * e.log_density[t];
      for (std::size_t k = 0; k < K; ++k) sums["weights"][k] += w * e.posterior[t * K + k];
      for (std::size_t k = 0; k < K; ++k) sums["squares"][k] += w * e.posterior[t * K + k] * y * y;
    }
    return log_likelihood;
  }

  void m_step(const Statistic& S, const Context&, Parameters& theta) const override {
    const auto w = S["weights"];
    const double total = std::accumulate(w.begin(), w.end(), 0.0);
    for (std::size_t k = 0; k < K; ++k) theta["weights"][k] = w[k] / total;
    for (std::size_t k = 0; k < K; ++k)
      if (w[k] > 0) theta["sigma2"][k] = S["squares"][k] / (2 * w[k]);
  }

  void explain(const Parameters& theta, const Block& block, Explanation& out) const override {
    out = {K, std::vector<double>(block.rows), std::vector<double>(block.rows * K)};
    const auto w = theta["weights"], s2 = theta["sigma2"];
    for (std::size_t t = 0; t < block.rows; ++t) {
      const double y = block.row(t)[0];
      double* r = &out.posterior[t * K];
      for (std::size_t k = 0; k < K; ++k) r[k] = std::log(w[k] * y / s2[k]) - y * y / (2 * s2[k]);
      const double top = *std::max_element(r, r + K);  // taken out: no row is too far away
      double sum = 0;
      for (std::size_t k = 0; k < K; ++k) sum += r[k] = std::exp(r[k] - top);
      for (std::size_t k = 0; k < K; ++k) r[k] /= sum;
      out.log_density[t] = top + std::log(sum);
    }
  }

  void draw(const Parameters& theta, const Block&, Carry&, Random& random,
            double* row) const override {
    std::discrete_distribution<> pick(theta["weights"].begin(), theta["weights"].end());
    row[0] = std::weibull_distribution<>(2, std::sqrt(2 * theta["sigma2"][pick(random)]))(random);
  }

  std::size_t K;
};

/// The components by their scale: EM finds them in any order.
void print(const char* what, const Parameters& theta) {
  std::vector<std::pair<double, double>> components;
  for (std::size_t k = 0; k < theta["weights"].size(); ++k)
    components.emplace_back(std::sqrt(theta["sigma2"][k]), theta["weights"][k]);
  std::ranges::sort(components);
  std::printf("%-24s", what);
  for (const auto& [scale, weight] : components) std::printf("%10.4f × %.4f", weight, scale);
  std::printf("\n");
}

/// Heights of waves, as two winds raise them.
int main() {
  const RayleighMixture model(2);
  const Schema schema{{"height"}};
  Parameters truth(model.plan(schema).parameters);
  std::ranges::copy(std::vector{0.7, 0.3}, truth["weights"].begin());
  std::ranges::copy(std::vector{1.0, 9.0}, truth["sigma2"].begin());

  Table rows(1);
  for (std::size_t t = 0; t < 100'000; ++t) {
    Random random(7, t);
    double height = 0;
    draw(model, truth, random, &height);
    rows.append_row(&height);
  }

  Online online(model, schema);  // each row is seen once
  online.learn(rows.block());
  online.finish();

  Batch batch(model, schema);  // every iteration sees all rows
  Random random(0);
  batch.begin(model.start(batch.plan(), rows.block(), random));
  batch.run(rows.block());

  std::printf("%-24s%s\n", "", "    weight × scale of each component");
  print("truth", truth);
  print("online EM, one pass", online.reported());
  print("batch EM, converged", batch.parameters());
  return 0;
}
