// Compiled once for each instruction set that Highway knows; the fastest one the machine has is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tile.cpp"
#include <thalweg/kernels/tile.hpp>

// foreach_target comes first and includes this very file once for every target.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
#include "kernels/lanes-inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace thalweg::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Blocks of 16 sums, or 8, leave room for operands and hide the latency of a multiply-add.
constexpr std::size_t wide = many_registers ? 8 : 4;

// A block of C components × R vectors of rows keeps R·C sums in registers while j runs over the features.
template <std::size_t R, std::size_t C>
HWY_INLINE void score_block(const double* HWY_RESTRICT psi, std::size_t D, std::size_t K,
                            const double* HWY_RESTRICT features, double* HWY_RESTRICT scores) {
  const D64 d;
  Vector sum[C][R];
  for (std::size_t c = 0; c < C; ++c)
    for (std::size_t r = 0; r < R; ++r)
      sum[c][r] = hn::LoadU(d, scores + c * tile_stride + r * lanes);
  for (std::size_t j = 0; j < D; ++j) {
    Vector s[R];
    for (std::size_t r = 0; r < R; ++r) s[r] = hn::LoadU(d, features + j * tile_stride + r * lanes);
    for (std::size_t c = 0; c < C; ++c) {
      const Vector p = hn::Set(d, psi[j * K + c]);
      for (std::size_t r = 0; r < R; ++r) sum[c][r] = hn::MulAdd(p, s[r], sum[c][r]);
    }
  }
  for (std::size_t c = 0; c < C; ++c)
    for (std::size_t r = 0; r < R; ++r)
      hn::StoreU(sum[c][r], d, scores + c * tile_stride + r * lanes);
}

// Few components take more rows at a time, as many as the registers hold.
template <std::size_t C>
HWY_INLINE void score_components(const double* HWY_RESTRICT psi, std::size_t D, std::size_t K,
                                 const double* HWY_RESTRICT features, std::size_t rows,
                                 double* HWY_RESTRICT scores) {
  constexpr std::size_t R = C <= (many_registers ? 6 : 2) ? 4 : 2;
  std::size_t t = 0;
  for (; t + R * lanes <= padded(rows); t += R * lanes)
    score_block<R, C>(psi, D, K, features + t, scores + t);
  for (; t < rows; t += 2 * lanes) score_block<2, C>(psi, D, K, features + t, scores + t);
}

/// The last `count` <= C components in one go.
template <std::size_t C>
HWY_INLINE void score_rest(std::size_t count, const double* HWY_RESTRICT psi, std::size_t D,
                           std::size_t K, const double* HWY_RESTRICT features, std::size_t rows,
                           double* HWY_RESTRICT scores) {
  if (count == C) {
    score_components<C>(psi, D, K, features, rows, scores);
  } else if constexpr (C > 1) {
    score_rest<C - 1>(count, psi, D, K, features, rows, scores);
  }
}

void scores_on_target(const double* HWY_RESTRICT psi, std::size_t D, std::size_t K,
                      const double* HWY_RESTRICT features, std::size_t rows,
                      double* HWY_RESTRICT scores) {
  std::size_t k = 0;
  for (; k + wide <= K; k += wide)
    score_components<wide>(psi + k, D, K, features, rows, scores + k * tile_stride);
  score_rest<wide - 1>(K - k, psi + k, D, K, features, rows, scores + k * tile_stride);
}

void fill_on_target(const double* HWY_RESTRICT values, std::size_t K, std::size_t rows,
                    double* HWY_RESTRICT scores) {
  const D64 d;
  for (std::size_t k = 0; k < K; ++k, scores += tile_stride) {
    const Vector value = hn::Set(d, values[k]);
    for (std::size_t t = 0; t < rows; t += tile_lanes)
      for (std::size_t i = 0; i < tile_lanes; i += lanes) hn::StoreU(value, d, scores + t + i);
  }
}

// exp x for x <= 0: x = n log 2 + r, |r| <= log(2)/2, and Taylor's series up to r^13/13! < 1e-17. What would be smaller than
// exp(-708) is 0, and so is the exponential of NaN.
HWY_INLINE Vector exp_of_negative(Vector x) {
  const D64 d;
  const hn::RebindToSigned<D64> bits;
  const Vector shifter = hn::Set(d, 0x1.8p52);  // adding it leaves n in the lowest bits
  const Vector shifted = hn::MulAdd(x, hn::Set(d, 0x1.71547652b82fep0), shifter);
  const Vector n = hn::Sub(shifted, shifter);
  Vector r = hn::NegMulAdd(n, hn::Set(d, 0x1.62e42fefap-1), x);  // log 2 in two parts, the
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.cf79abc9e3b3ap-40), r);    // first times n is exact
  constexpr double reciprocal_factorials[] = {1.0 / 479001600,
                                              1.0 / 39916800,
                                              1.0 / 3628800,
                                              1.0 / 362880,
                                              1.0 / 40320,
                                              1.0 / 5040,
                                              1.0 / 720,
                                              1.0 / 120,
                                              1.0 / 24,
                                              1.0 / 6,
                                              1.0 / 2,
                                              1.0,
                                              1.0};
  Vector p = hn::Set(d, 1.0 / 6227020800);
  for (const double c : reciprocal_factorials) p = hn::MulAdd(p, r, hn::Set(d, c));
  const auto exponent = hn::ShiftLeft<52>(hn::BitCast(bits, shifted));
  const Vector e = hn::BitCast(d, hn::Add(hn::BitCast(bits, p), exponent));
  return hn::IfThenElseZero(hn::Ge(x, hn::Set(d, -708.0)), e);
}

