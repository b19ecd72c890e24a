// Symmetric positive definite matrices: factors, inverses and rank-one updates. A triangle is packed row by row: entry (i,j),
// j <= i, at i(i+1)/2 + j.
#pragma once

#include <thalweg/export.hpp>

#include <cstddef>

namespace thalweg::kernels {

constexpr std::size_t triangle(std::size_t d) { return d * (d + 1) / 2; }
constexpr std::size_t packed_at(std::size_t i, std::size_t j) { return triangle(i) + j; }

/// A = L L', in place. False when A is not positive definite (or not finite); A is then spoiled.
THALWEG_API bool cholesky(double* a, std::size_t d);

/// W = L^-1, again a lower triangle; may be L itself.
THALWEG_API void invert_factor(const double* factor, std::size_t d, double* inverse);

/// P = W' W, the inverse of L L' for W = L^-1.
THALWEG_API void precision_of(const double* inverse_factor, std::size_t d, double* precision);

/// x = L^-1 x.
THALWEG_API void forward_substitute(const double* factor, std::size_t d, double* x);

/// sum_i log L_ii: half the log determinant.
THALWEG_API double half_log_determinant(const double* factor, std::size_t d);

/// L L' + x x' = L' L'': the factor of the sum, by Givens rotations in O(d²) (Gill, Golub, Murray & Saunders 1974). x is spoiled.
THALWEG_API void add_rank_one(double* factor, std::size_t d, double* x);

/// A = V diag(values) V', values ascending, vector k in column k of the d × d array `vectors` (row by row).
THALWEG_API bool symmetric_eigen(const double* a, std::size_t d, double* values, double* vectors);

}  // namespace thalweg::kernels
