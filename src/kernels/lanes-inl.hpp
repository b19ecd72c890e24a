// The only operations that cross lanes: totals of vectors and the transposition of a small square. Included once for each target.
#if defined(THALWEG_KERNELS_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef THALWEG_KERNELS_LANES
#undef THALWEG_KERNELS_LANES
#else
#define THALWEG_KERNELS_LANES
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace thalweg::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::CappedTag<double, 8>;
using Vector = hn::Vec<D64>;

inline constexpr std::size_t lanes = hn::MaxLanes(D64());

// Machines with vectors of eight doubles have 32 registers, the others often 16.
inline constexpr bool many_registers = lanes == 8;

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE void add_totals(Vector a, Vector b, double* sums) {
  sums[0] += hn::GetLane(a);
  sums[1] += hn::GetLane(b);
}

template <class Tag>
HWY_INLINE void transpose(Tag, hn::Vec<Tag>*) {}  // a square of one number

#else

template <class V>
HWY_INLINE auto add_halves(V v) {
  const hn::DFromV<V> d;
  if constexpr (hn::MaxLanes(d) == 2) {
    return v;
  } else {
    const hn::Half<decltype(d)> half;
    return add_halves(hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

/// sums[0] += the total of a's lanes, sums[1] += that of b's: two totals for little more than one.
HWY_INLINE void add_totals(Vector a, Vector b, double* sums) {
  const D64 d;
  const auto totals =
      add_halves(hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
  const hn::DFromV<decltype(totals)> two;
  hn::StoreU(hn::Add(hn::LoadU(two, sums), totals), two, sums);
}

/// v, a square of as many vectors as one has lanes (at most 4), becomes its transpose.
template <class Tag>
HWY_INLINE void transpose(Tag d, hn::Vec<Tag>* v) {
  constexpr std::size_t N = hn::MaxLanes(d);
  static_assert(N <= 4);
  if constexpr (N == 2) {
    const auto even = hn::InterleaveLower(d, v[0], v[1]);
    v[1] = hn::InterleaveUpper(d, v[0], v[1]);
    v[0] = even;
  }
  if constexpr (N == 4) {
    const auto even = hn::InterleaveLower(d, v[0], v[1]);
    const auto odd = hn::InterleaveUpper(d, v[0], v[1]);
    const auto even_high = hn::InterleaveLower(d, v[2], v[3]);
    const auto odd_high = hn::InterleaveUpper(d, v[2], v[3]);
    v[0] = hn::ConcatLowerLower(d, even_high, even);
    v[1] = hn::ConcatLowerLower(d, odd_high, odd);
    v[2] = hn::ConcatUpperUpper(d, even_high, even);
    v[3] = hn::ConcatUpperUpper(d, odd_high, odd);
  }
}

#endif

}  // namespace thalweg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
