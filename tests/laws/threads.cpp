// Rows are computed in slices of fixed size and added in their order: it does not matter who computed them.
#include "laws.hpp"
#include "outcome.hpp"

namespace laws {

void threads(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(12'001, 111);  // six slices, the last one short
  const Block rows = table.block();
  const bool searches = finds_starts(trial.who);
  std::vector<Setting> settings;
  for (const std::size_t m : {64U, 5000U})  // the second: mini-batches of several slices
    settings.push_back({.start = subject.blurred(rows), .iterations = 3, .batch_size = m});
  if (searches) {  // starts on a buffer of two slices
    settings.push_back({.iterations = 3, .batch_size = 5000, .buffer = 3000});
    settings.push_back({.iterations = 3, .buffer = 3000, .method = Method::batch});
    settings.push_back({.batch_size = 64, .buffer = 3000, .passes = 2, .method = Method::online});
  }
  for (Setting& setting : settings) {
    const Outcome alone = run(trial, rows, setting);
    for (const std::size_t size : {1U, 2U, 8U}) {
      setting.pool = ThreadPool(size);
      EXPECT_TRUE(agree(trial, run(trial, rows, setting), alone)) << size << " threads";
      setting.cut = 700;
      EXPECT_TRUE(agree(trial, run(trial, rows, setting), alone)) << size << " threads, cut";
      setting.cut = 0;
    }
  }
}

}  // namespace laws
