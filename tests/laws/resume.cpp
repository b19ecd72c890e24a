// A run that is saved as bytes, loaded and continued has the same future; bytes that were damaged have none.
#include "known.hpp"
#include "laws.hpp"

namespace laws {
namespace {

template <class Estimator>
std::string saved(const Estimator& estimator) {
  return (Bytes() << estimator.save()).text();
}

Archive archive_of(const std::string& bytes) {
  std::istringstream in(bytes);
  return Archive::read(in);
}

struct Made {
  Batch<> batch;
  Recursion<> recursion;
  Online<> online;
};

/// One fresh estimator of each kind, all with the same settings.
Made make(const Subject& subject, const Schema& schema, const Setting& setting) {
  return {{subject.model, schema, {.max_iterations = 2000}},
          {subject.model, schema, recursion_options(setting)},
          {subject.model, schema, online_options(setting)}};
}

/// Runs to the end; at every moment asked for, the estimator is replaced by one that was loaded from its bytes.
template <class Estimator, class Advance>
Outcome with_breaks(Estimator& estimator, const std::vector<std::size_t>& moments, std::size_t end,
                    const Advance& advance, const std::function<Estimator()>& fresh) {
  std::size_t at = 0;
  for (const std::size_t moment : moments) {
    advance(estimator, at, moment);
    at = moment;
    Estimator next = fresh();
    next.load(archive_of(saved(estimator)));
    EXPECT_TRUE(same_bits(saved(next), saved(estimator))) << "at " << moment;
    estimator = std::move(next);
  }
  advance(estimator, at, end);
  return outcome(estimator);
}

void resume_batch(const Subject& subject, const Parameters& start, const Block& rows) {
  const auto fresh = [&] {
    return Batch<>(subject.model, subject.example.schema, {.max_iterations = 2000});
  };
  const auto advance = [&](Batch<>& batch, std::size_t from, std::size_t to) {
    for (; from < to && !batch.converged(); ++from) batch.iterate(rows);
  };
  const auto whole = [&](const std::vector<std::size_t>& moments) {
    Batch<> batch = fresh();
    batch.begin(start);
    return with_breaks<Batch<>>(batch, moments, 3000, advance, fresh).bytes;
  };
  EXPECT_TRUE(same_bits(whole({1, 2, 3, 10, 40, 41}), whole({})));
}

template <class Estimator>
void resume_stream(const std::function<Estimator()>& fresh, const std::optional<Parameters>& start,
                   const Block& rows, const std::vector<std::size_t>& moments) {
  const auto advance = [&](Estimator& estimator, std::size_t from, std::size_t to) {
    estimator.learn(rows.slice(from, to - from));
    if (to == rows.rows) estimator.finish();
  };
  const auto whole = [&](const std::vector<std::size_t>& breaks) {
    Estimator estimator = fresh();
    if (start) estimator.begin(*start);
    return with_breaks<Estimator>(estimator, breaks, rows.rows, advance, fresh).bytes;
  };
  EXPECT_TRUE(same_bits(whole(moments), whole({})));
}

/// A buffer so small that several starts race for four more buffers.
void resume_race(const Subject& subject) {
  const Setting setting{.batch_size = 3, .buffer = 16};
  const auto fresh = [&] { return make(subject, subject.example.schema, setting).online; };
  bool raced = false;
  for (std::uint64_t seed = 200; seed < 210; ++seed) {
    const Table table = subject.draw(200, seed);
    resume_stream<Online<>>(fresh, {}, table.block(), {5, 16, 17, 40, 79, 80, 81, 150});
    Online<> online = fresh();
    online.learn(table.block().slice(0, 40));
    raced = raced || online.candidates().size() > 1;
  }
  EXPECT_TRUE(raced) << "no race was interrupted";
}

}  // namespace

void resume(const Trial& trial) {
  const Subject& subject = trial.subject;
  if (trial.who == Who::online && draws_starts(subject)) resume_race(subject);
  const Schema& schema = subject.example.schema;
  const Table table = subject.draw_weighted(1501, 61);
  const Block rows = table.block();
  for (const bool repairs : {false, true}) {  // repairs are counted in the state
    const Parameters start = repairs ? subject.with_idle_component(rows) : subject.blurred(rows);
    if (trial.who == Who::batch) {
      resume_batch(subject, start, rows.slice(0, 400));
      continue;
    }
    for (const char* average : {"poly:3", "from:700", "off"}) {
      for (const auto of : {Averaging::Of::statistic, Averaging::Of::parameters}) {
        Setting setting{.batch_size = 10, .average = Averaging::parse(average)};
        setting.average.of = of;
        if (trial.who == Who::recursion) {
          resume_stream<Recursion<>>([&] { return make(subject, schema, setting).recursion; },
                                     start, rows, {0, 3, 10, 699, 705, 1000});
          continue;
        }
        const auto fresh = [&] { return make(subject, schema, setting).online; };
        // In the buffer of 150 rows, at its end, in the race, if there is one, after it.
        resume_stream<Online<>>(fresh, start, rows, {0, 40, 149, 150, 151, 400, 749, 750, 1200});
        resume_stream<Online<>>(fresh, {}, rows, {0, 40, 149, 150, 151, 400, 749, 750, 1200});
      }
    }
  }
}

void damaged_state(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(300, 62);
  const Setting setting{.batch_size = 8, .buffer = 100};
  Made made = make(subject, subject.example.schema, setting);
  made.batch.begin(subject.blurred(table.block()));
  made.recursion.begin(subject.blurred(table.block()));
  std::vector<std::string> states;
  const Block rows = table.block();
  if (trial.who == Who::batch) {
    made.batch.iterate(rows);
    states = {saved(made.batch)};
  } else if (trial.who == Who::recursion) {
    made.recursion.learn(rows.slice(0, 45));
    states = {saved(made.recursion)};
  } else {
    made.online.learn(rows.slice(0, 30));
    states = {saved(made.online)};
    made.online.learn(rows.slice(30, 200));
    states.push_back(saved(made.online));
  }
  Schema wider = subject.example.schema;
  wider.columns.emplace_back("one_more");
  EXPECT_THROW(made.batch.load(Archive()), Error);
  EXPECT_THROW(made.recursion.load(Archive()), Error);
  EXPECT_THROW(made.online.load(Archive()), Error);
  for (const std::string& bytes : states) {
    ASSERT_NO_THROW(archive_of(bytes));
    for (std::size_t length = 0; length < bytes.size(); ++length)
      ASSERT_THROW(archive_of(bytes.substr(0, length)), Error) << length << " bytes";
    ASSERT_THROW(archive_of(bytes + '\0'), Error);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (const int flip : {0x01, 0x80}) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        ASSERT_THROW(archive_of(damaged), Error) << "byte " << i;
      }
    }
    const Archive archive = archive_of(bytes);
    const auto load_into = [&](Made other) {
      if (trial.who == Who::batch) other.batch.load(archive);
      if (trial.who == Who::recursion) other.recursion.load(archive);
      if (trial.who == Who::online) other.online.load(archive);
    };
    EXPECT_NO_THROW(load_into(make(subject, subject.example.schema, setting)));
    EXPECT_THROW(load_into(make(subject, wider, setting)), Error);  // one column more
    if (trial.who == Who::batch) continue;
    const Setting smaller{.batch_size = 2, .buffer = 20};  // more rows wait than there is room for
    EXPECT_THROW(load_into(make(subject, subject.example.schema, smaller)), Error);
  }
}

}  // namespace laws
