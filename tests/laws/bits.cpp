// What must not change a single bit: how the input is cut, what was prepared before, the same seed again.
#include "known.hpp"
#include "laws.hpp"

namespace laws {

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

/// What is prepared once serves all slices: nothing of one block stays behind for the next.
void prepared_once(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(900, 52);
  const Block rows = table.block();
  const Parameters theta = subject.blurred(rows);
  const auto prepared = subject.model->prepare(theta);
  std::vector<double> densities(rows.rows);
  const Pieces parts(rows, 300, subject.plan.unit);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Block part = parts[i];
    const std::size_t begin = parts.begin(i);
    Sums together(subject.plan.statistic);
    Sums alone(subject.plan.statistic);
    Work work{.log_density = densities.data() + begin};
    const double by_one = prepared->expect(part, together, work);
    EXPECT_EQ(by_one, expect(*subject.model, theta, part, alone));
    EXPECT_TRUE(std::ranges::equal(together.values(), alone.values()));
    EXPECT_EQ(together.weight, alone.weight);
  }
  Explanation seen;
  prepared->explain(rows, seen);
  EXPECT_EQ(densities, seen.log_density) << "row densities of expect and explain";
}

void seeds(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw(600, 53);
  if (trial.who == Who::model) {
    const auto start = [&](std::uint64_t seed) {
      Random random(seed, 1);
      const Parameters theta = subject.model->start(subject.plan, table.block(), random);
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
