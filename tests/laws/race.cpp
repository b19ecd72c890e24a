// The race of starts, run by hand beside the one that Online runs.
#include "laws.hpp"
#include "outcome.hpp"

namespace laws {

void race(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Schema& schema = subject.example.schema;
  constexpr std::size_t B = 16;
  bool a_later_start_won = false;
  for (std::uint64_t seed = 0; seed < 30;
       ++seed) {  // other rows each time: some first rows mislead
    const Table table = subject.draw(400, 200 + seed);
    const Setting setting{.batch_size = 3, .buffer = B, .seed = seed};
    const Block rows = table.block();
    std::vector<Start> starts = find_starts(subject.model, schema, subject.first(rows, B),
                                            {.confirmed = true, .seed = seed});
    const std::size_t begin = subject.first(rows, B).rows;
    RecursionOptions options = recursion_options(setting);
    options.cautious = true;
    std::vector<Recursion> runs;
    for (const Start& start : starts) {  // the best three that differ
      if (runs.size() == 3 || (!runs.empty() && start.record.repeats)) break;
      runs.emplace_back(subject.model, schema, options);
      runs.back().begin(start.theta, start.statistic, begin);
    }
    std::size_t winner = 0;
    std::size_t raced = 0;
    if (runs.size() > 1) {
      raced = subject.first(rows.slice(begin, rows.rows - begin), 4 * B).rows;
      for (std::size_t r = 0; r < runs.size(); ++r) {
        runs[r].learn(rows.slice(begin, raced));
        if (runs[r].scored_log_likelihood() > runs[winner].scored_log_likelihood()) winner = r;
      }
    }
    a_later_start_won = a_later_start_won || winner != 0;
    runs[winner].learn(rows.slice(begin + raced, rows.rows - begin - raced));
    runs[winner].finish();

    Online online(subject.model, schema, online_options(setting));
    online.learn(rows);
    online.finish();
    EXPECT_TRUE(same_bits(outcome(online.run()).bytes, outcome(runs[winner]).bytes)) << seed;
    EXPECT_EQ(online.starts().front().number, starts[winner].record.number);
  }
  EXPECT_TRUE(a_later_start_won) << "the example does not tell whether the winner was kept";
}

}  // namespace laws
