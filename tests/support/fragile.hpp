// A user's model whose statistic is not finite for some rows: those whose first cell is 1e100.
#pragma once

#include <thalweg/core/model.hpp>

#include <cmath>
#include <memory>
#include <utility>

namespace samples {

class Fragile final : public thalweg::PlainModel {
 public:
  explicit Fragile(const thalweg::ModelHandle& model) : model_(model.shared()) {}

  thalweg::Plan plan(const thalweg::Schema& schema) const override { return model_->plan(schema); }
  thalweg::Parameters start(const thalweg::Plan& plan, const thalweg::Block& buffer,
                            thalweg::Random& random) const override {
    return model_->start(plan, buffer, random);
  }
  double expect(const thalweg::Parameters& theta, const thalweg::Block& block,
                thalweg::Sums& sums) const override {
    const double log_likelihood = thalweg::expect(*model_, theta, block, sums);
    for (std::size_t t = 0; t < block.rows; ++t)
      if (block.row(t)[0] == 1e100) sums.data()[0] = HUGE_VAL;
    return log_likelihood;
  }
  void explain(const thalweg::Parameters& theta, const thalweg::Block& block,
               thalweg::Explanation& out) const override {
    thalweg::explain(*model_, theta, block, out);
  }
  void draw(const thalweg::Parameters& theta, const thalweg::Block& given, thalweg::Carry& carry,
            thalweg::Random& random, double* row) const override {
    model_->draw(theta, given, carry, random, row);
  }

 private:
  void m_step(const thalweg::Statistic& S, const thalweg::Context& context,
              thalweg::Parameters& theta) const override {
    thalweg::maximise(*model_, S, context, theta);
  }

  std::shared_ptr<const thalweg::Model> model_;
};

}  // namespace samples
