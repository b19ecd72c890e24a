// Forward substitution and a symmetric product, both in blocks of sums that stay in registers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quadratic.cpp"

#include "quadratic.hpp"

#include <algorithm>
#include <cmath>

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

constexpr std::size_t triangle(std::size_t i) { return i * (i + 1) / 2; }

// Rows i … i+I-1 of u = L⁻¹ (z - mean) for R vectors of rows: u_i = (z_i - mean_i - sum_{j<i} L_ij u_j) / L_ii. The j before
// the block are a matrix product; `squares` gathers u_i².
template <std::size_t I, std::size_t R>
HWY_INLINE void substitute(std::size_t i, const double* HWY_RESTRICT z,
                           const double* HWY_RESTRICT mean, const double* HWY_RESTRICT factor,
                           double* HWY_RESTRICT u, Vector (&squares)[R]) {
  const D64 d;
  Vector rest[I][R];
  for (std::size_t a = 0; a < I; ++a)
    for (std::size_t r = 0; r < R; ++r)
      rest[a][r] =
          hn::Sub(hn::LoadU(d, z + (i + a) * tile_stride + r * lanes), hn::Set(d, mean[i + a]));
  const double* row[I];
  for (std::size_t a = 0; a < I; ++a) row[a] = factor + triangle(i + a);
  for (std::size_t j = 0; j < i; ++j) {
    Vector known[R];
    for (std::size_t r = 0; r < R; ++r) known[r] = hn::LoadU(d, u + (j * R + r) * lanes);
    for (std::size_t a = 0; a < I; ++a) {
      const Vector l = hn::Set(d, row[a][j]);
      for (std::size_t r = 0; r < R; ++r) rest[a][r] = hn::NegMulAdd(l, known[r], rest[a][r]);
    }
  }
  for (std::size_t a = 0; a < I; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const Vector l = hn::Set(d, row[a][i + b]);
      for (std::size_t r = 0; r < R; ++r) rest[a][r] = hn::NegMulAdd(l, rest[b][r], rest[a][r]);
    }
    const Vector inverse = hn::Set(d, 1.0 / row[a][i + a]);
    for (std::size_t r = 0; r < R; ++r) {
      rest[a][r] = hn::Mul(rest[a][r], inverse);
      squares[r] = hn::MulAdd(rest[a][r], rest[a][r], squares[r]);
      hn::StoreU(rest[a][r], d, u + ((i + a) * R + r) * lanes);
    }
  }
}

template <std::size_t R>
HWY_INLINE void distances(const double* HWY_RESTRICT z, std::size_t d,
                          const double* HWY_RESTRICT mean, const double* HWY_RESTRICT factor,
                          double* HWY_RESTRICT work, double* HWY_RESTRICT out) {
  const D64 tag;
  Vector squares[R];
  for (Vector& square : squares) square = hn::Zero(tag);
  std::size_t i = 0;
  for (; i + 4 <= d; i += 4) substitute<4, R>(i, z, mean, factor, work, squares);
  for (; i < d; ++i) substitute<1, R>(i, z, mean, factor, work, squares);
  const Vector limit = hn::Set(tag, largest_distance);
  for (std::size_t r = 0; r < R; ++r)  // overflow on the way may have left NaN: it is far, too
    hn::StoreU(hn::IfThenElse(hn::Lt(squares[r], limit), squares[r], limit), tag, out + r * lanes);
}

void mahalanobis_on_target(const double* HWY_RESTRICT z, std::size_t d, std::size_t rows,
                           const double* HWY_RESTRICT mean, const double* HWY_RESTRICT factor,
                           double* HWY_RESTRICT work, double* HWY_RESTRICT out) {
  constexpr std::size_t R = many_registers ? 4 : 2;
  std::size_t t = 0;
  for (; t + R * lanes <= padded(rows); t += R * lanes)
    distances<R>(z + t, d, mean, factor, work, out + t);
  for (; t < rows; t += 2 * lanes) distances<2>(z + t, d, mean, factor, work, out + t);
}

