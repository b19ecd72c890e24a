// Marginals and conditionals of Gaussian components, in a mixture or a chain: again Gaussian, with the same kind of covariance.
//
// With the columns in the order (a, b) and Sigma_k = L L', L = (L_aa 0; L_ba L_bb), given a: the weights are those of
// w_k N(a; m_a, Sigma_aa), the means m_b + L_ba L_aa^-1 (a - m_a), the covariances L_bb L_bb', which no rounding can make
// indefinite.
#include "parts_of_columns.hpp"
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/kernels/cholesky.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace thalweg {
namespace {

using Columns = std::vector<std::size_t>;

/// Columns i and j of component k, whatever the kind of covariance.
double covariance_of(const Fitted& fitted, std::size_t k, std::size_t i, std::size_t j) {
  const auto values = fitted.parameters["covariances"];
  const std::size_t d = fitted.schema.width();
  const std::string& kind = fitted.options.text("covariance");
  if (kind == "full") return values[(k * d + i) * d + j];
  if (kind == "tied") return values[i * d + j];
  if (i != j) return 0;
  return kind == "diag" ? values[k * d + i] : values[k];
}

class GaussianConditional final : public Conditional {
 public:
  GaussianConditional(const Fitted& whole, const Columns& given)
      : Conditional(whole, given, marginal(whole, given)),
        rest_(on_columns(whole, others())),
        components_(whole.plan.parameters->extent(Axis::component)) {
    const std::size_t d = whole.schema.width();
    Columns order = given;
    order.insert(order.end(), others().begin(), others().end());
    const bool shared = whole.options.text("covariance") == "tied";
    for (std::size_t k = 0; k < components_; ++k) {
      for (const std::size_t j : order) means_.push_back(whole.parameters["means"][k * d + j]);
      if (shared && k > 0) continue;
      std::vector<double>& factor = factors_.emplace_back();
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          factor.push_back(covariance_of(whole, k, order[i], order[j]));
      if (!kernels::cholesky(factor.data(), d))
        throw Error("the covariance of component " + std::to_string(k) +
                    " is not positive definite");
    }
    fill_covariances();
    for (std::size_t k = 0; k < components_; ++k)
      for (std::size_t j = 0; j < others().size(); ++j) variances_.push_back(covariance(k, j, j));
  }

  void tell(std::span<const double> values, const Explanation& seen, std::size_t t,
            std::span<double> out) const override {
    const std::vector<double> means = means_at(values);
    const std::size_t b = others().size();
    for (std::size_t j = 0; j < b; ++j) {
      const MeanAndVariance all = over_components(
          {seen.posterior.data() + t * components_, components_}, [&](std::size_t k) {
            return MeanAndVariance{means[k * b + j], variances_[k * b + j]};
          });
      out[2 * j] = all.mean;
      out[2 * j + 1] = std::sqrt(all.variance);
    }
  }

 private:
  Fitted rest(std::span<const double> values, const Explanation& seen) const override {
    Fitted part = rest_;
    weigh_components(seen.posterior, part);
    std::ranges::copy(means_at(values), part.parameters["means"].begin());
    calibrate(*part.model, dense_block(nullptr, 0, part.schema.width()), part.parameters);
    return part;
  }

  /// K × |b|: the means of b in each component.
  std::vector<double> means_at(std::span<const double> values) const {
    const std::size_t a = values.size();
    const std::size_t b = others().size();
    std::vector<double> result(components_ * b);
    std::vector<double> z(a);  // L_aa^-1 (a - m_a)
    for (std::size_t k = 0; k < components_; ++k) {
      const double* mean = means_.data() + k * (a + b);
      const double* factor = factors_[factors_.size() > 1 ? k : 0].data();
      for (std::size_t i = 0; i < a; ++i) z[i] = values[i] - mean[i];
      kernels::forward_substitute(factor, a, z.data());
      for (std::size_t j = 0; j < b; ++j)
        result[k * b + j] = std::inner_product(z.begin(), z.end(),
                                               factor + kernels::packed_at(a + j, 0), mean[a + j]);
    }
    return result;
  }

  /// Of b_i and b_j in component k.
  double covariance(std::size_t k, std::size_t i, std::size_t j) const {
    const std::size_t a = given().schema.width();
    const double* factor = factors_[factors_.size() > 1 ? k : 0].data();
    const double* row_i = factor + kernels::packed_at(a + i, a);
    const double* row_j = factor + kernels::packed_at(a + j, a);
    return std::inner_product(row_i, row_i + std::min(i, j) + 1, row_j, 0.0);
  }

  /// Into the shape of the kind.
  void fill_covariances() {
    const auto out = rest_.parameters["covariances"];
    const std::size_t d = rest_.schema.width();
    const std::string& kind = rest_.options.text("covariance");
    const bool matrix = kind == "full" || kind == "tied";
    const std::size_t size = matrix ? d * d : kind == "diag" ? d : 1;
    for (std::size_t at = 0; at < out.size(); ++at) {
      const std::size_t i = matrix ? at % size / d : at % size;
      out[at] = covariance(at / size, i, matrix ? at % d : i);
    }
  }

  Fitted rest_;  // of b: all but weights and means
  std::size_t components_;
  std::vector<double> means_;                 // K × (|a| + |b|)
  std::vector<std::vector<double>> factors_;  // K packed triangles L; one where all share it
  std::vector<double> variances_;             // K × |b|: of b given a
};

class GaussianParts final : public Parts {
 public:
  std::unique_ptr<const Conditional> condition(const Fitted& whole,
                                               const Columns& given) const override {
    return std::make_unique<const GaussianConditional>(whole, given);
  }
};

}  // namespace

std::shared_ptr<const Parts> gaussian_parts() { return std::make_shared<const GaussianParts>(); }

}  // namespace thalweg
