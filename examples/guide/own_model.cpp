// A model that is no mixture: exponential lifetimes, some of which are only known to be longer than the time they were watched.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>

using namespace thalweg;

/// A row is (time, ended): ended is 1 where the life X ended at that time, 0 where it went on. Latent is X of the rows that went on;
/// a life without memory goes on for another `mean`: E[X | time, 0] = time + mean. The M-step is mean = E[X].
struct Lifetimes : PlainModel {
  Plan plan(const Schema&) const override {
    return {{{.name = "life", .shape = {1}}},
            {{.name = "mean", .shape = {1}, .domain = Domain::positive}},
            1,   // free parameter, and
            1};  // row before an M-step exists
  }

  Parameters start(const Plan& plan, const Block& rows, Random& random) const override {
    Parameters theta(plan.parameters);
    theta["mean"][0] = rows.row(random.index(rows.rows))[0] + 1e-3;
    return theta;
  }

  double expect(const Parameters& theta, const Block& rows, Sums& sums) const override {
    Explanation seen;
    explain(theta, rows, seen);
    double log_likelihood = 0;
    for (std::size_t t = 0; t < rows.rows; ++t) {
      const double* y = rows.row(t);
      sums["life"][0] += rows.weight(t) * (y[1] == 1 ? y[0] : y[0] + theta["mean"][0]);
      sums.weight += rows.weight(t);
      log_likelihood += rows.weight(t) * seen.log_density[t];
    }
    return log_likelihood;
  }

  void explain(const Parameters& theta, const Block& rows, Explanation& out) const override {
    out = {};  // neither components nor factors
    out.log_density.resize(rows.rows);
    const double mean = theta["mean"][0];
    for (std::size_t t = 0; t < rows.rows; ++t)
      out.log_density[t] = -rows.row(t)[0] / mean - (rows.row(t)[1] == 1 ? std::log(mean) : 0);
  }

  void m_step(const Statistic& S, const Context&, Parameters& theta) const override {
    theta["mean"][0] = S["life"][0];
  }

  /// Watched for a time between 0 and 10.
  void draw(const Parameters& theta, const Block&, Carry&, Random& random,
            double* row) const override {
    const double life = std::exponential_distribution<>(1 / theta["mean"][0])(random);
    const double watched = 10 * random.uniform();
    row[0] = std::min(life, watched);
    row[1] = life <= watched ? 1 : 0;
  }

  void check(const Schema& schema, const Block& rows) const override {
    check_finite(schema, rows);
    for (std::size_t t = 0; t < rows.rows; ++t) {
      const double* y = rows.row(t);
      if (y[0] < 0) throw RowError(rows.number(t), "a time below 0");
      if (y[1] != 0 && y[1] != 1) throw RowError(rows.number(t), "ended is neither 0 nor 1");
    }
  }
};

int main() {
  const auto model = std::make_shared<const Lifetimes>();
  const Schema schema{{"time", "ended"}};
  Parameters truth(model->plan(schema).parameters);
  truth["mean"][0] = 4;
  SimulatedSource rows(model, schema, truth, {.rows = 50'000, .seed = 1});

  Table kept(2);  // for batch EM; online EM forgets what it has seen
  double time = 0,
         ended = 0;  // all time watched by the lives that ended: the maximum of the likelihood
  Online online(model, schema);
  for (const Block& block : rows) {
    online.learn(block);
    kept.append(block);
    for (std::size_t t = 0; t < block.rows; ++t) {
      time += block.row(t)[0];
      ended += block.row(t)[1];
    }
  }
  online.finish();

  Batch batch(model, schema, {.tolerance = 1e-12});
  batch.begin(online.reported());
  batch.run(kept.block());

  const double streamed = online.reported()["mean"][0], climbed = batch.parameters()["mean"][0];
  std::printf("mean life: online %.4f, batch %.6f, closed form %.6f\n", streamed, climbed,
              time / ended);
  const bool right =
      std::abs(climbed - time / ended) < 1e-5 && std::abs(streamed - time / ended) < 0.15;
  return right ? 0 : 1;
}
