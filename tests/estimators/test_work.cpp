// What an E-step works with: a key for what it draws, and a place where it counts what it repairs.
#include "spy_model.hpp"
#include <thalweg/thalweg.hpp>

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace test_work {

using namespace thalweg;

using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // seed, visit, row

/// What all E-steps of a model were given.
struct Seen {
  std::mutex mutex;
  std::set<Key> keys;
  std::uint64_t slices = 0;
};

/// Counts an event in every slice, and writes down what it would draw by.
class Drawing final : public Model {
 public:
  explicit Drawing(std::shared_ptr<Seen> seen) : seen_(std::move(seen)) {}

  Plan plan(const Schema&) const override {
    return {{{.name = "sum", .shape = {1}}}, {{.name = "level", .shape = {1}}}, 1, 1};
  }
  Parameters start(const Plan& here, const Block&, Random&) const override {
    return Parameters(here.parameters);
  }
  std::unique_ptr<const Prepared> prepare(const Parameters&) const override {
    return std::make_unique<const AtTheta>(*seen_);
  }
  void draw(const Parameters&, const Block&, Carry&, Random&, double* row) const override {
    row[0] = 0;
  }

 private:
  class AtTheta final : public Prepared {
   public:
    explicit AtTheta(Seen& seen) : seen_(seen) {}
    double expect(const Block& block, Sums& sums, Work& work) const override {
      work.events->count(Event::floor_reached);
      const std::lock_guard lock(seen_.mutex);
      ++seen_.slices;
      for (std::size_t t = 0; t < block.rows; ++t) {
        seen_.keys.insert({work.seed, work.visit, block.number(t)});
        sums.weight += 1;
      }
      return 0;
    }
    void explain(const Block&, Explanation&) const override {}

   private:
    Seen& seen_;
  };
  void m_step(const Statistic&, const Context&, Parameters&) const override {}

  std::shared_ptr<Seen> seen_;
};

class EStep : public testing::Test {
 protected:
  /// Every row once in each visit, by the seed; and as many events as slices.
  void expect_keys(std::uint64_t visits, std::uint64_t first_visit, const Events& events) {
    EXPECT_EQ(seen_->keys.size(), visits * table_.rows());
    for (const auto& [seed, visit, row] : seen_->keys) {
      ASSERT_EQ(seed, 7U);
      ASSERT_GE(visit, first_visit);
      ASSERT_LT(visit, first_visit + visits);
    }
    EXPECT_EQ(events[Event::floor_reached], seen_->slices);
    seen_->keys.clear();
    seen_->slices = 0;
  }

  const Schema schema_ = Schema::numbered(1);
  Table table_ = [] {
    Table table(1);
    for (int t = 0; t < 3 * 4096 + 5; ++t) {
      const double x = t;
      table.append_row(&x);
    }
    return table;
  }();
  std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
  std::shared_ptr<const Drawing> model_ = std::make_shared<const Drawing>(seen_);
  Parameters theta_{model_->plan(Schema::numbered(1)).parameters};
};

TEST_F(EStep, of_batch_em_has_a_key_for_every_row_and_iteration) {
  for (const std::size_t threads : {1U, 3U}) {
    Batch batch(model_, schema_, {.tolerance = 0, .pool = ThreadPool(threads), .seed = 7});
    batch.begin(theta_);
    for (int i = 0; i < 3; ++i) batch.iterate(table_.block());
    expect_keys(3, 0, batch.events());
  }
}

TEST_F(EStep, of_online_em_has_a_key_for_every_row_and_step) {
  for (const std::size_t m : {100U, 10'000U}) {
    Recursion run(model_, schema_, {.batch_size = m, .pool = ThreadPool(3), .seed = 7});
    run.begin(theta_);
    run.learn(table_.block());
    run.finish();
    EXPECT_EQ(seen_->keys.size(), table_.rows());
    EXPECT_EQ(std::get<1>(*seen_->keys.begin()), 1U);
    EXPECT_EQ(std::get<1>(*seen_->keys.rbegin()), run.steps());
    EXPECT_EQ(run.events()[Event::floor_reached], seen_->slices);
    seen_->keys.clear();
    seen_->slices = 0;
  }
}

TEST_F(EStep, of_the_relatives_has_a_key_too) {
  Incremental incremental(model_, schema_, {.batch_size = 5000, .max_iterations = 2, .seed = 7});
  incremental.begin(theta_);
  while (incremental.passes() < 2) incremental.visit(table_.block());
  EXPECT_EQ(seen_->keys.size(), 2 * table_.rows());
  EXPECT_EQ(incremental.events()[Event::floor_reached], seen_->slices);
  seen_->keys.clear();
  seen_->slices = 0;
  VarianceReduced reduced(model_, schema_, {.seed = 7, .pool = ThreadPool(2)});
  reduced.begin(theta_);
  reduced.iterate(table_.block());
  EXPECT_GE(seen_->keys.size(), table_.rows());
  EXPECT_EQ(reduced.events()[Event::floor_reached], seen_->slices);
}

}  // namespace test_work