// Panels of tile_lanes columns, a row's columns side by side: x_tj = sqrt(w_t) z(j,t), so that sum_t x_ti x_tj is the weighted
// moment. Rows of weight 0 are left out, columns from d on are 0; returns the number of rows.
HWY_INLINE std::size_t pack_panels(const double* HWY_RESTRICT z, const double* HWY_RESTRICT weights,
                                   std::size_t d, std::size_t rows, double* HWY_RESTRICT panels) {
  const hn::CappedTag<double, 4> tag;
  constexpr std::size_t N = hn::MaxLanes(tag);
  std::size_t count = 0;
  for (std::size_t t = 0; t < rows; t += N) {
    double root[N];
    std::size_t place[N];  // a row of weight 0 is overwritten by the next
    for (std::size_t n = 0; n < N; ++n) {
      root[n] = t + n < rows ? std::sqrt(weights[t + n]) : 0.0;
      place[n] = count;
      count += root[n] > 0 ? 1 : 0;
    }
    if (count == place[0]) continue;
    const auto scale = hn::LoadU(tag, root);
    for (std::size_t j = 0; j < padded(d); j += N) {
      hn::Vec<decltype(tag)> v[N];
      for (std::size_t n = 0; n < N; ++n)
        v[n] = j + n < d ? hn::Mul(hn::LoadU(tag, z + (j + n) * tile_stride + t), scale)
                         : hn::Zero(tag);
      transpose(tag, v);
      double* panel = panels + j / tile_lanes * tile_lanes * tile_rows + j % tile_lanes;
      for (std::size_t n = 0; n < N; ++n) hn::StoreU(v[n], tag, panel + place[n] * tile_lanes);
    }
  }
  return count;
}

// I rows × two vectors of columns of the moment matrix, entry (i,j) its first; `left` and `right` point to columns i and j.
template <std::size_t I>
HWY_INLINE void outer_block(const double* HWY_RESTRICT left, const double* HWY_RESTRICT right,
                            std::size_t count, std::size_t i, std::size_t j, std::size_t d,
                            double* HWY_RESTRICT packed) {
  const D64 tag;
  Vector low[I];
  Vector high[I];
  for (std::size_t a = 0; a < I; ++a) low[a] = high[a] = hn::Zero(tag);
  for (std::size_t t = 0; t < count; ++t) {
    const Vector x0 = hn::LoadU(tag, right + t * tile_lanes);
    const Vector x1 = hn::LoadU(tag, right + t * tile_lanes + lanes);
    for (std::size_t a = 0; a < I; ++a) {
      const Vector x = hn::Set(tag, left[t * tile_lanes + a]);
      low[a] = hn::MulAdd(x, x0, low[a]);
      high[a] = hn::MulAdd(x, x1, high[a]);
    }
  }
  for (std::size_t a = 0; a < I && i + a < d; ++a) {
    if (j > i + a) continue;
    double* row = packed + triangle(i + a) + j;
    if (j + 2 * lanes <= i + a + 1) {
      hn::StoreU(hn::Add(hn::LoadU(tag, row), low[a]), tag, row);
      hn::StoreU(hn::Add(hn::LoadU(tag, row + lanes), high[a]), tag, row + lanes);
    } else {  // the diagonal runs through
      double part[2 * lanes];
      hn::StoreU(low[a], tag, part);
      hn::StoreU(high[a], tag, part + lanes);
      for (std::size_t b = 0; j + b <= i + a; ++b) row[b] += part[b];
    }
  }
}

void outer_on_target(const double* HWY_RESTRICT z, const double* HWY_RESTRICT weights,
                     std::size_t d, std::size_t rows, double* HWY_RESTRICT work,
                     double* HWY_RESTRICT packed) {
  constexpr std::size_t I = many_registers ? 8 : 4;
  const std::size_t count = pack_panels(z, weights, d, rows, work);
  if (count == 0) return;
  const auto column = [work](std::size_t j) {
    return work + j / tile_lanes * tile_lanes * tile_rows + j % tile_lanes;
  };
  for (std::size_t j = 0; j < d; j += 2 * lanes)
    for (std::size_t i = j / I * I; i < d; i += I)
      outer_block<I>(column(i), column(j), count, i, j, d, packed);
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::kernels {

HWY_EXPORT(mahalanobis_on_target);
HWY_EXPORT(outer_on_target);

void tile_mahalanobis(const double* z, std::size_t d, std::size_t rows, const double* mean,
                      const double* factor, double* work, double* out) {
  HWY_DYNAMIC_DISPATCH(mahalanobis_on_target)(z, d, rows, mean, factor, work, out);
}

void tile_outer(const double* z, const double* weights, std::size_t d, std::size_t rows,
                double* work, double* packed) {
  HWY_DYNAMIC_DISPATCH(outer_on_target)(z, weights, d, rows, work, packed);
}

}  // namespace thalweg::kernels
#endif
