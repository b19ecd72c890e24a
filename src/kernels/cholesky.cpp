// Factors of symmetric positive definite matrices, packed.
#include <thalweg/kernels/cholesky.hpp>

#include <algorithm>
#include <cmath>

namespace thalweg::kernels {
namespace {

/// Four running sums: one alone waits for every addition.
double dot(const double* a, const double* b, std::size_t n) {
  double s0 = 0;
  double s1 = 0;
  double s2 = 0;
  double s3 = 0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

}  // namespace

bool cholesky(double* a, std::size_t d) {
  double* row = a;
  for (std::size_t i = 0; i < d; row += ++i) {
    double* other = a;
    for (std::size_t j = 0; j < i; other += ++j) row[j] = (row[j] - dot(row, other, j)) / other[j];
    const double pivot = row[i] - dot(row, row, i);
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    row[i] = std::sqrt(pivot);
  }
  return true;
}

void invert_factor(const double* factor, std::size_t d, double* inverse) {
  if (inverse != factor) std::copy(factor, factor + triangle(d), inverse);
  // Row i of L^-1 is -L_i,0..i-1 L^-1_0..i-1 / L_ii: rows above are finished when it is their turn.
  for (std::size_t i = 0; i < d; ++i) {
    double* row = inverse + triangle(i);
    const double scale = 1.0 / row[i];
    for (std::size_t j = 0; j < i; ++j) {
      double sum = 0;  // entries j … i-1 of the row are still L's
      for (std::size_t m = j; m < i; ++m) sum += row[m] * inverse[packed_at(m, j)];
      row[j] = -sum * scale;
    }
    row[i] = scale;
  }
}

void precision_of(const double* inverse_factor, std::size_t d, double* precision) {
  std::fill(precision, precision + triangle(d), 0.0);
  for (std::size_t m = 0; m < d; ++m) {
    const double* row = inverse_factor + triangle(m);
    for (std::size_t i = 0; i <= m; ++i) {
      double* out = precision + triangle(i);
      for (std::size_t j = 0; j <= i; ++j) out[j] += row[i] * row[j];
    }
  }
}

void forward_substitute(const double* factor, std::size_t d, double* x) {
  const double* row = factor;
  for (std::size_t i = 0; i < d; row += ++i) x[i] = (x[i] - dot(row, x, i)) / row[i];
}

double half_log_determinant(const double* factor, std::size_t d) {
  double sum = 0;
  for (std::size_t i = 0; i < d; ++i) sum += std::log(factor[packed_at(i, i)]);
  return sum;
}

void add_rank_one(double* factor, std::size_t d, double* x) {
  for (std::size_t i = 0; i < d; ++i) {
    double& pivot = factor[packed_at(i, i)];
    const double radius = std::sqrt(pivot * pivot + x[i] * x[i]);
    const double c = radius / pivot;
    const double s = x[i] / pivot;
    pivot = radius;
    for (std::size_t m = i + 1; m < d; ++m) {
      double& entry = factor[packed_at(m, i)];
      entry = (entry + s * x[m]) / c;
      x[m] = c * x[m] - s * entry;
    }
  }
}

}  // namespace thalweg::kernels
