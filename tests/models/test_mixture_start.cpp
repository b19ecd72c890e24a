// First guesses: reproducible, in the model's domain, and good enough that EM ends where the truth is.
#include "mixtures.hpp"

namespace test_mixture_start {

using namespace mixtures;

template <class M>
class Starts : public MixtureTest<M> {
 protected:
  Parameters start(std::uint64_t seed, const Block& rows) {
    Random random(seed, 1);
    return this->model_.start(this->model_.plan(Schema::numbered(rows.columns)), rows, random);
  }
};
TYPED_TEST_SUITE(Starts, Both);

template <class M>
void expect_valid(const M& model, const Parameters& theta, const Block& rows) {
  ASSERT_TRUE(theta.finite());
  double total = 0;
  for (const double w : theta["weights"]) {
    EXPECT_GT(w, 0.0);
    total += w;
  }
  EXPECT_NEAR(total, 1.0, 1e-12);
  for (const Piece& piece : theta.layout().pieces()) {
    if (piece.domain != Domain::positive) continue;
    for (const double x : theta[piece.name]) EXPECT_GT(x, 0.0) << piece.name;
  }
  Explanation out;
  explain(model, theta, rows, out);
  for (const double x : out.log_density) EXPECT_TRUE(std::isfinite(x));
}

TYPED_TEST(Starts, are_valid_and_differ_by_seed_only) {
  const Block rows = this->table_.block();
  const Parameters one = this->start(1, rows);
  expect_valid(this->model_, one, rows);
  const Parameters again = this->start(1, rows);
  EXPECT_TRUE(std::equal(one.values().begin(), one.values().end(), again.values().begin()));
  int different = 0;
  for (std::uint64_t seed = 2; seed < 12; ++seed) {
    const Parameters other = this->start(seed, rows);
    expect_valid(this->model_, other, rows);
    different += !std::equal(one.values().begin(), one.values().end(), other.values().begin());
  }
  EXPECT_GT(different, 0);
}

TYPED_TEST(Starts, some_lead_em_to_the_truths_neighbourhood) {
  const Block rows = this->table_.block();
  Sums sums(this->plan_.statistic);
  const Parameters truth = samples::parameters(this->model_, Twin<TypeParam>::truth(), rows);
  const double at_truth = expect(this->model_, truth, rows, sums);
  double best = -HUGE_VAL;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Parameters theta = this->start(seed, rows);
    for (int i = 0; i < 50; ++i) theta = em_step(this->model_, theta, rows);
    sums.clear();
    best = std::max(best, expect(this->model_, theta, rows, sums));
  }
  EXPECT_GT(best, at_truth) << "the maximum lies above the truth's likelihood";
}

TYPED_TEST(Starts, survive_poor_buffers) {
  const std::vector<double> same(40, 3.0);
  expect_valid(this->model_, this->start(1, dense_block(same.data(), 20, 2)),
               dense_block(same.data(), 20, 2));
  const std::vector<double> few{1, 2, 8, 1, 4, 4};  // three rows for three components
  expect_valid(this->model_, this->start(1, dense_block(few.data(), 3, 2)),
               dense_block(few.data(), 3, 2));
  std::vector<double> rare(200, 0.0);
  rare[7] = 1e6;  // one outlier among zeros
  expect_valid(this->model_, this->start(1, dense_block(rare.data(), 100, 2)),
               dense_block(rare.data(), 100, 2));
}

TYPED_TEST(Starts, rows_of_weight_zero_do_not_steer) {
  textbook::Data data = this->data_;
  data.weights.assign(data.rows.size(), 1.0);
  for (std::size_t t = 0; t < 30; ++t) {  // a heap far away that counts for nothing
    data.rows.push_back({5000, 5000});
    data.weights.push_back(0);
  }
  const Table table = samples::table(data);
  const Parameters theta = this->start(1, table.block());
  for (const auto& component : samples::theta(theta).first)
    for (const auto m : component) EXPECT_LT(m, 1000);
}

}  // namespace test_mixture_start
