// What must not change a single bit: how the input is cut, who calls the model, the same seed again.
#include "known.hpp"
#include "laws.hpp"

namespace laws {
namespace {

/// Statistics, likelihood, parameters and explanation of one block, as bytes.
std::string spoken(const Subject& subject, const AnyModel& model, const Block& rows) {
  Bytes bytes;
  Random random(5, 1);
  Parameters theta = model.start(rows, random);
  Sums sums(subject.plan.statistic);
  bytes << theta.values() << model.expect(theta, rows, sums) << sums.values() << sums.weight;
  Explanation explanation;
  model.explain(theta, rows, explanation);
  bytes << explanation.log_density << explanation.posterior << explanation.scores;
  Statistic S = mean(sums);
  Carry carry;
  bytes << model.absorb(theta, rows.slice(0, 1), 0.25, S, {}, carry)
        << model.absorb(theta, rows.slice(1, 9), 0.25, S, {}, carry) << theta.values();
  std::vector<double> drawn(rows.columns);
  model.draw(theta, Block{}, random, drawn.data());
  bytes << drawn << model.change(subject.example.truth, theta);
  return bytes.text();
}

}  // namespace

void cut(const Trial& trial) {
  for (const bool weighted : {false, true}) {
    // More than two compute slices for those who have them, and a last mini-batch that is short.
    const std::size_t n = 9'001;
    const Table table = weighted ? trial.subject.draw_weighted(n, 51) : trial.subject.draw(n, 51);
    for (const bool given : {true, false}) {
      if (!finds_starts(trial.who) && !given) continue;
      Setting setting{.iterations = 3};
      if (given) setting.start = trial.subject.blurred(table.block());
      std::vector<Method> methods = {setting.method};
      if (trial.who == Who::fit)
        methods.insert(methods.end(), {Method::incremental, Method::variance_reduced});
      for (const Method method : methods) {
        setting.method = method;
        setting.cut = 0;
        const Outcome whole = run(trial, table.block(), setting);
        for (const std::size_t rows : {1U, 5U, 64U, 1000U, 4096U, 9000U}) {
          setting.cut = rows;
          EXPECT_TRUE(agree(trial, run(trial, table.block(), setting), whole))
              << rows << " rows a block, " << name(method);
        }
      }
    }
  }
}

void erased_is_direct(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Known& concrete = known_of(subject);
  const Table table = subject.draw_weighted(2000, 52);
  if (trial.who == Who::model) {
    EXPECT_TRUE(same_bits(spoken(subject, *subject.model, table.block()),
                          spoken(subject, *concrete.erased(subject), table.block())));
    return;
  }
  Setting setting{.start = subject.blurred(table.block())};
  for (const std::size_t m : {1U, 7U}) {
    setting.batch_size = m;
    EXPECT_TRUE(agree(trial, run(trial, table.block(), setting),
                      concrete.direct(trial.who, subject, table.block(), setting)));
  }
}

void seeds(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw(600, 53);
  if (trial.who == Who::model) {
    const auto start = [&](std::uint64_t seed) {
      Random random(seed, 1);
      const Parameters theta = subject.model->start(table.block(), random);
      return std::vector<double>(theta.values().begin(), theta.values().end());
    };
    EXPECT_EQ(start(3), start(3));
    EXPECT_NE(start(3), start(4));
    EXPECT_EQ(subject.draw(50, 3).values(), subject.draw(50, 3).values());
    EXPECT_NE(subject.draw(50, 3).values(), subject.draw(50, 4).values());
    return;
  }
  Setting setting{.seed = 3};
  if (!finds_starts(trial.who)) setting.start = subject.blurred(table.block());
  const std::string first = run(trial, table.block(), setting).bytes;
  EXPECT_TRUE(same_bits(run(trial, table.block(), setting).bytes, first));
  setting.seed = 4;
  EXPECT_FALSE(same_bits(run(trial, table.block(), setting).bytes, first));
}

}  // namespace laws
