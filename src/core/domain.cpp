// Values that a piece must not have, in words.
#include "core/domain.hpp"

#include "core/text.hpp"
#include <thalweg/kernels/cholesky.hpp>

#include <cmath>
#include <vector>

namespace thalweg {
namespace {

/// Symmetric to rounding, and positive definite once every variable has its own unit.
std::string covariance_fault(const Piece& piece, const double* matrix) {
  const std::size_t d = piece.shape.back();
  std::vector<double> packed;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double size = std::sqrt(matrix[i * d + i]) * std::sqrt(matrix[j * d + j]);
      if (!(std::abs(matrix[i * d + j] - matrix[j * d + i]) <= 1e-9 * size))
        return "\"" + piece.name +
               "\" has a matrix that is not symmetric, or a variance that is not positive";
      packed.push_back(matrix[i * d + j] / size);
    }
  }
  if (!kernels::cholesky(packed.data(), d))
    return "\"" + piece.name + "\" has a matrix that is not positive definite";
  return "";
}

std::string distributions_fault(const Piece& piece, std::span<const double> values) {
  const std::vector<std::size_t> sizes = piece.distributions();
  std::size_t at = 0;
  while (at < values.size())
    for (const std::size_t size : sizes) {
      double sum = 0;
      for (const double value : values.subspan(at, size)) {
        if (!(value >= 0)) return "\"" + piece.name + "\" has the entry " + to_text(value);
        sum += value;
      }
      if (!(std::abs(sum - 1) <= 1e-6))
        return "a row of \"" + piece.name + "\" sums to " + to_text(sum) + ", expected 1";
      at += size;
    }
  return "";
}

}  // namespace

std::string domain_fault(const Piece& piece, std::span<const double> values) {
  if (piece.domain == Domain::covariance) {
    const std::size_t size = piece.shape.back() * piece.shape.back();
    for (std::size_t at = 0; at < values.size(); at += size)
      if (std::string fault = covariance_fault(piece, values.data() + at); !fault.empty())
        return fault;
    return "";
  }
  if (piece.domain == Domain::distributions) return distributions_fault(piece, values);
  double sum = 0;
  for (const double value : values) {
    sum += value;
    const bool real = piece.domain == Domain::real || piece.domain == Domain::loadings;
    const bool fits = real || value > 0 || (piece.domain == Domain::simplex && value == 0);
    if (!fits) return "\"" + piece.name + "\" has the entry " + to_text(value);
  }
  if (piece.domain == Domain::simplex && std::abs(sum - 1) > 1e-6)
    return "\"" + piece.name + "\" sum to " + to_text(sum) + ", expected 1";
  return "";
}

bool in_domain(const Parameters& theta) {
  if (!theta.finite()) return false;
  for (const Piece& piece : theta.layout().pieces())
    if (!domain_fault(piece, theta.values().subspan(piece.offset, piece.size())).empty())
      return false;
  return true;
}

}  // namespace thalweg
