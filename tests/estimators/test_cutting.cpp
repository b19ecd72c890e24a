// However the source cuts its rows, the bits are the same.
#include "list_source.hpp"
#include "runs.hpp"

namespace test_cutting {

using namespace runs;

const std::vector<std::size_t> cuts{1, 7, 1000, 100000};

TEST(Cutting, recursion) {
  const Stream stream(3000);
  for (const std::size_t m : {1U, 8U, 500U}) {
    std::vector<std::string> states;
    for (const std::size_t cut : cuts) {
      Recursion recursion(*stream.model, two_columns(), {.batch_size = m, .warmup = 20});
      recursion.begin(stream.theta);
      feed(recursion, stream.table, cut);
      recursion.finish();
      Archive numbers;
      numbers.put("theta", recursion.parameters());
      numbers.put("S", recursion.statistic());
      numbers.put("reported", recursion.reported());
      numbers.put("score", recursion.scored_log_likelihood());
      states.push_back(bytes(numbers));
    }
    for (const std::string& state : states) EXPECT_TRUE(state == states[0]) << m;
  }
}

// 1,200 rows end in the buffer's finish, 3,000 inside the race, 9,000 after it; weights come along.
TEST(Cutting, online_with_buffer_and_race) {
  for (const std::size_t rows : {700U, 1200U, 3000U, 9000U})
    for (const bool weighted : {false, true}) {
      Stream stream(rows);
      if (weighted) {
        for (std::size_t t = 0; t < rows; ++t)
          stream.data.weights.push_back(0.5 + static_cast<double>(t % 4));
        stream.table = samples::table(stream.data);
      }
      std::vector<std::string> before;
      std::vector<std::string> after;
      for (const std::size_t cut : cuts) {
        Online online(*stream.model, two_columns());
        feed(online, stream.table, cut);
        before.push_back(bytes(online.save()));
        online.finish();
        after.push_back(bytes(online.save()));
      }
      for (const std::string& state : before) EXPECT_TRUE(state == before[0]) << rows;
      for (const std::string& state : after) EXPECT_TRUE(state == after[0]) << rows;
    }
}

TEST(Cutting, batch) {
  const Stream stream(9000);  // more than two compute slices
  std::vector<std::string> states;
  const Block whole = stream.table.block();
  Batch batch(*stream.model, two_columns());
  batch.begin(stream.theta);
  for (int i = 0; i < 4; ++i) batch.iterate(whole);
  states.push_back(bytes(batch.save()));
  for (const std::size_t cut : cuts) {
    samples::ListSource source(stream.table, cut);
    Batch cut_batch(*stream.model, two_columns());
    cut_batch.begin(stream.theta);
    for (int i = 0; i < 4; ++i, source.rewind()) cut_batch.iterate(source);
    states.push_back(bytes(cut_batch.save()));
  }
  for (const std::string& state : states) EXPECT_TRUE(state == states[0]);
}

// A block that brings unit weights and one that brings none are the same rows.
TEST(Cutting, blocks_with_and_without_weights_may_mix) {
  const Stream stream(4000);
  const std::vector<double> ones(4000, 1.0);
  Block weighted = stream.table.block();
  weighted.side.weight = ones.data();
  Online plain(*stream.model, two_columns());
  Online mixed(*stream.model, two_columns());
  feed(plain, stream.table, 100);
  for (std::size_t begin = 0; begin < 4000; begin += 37) {
    const std::size_t count = std::min<std::size_t>(37, 4000 - begin);
    mixed.learn((begin % 2 == 0 ? weighted : stream.table.block()).slice(begin, count));
  }
  plain.finish();
  mixed.finish();
  EXPECT_TRUE(same_bits(plain.reported(), mixed.reported()));
  EXPECT_TRUE(same_bits(plain.run().statistic(), mixed.run().statistic()));
}

}  // namespace test_cutting