void softmax_on_target(double* HWY_RESTRICT scores, std::size_t K, std::size_t rows,
                       double* HWY_RESTRICT log_sum) {
  const D64 d;
  for (std::size_t t = 0; t < rows; t += lanes) {
    double* column = scores + t;
    Vector top = hn::LoadU(d, column);
    for (std::size_t k = 1; k < K; ++k) top = hn::Max(top, hn::LoadU(d, column + k * tile_stride));
    Vector sum = hn::Zero(d);
    Vector spoiled = hn::Zero(d);  // stays 0 unless a score is not finite
    for (std::size_t k = 0; k < K; ++k) {
      const Vector score = hn::LoadU(d, column + k * tile_stride);
      spoiled = hn::MulAdd(score, hn::Zero(d), spoiled);
      const Vector e = exp_of_negative(hn::Sub(score, top));
      hn::StoreU(e, d, column + k * tile_stride);
      sum = hn::Add(sum, e);
    }
    // sum lies in [1, K]: the range in which Highway's Log needs no care.
    const Vector log_density = hn::Add(hn::Add(top, hn::Log(d, sum)), spoiled);
    hn::StoreU(log_density, d, log_sum + t);
    const Vector inverse = hn::Div(hn::Set(d, 1.0), sum);
    const auto real =
        hn::Lt(hn::Iota(d, static_cast<double>(t)), hn::Set(d, static_cast<double>(rows)));
    const Vector factor = hn::IfThenElseZero(real, inverse);
    for (std::size_t k = 0; k < K; ++k)
      hn::StoreU(hn::Mul(hn::LoadU(d, column + k * tile_stride), factor), d,
                 column + k * tile_stride);
  }
}

// F features × C components, a lane for each row: F·C sums kept in registers, added up across lanes at the end.
template <std::size_t F, std::size_t C>
HWY_INLINE void accumulate_block(const double* HWY_RESTRICT features,
                                 const double* HWY_RESTRICT weights, std::size_t K,
                                 std::size_t rows, double* HWY_RESTRICT sums) {
  const D64 d;
  Vector total[F][C];
  for (auto& row : total)
    for (Vector& cell : row) cell = hn::Zero(d);
  for (std::size_t t = 0; t < rows; t += lanes) {
    Vector w[C];
    for (std::size_t c = 0; c < C; ++c) w[c] = hn::LoadU(d, weights + c * tile_stride + t);
    for (std::size_t f = 0; f < F; ++f) {
      const Vector s = hn::LoadU(d, features + f * tile_stride + t);
      for (std::size_t c = 0; c < C; ++c) total[f][c] = hn::MulAdd(s, w[c], total[f][c]);
    }
  }
  for (std::size_t f = 0; f < F; ++f) {
    for (std::size_t c = 0; c + 2 <= C; c += 2)
      add_totals(total[f][c], total[f][c + 1], sums + f * K + c);
    if constexpr (C % 2 == 1)
      sums[f * K + C - 1] += hn::GetLane(hn::SumOfLanes(d, total[f][C - 1]));
  }
}

// The features of a block come from the second cache once; the weights of all components stay in the first.
template <std::size_t F>
HWY_INLINE void accumulate_features(const double* HWY_RESTRICT features,
                                    const double* HWY_RESTRICT weights, std::size_t K,
                                    std::size_t rows, double* HWY_RESTRICT sums) {
  std::size_t k = 0;
  for (; k + 4 <= K; k += 4)
    accumulate_block<F, 4>(features, weights + k * tile_stride, K, rows, sums + k);
  weights += k * tile_stride;
  if (K - k == 3) accumulate_block<F, 3>(features, weights, K, rows, sums + k);
  if (K - k == 2) accumulate_block<F, 2>(features, weights, K, rows, sums + k);
  if (K - k == 1) accumulate_block<F, 1>(features, weights, K, rows, sums + k);
}

void accumulate_on_target(const double* HWY_RESTRICT features, const double* HWY_RESTRICT weights,
                          std::size_t D, std::size_t K, std::size_t rows,
                          double* HWY_RESTRICT sums) {
  constexpr std::size_t F = many_registers ? 6 : 3;
  std::size_t j = 0;
  for (; j + F <= D; j += F)
    accumulate_features<F>(features + j * tile_stride, weights, K, rows, sums + j * K);
  for (; j + 2 <= D; j += 2)
    accumulate_features<2>(features + j * tile_stride, weights, K, rows, sums + j * K);
  for (; j < D; ++j)
    accumulate_features<1>(features + j * tile_stride, weights, K, rows, sums + j * K);
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::kernels {

HWY_EXPORT(fill_on_target);
HWY_EXPORT(scores_on_target);
HWY_EXPORT(softmax_on_target);
HWY_EXPORT(accumulate_on_target);

void tile_fill(const double* values, std::size_t K, std::size_t rows, double* scores) {
  HWY_DYNAMIC_DISPATCH(fill_on_target)(values, K, rows, scores);
}

void tile_scores(const double* psi, std::size_t D, std::size_t K, const double* features,
                 std::size_t rows, double* scores) {
  HWY_DYNAMIC_DISPATCH(scores_on_target)(psi, D, K, features, rows, scores);
}

void tile_softmax(double* scores, std::size_t K, std::size_t rows, double* log_sum) {
  HWY_DYNAMIC_DISPATCH(softmax_on_target)(scores, K, rows, log_sum);
}

void tile_accumulate(const double* features, const double* weights, std::size_t D, std::size_t K,
                     std::size_t rows, double* sums) {
  HWY_DYNAMIC_DISPATCH(accumulate_on_target)(features, weights, D, K, rows, sums);
}

}  // namespace thalweg::kernels
#endif
