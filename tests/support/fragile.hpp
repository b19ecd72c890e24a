// A user's model whose statistic is not finite for some rows: those whose first cell is 1e100.
#pragma once

#include <thalweg/core/model.hpp>

namespace samples {

template <thalweg::Model M>
struct Fragile {
  M model;

  thalweg::Plan plan(const thalweg::Schema& schema) const { return model.plan(schema); }
  thalweg::Parameters start(const thalweg::Block& buffer, thalweg::Random& random) const {
    return model.start(buffer, random);
  }
  double expect(const thalweg::Parameters& theta, const thalweg::Block& block,
                thalweg::Sums& sums) const {
    const double log_likelihood = model.expect(theta, block, sums);
    for (std::size_t t = 0; t < block.rows; ++t)
      if (block.row(t)[0] == 1e100) sums.data()[0] = HUGE_VAL;
    return log_likelihood;
  }
  void maximise(const thalweg::Statistic& S, const thalweg::Context& context,
                thalweg::Parameters& theta) const {
    model.maximise(S, context, theta);
  }
  void explain(const thalweg::Parameters& theta, const thalweg::Block& block,
               thalweg::Explanation& out) const {
    model.explain(theta, block, out);
  }
  void draw(const thalweg::Parameters& theta, const thalweg::Block& given, thalweg::Random& random,
            double* row) const {
    model.draw(theta, given, random, row);
  }
};

}  // namespace samples
