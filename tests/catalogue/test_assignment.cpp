// The best assignment against every permutation.
#include <thalweg/catalogue/merge.hpp>
#include <thalweg/core/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace test_assignment {

using namespace thalweg;

double total(const std::vector<double>& profit, const std::vector<std::size_t>& order) {
  double sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i) sum += profit[i * order.size() + order[i]];
  return sum;
}

TEST(Assignment, is_the_best_of_all_permutations) {
  for (std::size_t trial = 0; trial < 200; ++trial) {
    Random random(1, trial);
    const std::size_t n = 1 + trial % 7;
    std::vector<double> profit(n * n);
    for (double& p : profit)
      p = trial % 3 == 0 ? std::floor(4 * random.uniform()) : random.uniform();
    const std::vector<std::size_t> found = best_assignment(profit, n);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    ASSERT_TRUE(std::is_permutation(found.begin(), found.end(), order.begin()));
    double best = -HUGE_VAL;
    do best = std::max(best, total(profit, order));
    while (std::next_permutation(order.begin(), order.end()));
    EXPECT_NEAR(total(profit, found), best, 1e-12) << "trial " << trial;
  }
}

}  // namespace test_assignment
