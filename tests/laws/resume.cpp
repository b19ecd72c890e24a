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
  Batch batch;
  Recursion recursion;
  Online online;
  Batch squarem;
  Incremental incremental;
  VarianceReduced reduced;
  std::optional<Recursion> gradient;  // where the model tells its moments
};

/// One fresh estimator of each kind, all with the same settings.
Made make(const Subject& subject, const Schema& schema, const Setting& setting) {
  Made made{{subject.model, schema, {.max_iterations = 2000}},
            {subject.model, schema, recursion_options(setting)},
            {subject.model, schema, online_options(setting)},
            {subject.model, schema, batch_options({.iterations = 2000}, Who::squarem)},
            {subject.model, schema, {.batch_size = setting.batch_size}},
            {subject.model, schema, {.batch_size = setting.batch_size}},
            std::nullopt};
  if (tells_moments(subject))
    made.gradient.emplace(subject.model, schema, recursion_options(setting, Who::gradient));
  return made;
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

/// What iterates on the same rows, from any iteration.
template <class Estimator>
void resume_iterations(const std::function<Estimator()>& fresh, const Parameters& start,
                       const Block& rows) {
  const auto advance = [&](Estimator& estimator, std::size_t from, std::size_t to) {
    for (; from < to && !estimator.converged(); ++from) estimator.iterate(rows);
  };
  const auto whole = [&](const std::vector<std::size_t>& moments) {
    Estimator estimator = fresh();
    estimator.begin(start);
    return with_breaks<Estimator>(estimator, moments, 3000, advance, fresh).bytes;
  };
  EXPECT_TRUE(same_bits(whole({1, 2, 3, 4, 5, 10, 40, 41}), whole({})));
}

/// Incremental EM may be saved in the middle of a pass.
void resume_visits(const std::function<Incremental()>& fresh, const Parameters& start,
                   const Block& rows) {
  const auto advance = [&](Incremental& incremental, std::size_t from, std::size_t to) {
    for (; from < to; ++from) incremental.visit(rows);
    incremental.evaluate(rows);
  };
  const auto whole = [&](const std::vector<std::size_t>& moments) {
    Incremental incremental = fresh();
    incremental.begin(start);
    for (const std::size_t moment : moments) {
      Incremental next = fresh();
      next.load(archive_of(saved(incremental)));
      incremental = std::move(next);
      for (std::size_t i = 0; i < moment; ++i) incremental.visit(rows);
    }
    advance(incremental, 0, 30);
    return outcome(incremental).bytes;
  };
  EXPECT_TRUE(same_bits(whole({1, 9, 31, 79}), whole({120})));
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
    resume_stream<Online>(fresh, {}, table.block(), {5, 16, 17, 40, 79, 80, 81, 150});
    Online online = fresh();
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
    if (knows_all_rows(trial.who)) {
      const Block some = rows.slice(0, 400);
      for (const std::size_t m : {1U, 10U}) {  // incremental EM keeps posteriors, or statistics
        const Setting setting{.batch_size = m};
        const auto fresh = [&] { return make(subject, schema, setting); };
        if (trial.who == Who::incremental) {
          resume_iterations<Incremental>([&] { return fresh().incremental; }, start, some);
          resume_visits([&] { return fresh().incremental; }, start, some);
        } else if (trial.who == Who::variance_reduced) {
          resume_iterations<VarianceReduced>([&] { return fresh().reduced; }, start, some);
        } else {
          const bool plain = trial.who == Who::batch;
          resume_iterations<Batch>([&] { return plain ? fresh().batch : fresh().squarem; }, start,
                                   some);
        }
      }
      continue;
    }
    for (const char* average : {"auto", "poly:3", "from:700", "off"}) {
      for (const auto of : {Averaging::Of::statistic, Averaging::Of::parameters}) {
        Setting setting{.batch_size = 10, .average = Averaging::parse(average)};
        setting.average.of = of;
        if (trial.who != Who::online) {
          const auto fresh = [&] {
            Made made = make(subject, schema, setting);
            return trial.who == Who::gradient ? *made.gradient : made.recursion;
          };
          resume_stream<Recursion>(fresh, start, rows, {0, 3, 10, 699, 705, 1000});
          continue;
        }
        const auto fresh = [&] { return make(subject, schema, setting).online; };
        // In the buffer of 150 rows, at its end, in the race, if there is one, after it.
        resume_stream<Online>(fresh, start, rows, {0, 40, 149, 150, 151, 400, 749, 750, 1200});
        resume_stream<Online>(fresh, {}, rows, {0, 40, 149, 150, 151, 400, 749, 750, 1200});
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
  made.squarem.begin(subject.blurred(table.block()));
  made.incremental.begin(subject.blurred(table.block()));
  made.reduced.begin(subject.blurred(table.block()));
  if (made.gradient) made.gradient->begin(subject.blurred(table.block()));
  std::vector<std::string> states;
  const Block rows = table.block();
  if (trial.who == Who::batch) {
    made.batch.iterate(rows);
    states = {saved(made.batch)};
  } else if (trial.who == Who::recursion) {
    made.recursion.learn(rows.slice(0, 45));
    states = {saved(made.recursion)};
  } else if (trial.who == Who::gradient) {
    made.gradient->learn(rows.slice(0, 45));
    states = {saved(*made.gradient)};
  } else if (trial.who == Who::squarem) {
    for (int i = 0; i < 4; ++i) made.squarem.iterate(rows);
    states = {saved(made.squarem)};
  } else if (trial.who == Who::incremental) {
    for (int i = 0; i < 5; ++i) made.incremental.visit(rows.slice(0, 60));
    states = {saved(made.incremental)};
  } else if (trial.who == Who::variance_reduced) {
    made.reduced.iterate(rows.slice(0, 60));
    states = {saved(made.reduced)};
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
  EXPECT_THROW(made.squarem.load(Archive()), Error);
  EXPECT_THROW(made.incremental.load(Archive()), Error);
  EXPECT_THROW(made.reduced.load(Archive()), Error);
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
      if (trial.who == Who::squarem) other.squarem.load(archive);
      if (trial.who == Who::incremental) other.incremental.load(archive);
      if (trial.who == Who::variance_reduced) other.reduced.load(archive);
      if (trial.who == Who::gradient) other.gradient->load(archive);
    };
    EXPECT_NO_THROW(load_into(make(subject, subject.example.schema, setting)));
    EXPECT_THROW(load_into(make(subject, wider, setting)), Error);  // one column more
    if (knows_all_rows(trial.who) && trial.who != Who::incremental) continue;
    // However short the mini-batches are, a unit that is longer waits as a whole.
    if (subject.plan.unit != Unit::row && trial.who != Who::incremental) continue;
    const Setting smaller{.batch_size = 2, .buffer = 20};  // more rows wait than there is room for
    EXPECT_THROW(load_into(make(subject, subject.example.schema, smaller)), Error);
  }
}

}  // namespace laws
