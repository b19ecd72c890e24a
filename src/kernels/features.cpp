// A square of rows and columns is transposed in registers; everything after that has a row in each lane.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/features.cpp"
#include <thalweg/kernels/features.hpp>

#include <algorithm>

// foreach_target comes first and includes this very file once for every target.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "kernels/lanes-inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace thalweg::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// As many rows as columns. The arithmetic is done before the transposition, where shift and scale are vectors too.
template <class Tag>
HWY_INLINE void standardise_square(Tag d, const double* HWY_RESTRICT rows, std::size_t row_stride,
                                   const double* HWY_RESTRICT shift,
                                   const double* HWY_RESTRICT inverse_scale,
                                   double* HWY_RESTRICT z) {
  constexpr std::size_t N = hn::MaxLanes(d);
  const auto limit = hn::Set(d, largest_standardised);
  const auto s = hn::LoadU(d, shift);
  const auto inverse = hn::LoadU(d, inverse_scale);
  hn::Vec<Tag> v[N];
  for (std::size_t n = 0; n < N; ++n) {
    const auto value = hn::Mul(hn::Sub(hn::LoadU(d, rows + n * row_stride), s), inverse);
    v[n] = hn::Max(hn::Min(value, limit), hn::Neg(limit));
  }
  transpose(d, v);
  for (std::size_t n = 0; n < N; ++n) hn::StoreU(v[n], d, z + n * tile_stride);
}

/// Columns from `from` on, as long as they fill squares of this size; returns where it stopped.
template <class Tag>
HWY_INLINE std::size_t standardise_columns(Tag tag, std::size_t from,
                                           const double* HWY_RESTRICT rows, std::size_t row_stride,
                                           std::size_t count, std::size_t d,
                                           const double* HWY_RESTRICT shift,
                                           const double* HWY_RESTRICT inverse_scale,
                                           double* HWY_RESTRICT z) {
  constexpr std::size_t N = hn::MaxLanes(tag);
  const std::size_t to = from + (d - from) / N * N;
  std::size_t t = 0;
  for (; t + N <= count; t += N)
    for (std::size_t j = from; j < to; j += N)
      standardise_square(tag, rows + t * row_stride + j, row_stride, shift + j, inverse_scale + j,
                         z + j * tile_stride + t);
  const hn::CappedTag<double, 1> one;
  for (; t < count; ++t)
    for (std::size_t j = from; j < to; ++j)
      standardise_square(one, rows + t * row_stride + j, row_stride, shift + j, inverse_scale + j,
                         z + j * tile_stride + t);
  return to;
}

void standardise_on_target(const double* HWY_RESTRICT rows, std::size_t row_stride,
                           std::size_t count, std::size_t d, const double* HWY_RESTRICT shift,
                           const double* HWY_RESTRICT inverse_scale, double* HWY_RESTRICT z) {
  std::size_t j = 0;
  j = standardise_columns(hn::CappedTag<double, 4>(), j, rows, row_stride, count, d, shift,
                          inverse_scale, z);
  j = standardise_columns(hn::CappedTag<double, 2>(), j, rows, row_stride, count, d, shift,
                          inverse_scale, z);
  standardise_columns(hn::CappedTag<double, 1>(), j, rows, row_stride, count, d, shift,
                      inverse_scale, z);
  for (j = 0; j < d; ++j)
    std::fill(z + j * tile_stride + count, z + j * tile_stride + padded(count), 0.0);
}

// out(t) = a(t) b(t).
HWY_INLINE void multiply(const double* HWY_RESTRICT a, const double* HWY_RESTRICT b,
                         std::size_t rows, double* HWY_RESTRICT out) {
  const D64 d;
  for (std::size_t t = 0; t < rows; t += lanes)
    hn::StoreU(hn::Mul(hn::LoadU(d, a + t), hn::LoadU(d, b + t)), d, out + t);
}

void squares_on_target(const double* HWY_RESTRICT z, std::size_t d, std::size_t rows,
                       double* HWY_RESTRICT out) {
  for (std::size_t j = 0; j < d; ++j)
    multiply(z + j * tile_stride, z + j * tile_stride, padded(rows), out + j * tile_stride);
}

void pair_products_on_target(const double* HWY_RESTRICT z, std::size_t d, std::size_t rows,
                             double* HWY_RESTRICT out) {
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j, out += tile_stride)
      multiply(z + i * tile_stride, z + j * tile_stride, padded(rows), out);
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::kernels {

HWY_EXPORT(standardise_on_target);
HWY_EXPORT(squares_on_target);
HWY_EXPORT(pair_products_on_target);

void tile_standardise(const double* rows, std::size_t row_stride, std::size_t count, std::size_t d,
                      const double* shift, const double* inverse_scale, double* z) {
  HWY_DYNAMIC_DISPATCH(standardise_on_target)(rows, row_stride, count, d, shift, inverse_scale, z);
}

void tile_squares(const double* z, std::size_t d, std::size_t rows, double* out) {
  HWY_DYNAMIC_DISPATCH(squares_on_target)(z, d, rows, out);
}

void tile_pair_products(const double* z, std::size_t d, std::size_t rows, double* out) {
  HWY_DYNAMIC_DISPATCH(pair_products_on_target)(z, d, rows, out);
}

}  // namespace thalweg::kernels
#endif
