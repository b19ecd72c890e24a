// Marginals and conditionals of a model with factors: again such models, of as many factors.
//
// Columns a with loadings A say of the factors that they are Gaussian, with mean C A' (a - m_a) / noise and covariance
// C = noise (A'A + noise I)^-1 = L L'. The other columns b, with loadings B, have then the mean m_b + B E[z|a], loadings B L and the
// same noise. L comes from the factor of A'A + noise I, which no rounding can make indefinite.
#include "core/change.hpp"
#include "parts_of_columns.hpp"
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/kernels/cholesky.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace thalweg {
namespace {

using Columns = std::vector<std::size_t>;

void calibrate_by_itself(Fitted& part) {
  calibrate(*part.model, dense_block(nullptr, 0, part.schema.width()), part.parameters);
}

/// The given columns may be fewer than the factors, which is no model that could be fitted, but one that explains rows.
Fitted of_columns(const Fitted& whole, const Columns& columns) {
  Fitted part;
  part.entry = whole.entry;
  part.options = whole.options;
  part.schema = schema_on(whole.schema, columns);
  part.model = whole.model;
  std::vector<Piece> pieces = whole.plan.parameters->pieces();
  for (Piece& piece : pieces)
    for (std::size_t a = 0; a < piece.shape.size(); ++a)
      if (piece.axis(a) == Axis::column) piece.shape[a] = columns.size();
  part.plan.parameters = std::make_shared<const Layout>(std::move(pieces));
  part.parameters = Parameters(part.plan.parameters);
  pick_columns(whole.parameters, columns, part.parameters);
  calibrate_by_itself(part);
  return part;
}

/// r × r, row by row: L with L L' = noise (A'A + noise I)^-1, a lower triangle. With the factors in the opposite order G is the factor
/// of A'A + noise I, and G^-1, turned over, is L.
std::vector<double> posterior_factor(std::span<const double> A, double noise, std::size_t r) {
  std::vector<double> G(kernels::triangle(r));
  for (std::size_t i = 0; i < r; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      double sum = i == k ? noise : 0;
      for (std::size_t at = 0; at < A.size(); at += r) sum += A[at + r - 1 - i] * A[at + r - 1 - k];
      G[kernels::packed_at(i, k)] = sum;
    }
  if (!kernels::cholesky(G.data(), r))
    throw Error("the loadings are too large beside the noise to condition on columns");
  kernels::invert_factor(G.data(), r, G.data());
  std::vector<double> L(r * r);
  for (std::size_t i = 0; i < r; ++i)
    for (std::size_t k = 0; k <= i; ++k)
      L[i * r + k] = std::sqrt(noise) * G[kernels::packed_at(r - 1 - k, r - 1 - i)];
  return L;
}

void check_left(std::size_t columns, std::size_t factors) {
  if (columns <= factors)
    throw UsageError(std::to_string(columns) + " columns are left for " + std::to_string(factors) +
                     " factors: more columns than factors are needed");
}

class FactorConditional final : public Conditional {
 public:
  FactorConditional(const Fitted& whole, const Columns& given)
      : Conditional(whole, given, of_columns(whole, given)), whole_(whole) {
    const Fitted rest = of_columns(whole, others());
    const auto of_rest = [&rest](const char* name) {
      const auto values = rest.parameters[name];
      return std::vector<double>(values.begin(), values.end());
    };
    mean_ = of_rest("mean");
    loadings_ = of_rest("loadings");
    noise_ = of_rest("noise_variance")[0];
    const std::size_t r = factors();
    const std::vector<double> L =
        posterior_factor(Conditional::given().parameters["loadings"], noise_, r);
    narrowed_.resize(loadings_.size());
    for (std::size_t j = 0; j < mean_.size(); ++j)
      for (std::size_t i = 0; i < r; ++i)
        for (std::size_t k = 0; k <= i; ++k)
          narrowed_[j * r + k] += loadings_[j * r + i] * L[i * r + k];
  }

  void tell(std::span<const double> /*values*/, const Explanation& seen, std::size_t t,
            std::span<double> out) const override {
    const std::size_t r = factors();
    for (std::size_t j = 0; j < mean_.size(); ++j) {
      double variance = noise_;
      for (std::size_t k = 0; k < r; ++k) variance += narrowed_[j * r + k] * narrowed_[j * r + k];
      out[2 * j] = mean_at(j, seen.scores.data() + t * r);
      out[2 * j + 1] = std::sqrt(variance);
    }
  }

 private:
  Fitted rest(std::span<const double> /*values*/, const Explanation& seen) const override {
    check_left(others().size(), factors());
    Fitted part = on_columns(whole_, others());
    for (std::size_t j = 0; j < mean_.size(); ++j)
      part.parameters["mean"][j] = mean_at(j, seen.scores.data());
    std::ranges::copy(narrowed_, part.parameters["loadings"].begin());
    part.parameters["noise_variance"][0] = noise_;
    calibrate_by_itself(part);
    return part;
  }

  std::size_t factors() const { return loadings_.size() / mean_.size(); }

  double mean_at(std::size_t j, const double* z) const {
    double sum = mean_[j];
    for (std::size_t k = 0; k < factors(); ++k) sum += loadings_[j * factors() + k] * z[k];
    return sum;
  }

  Fitted whole_;
  std::vector<double> mean_;      // m_b
  std::vector<double> loadings_;  // B
  std::vector<double> narrowed_;  // B L
  double noise_ = 0;
};

class FactorParts final : public Parts {
 public:
  Fitted marginal(const Fitted& whole, const Columns& columns) const override {
    check_left(columns.size(), whole.parameters["loadings"].size() / whole.schema.width());
    Fitted part = Parts::marginal(whole, columns);
    calibrate_by_itself(part);  // one scale for all columns
    return part;
  }

  std::unique_ptr<const Conditional> condition(const Fitted& whole,
                                               const Columns& given) const override {
    return std::make_unique<const FactorConditional>(whole, given);
  }
};

}  // namespace

std::shared_ptr<const Parts> ppca_parts() { return std::make_shared<const FactorParts>(); }

}  // namespace thalweg
