// A saved state has the same future, bit for bit, from any moment.
#include "runs.hpp"

namespace test_resume {

using namespace runs;

/// Feeds `rows` to one estimator and, through a save at `moment`, to a second; both must end in the same bytes.
template <class Make>
void expect_same_future(Make make, const Table& table, std::size_t moment, std::size_t cut = 100) {
  const Block rows = table.block();
  auto straight = make();
  feed(straight, rows, cut, 0, moment);
  auto resumed = make();
  move_state(straight, resumed);
  ASSERT_TRUE(bytes(resumed.save()) == bytes(straight.save())) << "at " << moment;
  feed(straight, rows, cut, moment, table.rows());
  feed(resumed, rows, cut, moment, table.rows());
  ASSERT_TRUE(bytes(resumed.save()) == bytes(straight.save())) << "from " << moment;
  straight.finish();
  resumed.finish();
  ASSERT_TRUE(bytes(resumed.save()) == bytes(straight.save())) << "from " << moment;
  ASSERT_TRUE(same_bits(resumed.reported(), straight.reported())) << "from " << moment;
}

TEST(Resume, recursion_at_any_row) {
  const Stream stream(400);
  for (const Averaging& average : {Averaging{}, Averaging{.kind = Averaging::Kind::off},
                                   Averaging{.kind = Averaging::Kind::from, .from_row = 200},
                                   Averaging{.of = Averaging::Of::parameters}})
    for (const std::size_t m : {1U, 8U, 150U}) {
      const auto make = [&] {
        Recursion recursion(*stream.model, two_columns(),
                            {.batch_size = m, .warmup = 20, .average = average});
        recursion.begin(stream.theta);
        return recursion;
      };
      for (std::size_t moment = 0; moment <= 400; moment += 13)
        expect_same_future(make, stream.table, moment);
    }
}

// Default options: buffer of 1,000 rows, race of 4,000, mini-batches of 14.
TEST(Resume, online_in_the_buffer_in_the_race_and_after_it) {
  const Stream stream(7000);
  const auto make = [&] { return Online(*stream.model, two_columns()); };
  for (const std::size_t moment : {0U, 1U, 500U, 999U, 1000U, 1001U, 1007U, 1014U, 2500U, 4999U,
                                   5000U, 5001U, 5013U, 6500U, 7000U})
    expect_same_future(make, stream.table, moment, 250);
}

TEST(Resume, labels_wait_with_their_rows) {
  const Stream stream(3000);
  std::vector<double> labels(3000, NAN);
  for (std::size_t t = 0; t < labels.size(); t += 3) labels[t] = static_cast<double>(t / 3 % 2);
  Block rows = stream.table.block();
  rows.side.label = labels.data();
  Table labelled(2);
  labelled.append(rows);
  const auto make = [&] { return Online(*stream.model, two_columns()); };
  for (const std::size_t moment : {1U, 500U, 999U, 1001U, 1007U, 2500U})
    expect_same_future(make, labelled, moment, 250);
  auto with = make();
  auto without = make();
  feed(with, labelled.block(), 250, 0, 3000);
  feed(without, stream.table.block(), 250, 0, 3000);
  EXPECT_FALSE(same_bits(with.reported(), without.reported()));
}

TEST(Resume, online_from_given_parameters) {
  const Stream stream(1500);
  for (const std::uint64_t buffer : {0U, 600U}) {
    const auto make = [&] {
      Online online(*stream.model, two_columns(), {.buffer = buffer, .warmup = 30});
      online.begin(stream.theta);
      return online;
    };
    for (const std::size_t moment : {0U, 1U, 599U, 600U, 601U, 1000U, 1500U})
      expect_same_future(make, stream.table, moment);
  }
}

TEST(Resume, weights_that_wait_are_saved_too) {
  Stream stream(2500);
  for (std::size_t t = 0; t < 2500; ++t)
    stream.data.weights.push_back(0.25 * static_cast<double>(1 + t % 7));
  stream.table = samples::table(stream.data);
  const auto make = [&] { return Online(*stream.model, two_columns()); };
  for (const std::size_t moment : {10U, 1000U, 1005U, 2000U})
    expect_same_future(make, stream.table, moment);
}

TEST(Resume, batch_at_any_iteration) {
  const Stream stream(600);
  const Block rows = stream.table.block();
  Batch whole(*stream.model, two_columns());
  whole.begin(stream.theta);
  whole.run(rows);
  const std::string end = bytes(whole.save());
  for (std::uint64_t moment = 0; moment < whole.iterations(); moment += 5) {
    Batch first(*stream.model, two_columns());
    first.begin(stream.theta);
    while (first.iterations() < moment) first.iterate(rows);
    Batch second(*stream.model, two_columns());
    move_state(first, second);
    second.run(rows);
    ASSERT_TRUE(bytes(second.save()) == end) << moment;
    ASSERT_EQ(second.log_likelihood(), whole.log_likelihood());
  }
}

TEST(Resume, a_finished_fit_goes_on_with_more_rows) {
  const Stream stream(3000);
  const auto make = [&] { return Online(*stream.model, two_columns()); };
  auto online = make();
  feed(online, stream.table.block(), 100, 0, 1700);
  online.finish();
  auto resumed = make();
  move_state(online, resumed);
  feed(online, stream.table.block(), 100, 1700, 3000);
  feed(resumed, stream.table.block(), 100, 1700, 3000);
  EXPECT_TRUE(bytes(resumed.save()) == bytes(online.save()));
}

TEST(Resume, a_state_of_another_model_is_refused) {
  const Stream stream(2000);
  for (const std::size_t rows : {500U, 2000U}) {  // in the buffer, in the race
    Online online(*stream.model, two_columns());
    feed(online, stream.table.block(), 100, 0, rows);
    const Archive state = online.save();
    Online wider(*stream.model, Schema::numbered(3));
    EXPECT_THROW(wider.load(state), Error) << rows;
    Online other(PoissonMixture({}, 3), Schema::numbered(3));
    EXPECT_THROW(other.load(state), Error) << rows;
    EXPECT_THROW(online.load(Archive()), Error);
  }
  Batch batch(*stream.model, two_columns());
  EXPECT_THROW(batch.load(Archive()), Error);
  Recursion recursion(*stream.model, two_columns(), {});
  EXPECT_THROW(recursion.load(Archive()), Error);
}

}  // namespace test_resume
