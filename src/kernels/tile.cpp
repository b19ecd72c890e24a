// Compiled once for each instruction set that Highway knows; the fastest one the machine has is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tile.cpp"
#include <thalweg/kernels/tile.hpp>

// foreach_target comes first and includes this very file once for every target.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace thalweg::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::CappedTag<double, tile_lanes / 2>;
using Vector = hn::Vec<D64>;

// A block of C components × two vectors of rows keeps 2C sums in registers while j runs over the features.
template <std::size_t C>
HWY_INLINE void score_block(const double* HWY_RESTRICT psi, std::size_t D, std::size_t K,
                            const double* HWY_RESTRICT features, double* HWY_RESTRICT scores) {
  const D64 d;
  const std::size_t lanes = hn::Lanes(d);
  Vector low[C];
  Vector high[C];
  for (std::size_t c = 0; c < C; ++c) low[c] = high[c] = hn::Zero(d);
  for (std::size_t j = 0; j < D; ++j) {
    const Vector s0 = hn::LoadU(d, features + j * tile_stride);
    const Vector s1 = hn::LoadU(d, features + j * tile_stride + lanes);
    for (std::size_t c = 0; c < C; ++c) {
      const Vector p = hn::Set(d, psi[j * K + c]);
      low[c] = hn::MulAdd(p, s0, low[c]);
      high[c] = hn::MulAdd(p, s1, high[c]);
    }
  }
  for (std::size_t c = 0; c < C; ++c) {
    hn::StoreU(low[c], d, scores + c * tile_stride);
    hn::StoreU(high[c], d, scores + c * tile_stride + lanes);
  }
}

void scores_on_target(const double* HWY_RESTRICT psi, std::size_t D, std::size_t K,
                      const double* HWY_RESTRICT features, std::size_t rows,
                      double* HWY_RESTRICT scores) {
  const std::size_t step = 2 * hn::Lanes(D64());
  for (std::size_t t = 0; t < rows; t += step) {
    std::size_t k = 0;
    for (; k + 4 <= K; k += 4)
      score_block<4>(psi + k, D, K, features + t, scores + k * tile_stride + t);
    for (; k < K; ++k) score_block<1>(psi + k, D, K, features + t, scores + k * tile_stride + t);
  }
}

void softmax_on_target(double* HWY_RESTRICT scores, std::size_t K, std::size_t rows,
                       double* HWY_RESTRICT log_sum) {
  const D64 d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t t = 0; t < rows; t += lanes) {
    double* column = scores + t;
    Vector top = hn::LoadU(d, column);
    for (std::size_t k = 1; k < K; ++k) top = hn::Max(top, hn::LoadU(d, column + k * tile_stride));
    Vector sum = hn::Zero(d);
    Vector spoiled = hn::Zero(
        d);  // stays 0 unless a score is not finite: Highway's Exp(NaN) is 0 and would hide it
    for (std::size_t k = 0; k < K; ++k) {
      const Vector score = hn::LoadU(d, column + k * tile_stride);
      spoiled = hn::MulAdd(score, hn::Zero(d), spoiled);
      // Arguments are <= 0, where Highway's Exp is right down to its underflow to 0.
      const Vector e = hn::Exp(d, hn::Sub(score, top));
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

// F features × C components: F·C sums over rows kept in registers, added up across lanes at the end.
template <std::size_t F, std::size_t C>
HWY_INLINE void accumulate_block(const double* HWY_RESTRICT features,
                                 const double* HWY_RESTRICT weights, std::size_t K,
                                 std::size_t rows, double* HWY_RESTRICT sums) {
  const D64 d;
  const std::size_t lanes = hn::Lanes(d);
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
  for (std::size_t f = 0; f < F; ++f)
    for (std::size_t c = 0; c < C; ++c)
      sums[f * K + c] += hn::GetLane(hn::SumOfLanes(d, total[f][c]));
}

template <std::size_t C>
HWY_INLINE void accumulate_columns(const double* HWY_RESTRICT features,
                                   const double* HWY_RESTRICT weights, std::size_t D, std::size_t K,
                                   std::size_t rows, double* HWY_RESTRICT sums) {
  std::size_t j = 0;
  for (; j + 3 <= D; j += 3)
    accumulate_block<3, C>(features + j * tile_stride, weights, K, rows, sums + j * K);
  for (; j < D; ++j)
    accumulate_block<1, C>(features + j * tile_stride, weights, K, rows, sums + j * K);
}

void accumulate_on_target(const double* HWY_RESTRICT features, const double* HWY_RESTRICT weights,
                          std::size_t D, std::size_t K, std::size_t rows,
                          double* HWY_RESTRICT sums) {
  std::size_t k = 0;
  for (; k + 4 <= K; k += 4)
    accumulate_columns<4>(features, weights + k * tile_stride, D, K, rows, sums + k);
  for (; k < K; ++k)
    accumulate_columns<1>(features, weights + k * tile_stride, D, K, rows, sums + k);
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::kernels {

HWY_EXPORT(scores_on_target);
HWY_EXPORT(softmax_on_target);
HWY_EXPORT(accumulate_on_target);

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
