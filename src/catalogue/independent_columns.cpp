// Marginals and conditionals of mixtures whose columns are independent in a component, of any family.
#include "core/change.hpp"
#include "parts_of_columns.hpp"

#include <cmath>
#include <utility>

namespace thalweg {
namespace {

using Columns = std::vector<std::size_t>;
using ColumnMoments = std::function<MeanAndVariance(const Parameters&, std::size_t, std::size_t)>;

class IndependentConditional final : public Conditional {
 public:
  IndependentConditional(const Fitted& whole, const Columns& given, const ColumnMoments& moments)
      : Conditional(whole, given, marginal(whole, given)), rest_(marginal(whole, others())) {
    const std::size_t K = rest_.plan.parameters->extent(Axis::component);
    for (std::size_t j = 0; moments && j < others().size(); ++j)
      for (std::size_t k = 0; k < K; ++k) moments_.push_back(moments(rest_.parameters, k, j));
  }

  void tell(std::span<const double> /*values*/, const Explanation& seen, std::size_t t,
            std::span<double> out) const override {
    const std::size_t K = seen.classes;
    const std::span posterior(seen.posterior.data() + t * K, K);
    for (std::size_t j = 0; j < moments_.size() / K; ++j) {
      const MeanAndVariance all =
          over_components(posterior, [&](std::size_t k) { return moments_[j * K + k]; });
      out[2 * j] = all.mean;
      out[2 * j + 1] = std::sqrt(all.variance);
    }
    if (!moments_.empty()) return;
    const auto tables = rest_.parameters[level_tables(*rest_.plan.parameters)->name];
    for (std::size_t l = 0; l < out.size(); ++l) {
      out[l] = 0;
      for (std::size_t k = 0; k < K; ++k) out[l] += posterior[k] * tables[k * out.size() + l];
    }
  }

 private:
  Fitted rest(std::span<const double> /*values*/, const Explanation& seen) const override {
    Fitted part = rest_;
    weigh_components(seen.posterior, part);
    return part;
  }

  Fitted rest_;                           // marginal of the others
  std::vector<MeanAndVariance> moments_;  // of each of them in each component
};

class IndependentColumns final : public Parts {
 public:
  explicit IndependentColumns(ColumnMoments moments) : moments_(std::move(moments)) {}

  std::unique_ptr<const Conditional> condition(const Fitted& whole,
                                               const Columns& given) const override {
    return std::make_unique<const IndependentConditional>(whole, given, moments_);
  }

 private:
  ColumnMoments moments_;
};

}  // namespace

std::shared_ptr<const Parts> independent_columns(ColumnMoments moments) {
  return std::make_shared<const IndependentColumns>(std::move(moments));
}

}  // namespace thalweg
