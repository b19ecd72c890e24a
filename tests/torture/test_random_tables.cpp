// Random compositions of everything that breaks mixture programs: every covariance type, every way to fit.
#include "ways.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>

namespace test_random_tables {

using namespace torture;

/// The seed that ctest gives, the same one for a program that is run by hand; 300 tables for each way.
int choose_tables() {
  const char* given = std::getenv("RC_PARAMS");
  const std::string all = std::string(given ? given : "seed=1") + " max_success=300";
  return ::setenv("RC_PARAMS", all.c_str(), 1);
}
const int chosen = choose_tables();

/// Few rows as often as many, one to three troubles at a time.
rc::Gen<Recipe> recipes() {
  using namespace rc;
  const auto bits = gen::map(gen::inRange(0U, trouble_kinds), [](unsigned i) { return 1U << i; });
  const auto troubles =
      gen::map(gen::tuple(bits, bits, bits, gen::inRange(0, 3)), [](const auto& draw) {
        const auto& [a, b, c, more] = draw;
        return a | (more > 0 ? b : 0U) | (more > 1 ? c : 0U);
      });
  constexpr int whole_ranges = 100;  // sizes below this one narrow every range
  return gen::resize(
      whole_ranges,
      gen::build<Recipe>(
          gen::set(&Recipe::seed, gen::inRange(0U, 1000000U)),
          gen::set(&Recipe::components, gen::inRange<std::size_t>(1, 6)),
          gen::set(&Recipe::clusters, gen::inRange<std::size_t>(1, 4)),
          gen::set(&Recipe::more_rows, gen::oneOf(gen::inRange<std::size_t>(0, 12),
                                                  gen::inRange<std::size_t>(12, 190))),
          gen::set(&Recipe::columns, gen::inRange<std::size_t>(1, 7)),
          gen::set(&Recipe::troubles, troubles)));
}

class TortureRandom : public ::testing::TestWithParam<std::tuple<Shape, Way>> {};

TEST_P(TortureRandom, every_fit_is_sound) {
  const auto& [shape, way] = GetParam();
  const bool sound = rc::check([&shape = shape, &way = way] {
    const std::string fault = trouble_with(*recipes(), way, shape);
    if (!fault.empty()) RC_FAIL(fault);
  });
  EXPECT_TRUE(sound);
}

INSTANTIATE_TEST_SUITE_P(All, TortureRandom,
                         ::testing::Combine(::testing::ValuesIn(samples::shapes),
                                            ::testing::ValuesIn(ways)),
                         [](const auto& fit) {
                           return samples::name(std::get<0>(fit.param)) + "_" +
                                  std::get<1>(fit.param).name;
                         });

}  // namespace test_random_tables
