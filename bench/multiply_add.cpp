// How many multiply-adds a core can do: independent sums in registers, on the widest vectors of the machine.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "multiply_add.cpp"

// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

HWY_BEFORE_NAMESPACE();
namespace bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Multiply-adds a second of one round; the sums go to `sink` so that they are not optimised away.
double rate_on_target(double* sink) {
  constexpr std::size_t turns = 4'000'000;
  constexpr std::size_t chains = 12;  // covers the latency of two units and fits into 16 registers
  const hn::CappedTag<double, 8> d;
  const auto factor = hn::Set(d, 0.999);
  hn::Vec<decltype(d)> sum[chains];
  for (auto& s : sum) s = hn::Set(d, *sink);
  const std::clock_t begin = std::clock();
  for (std::size_t turn = 0; turn < turns; ++turn)
    for (auto& s : sum) s = hn::MulAdd(s, factor, factor);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  for (auto& s : sum) *sink += hn::GetLane(s);
  return static_cast<double>(turns * chains * hn::Lanes(d)) / seconds;
}

}  // namespace HWY_NAMESPACE
}  // namespace bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bench {

HWY_EXPORT(rate_on_target);

double best_rate(int rounds) {
  double sink = 1;
  double best = 0;
  for (int round = 0; round < rounds; ++round)
    best = std::max(best, HWY_DYNAMIC_DISPATCH(rate_on_target)(&sink));
  return std::isfinite(sink) ? best : 0;
}

}  // namespace bench

int main() { std::printf("{\"multiply_adds_a_second\": %.4g}\n", bench::best_rate(15)); }
#endif
