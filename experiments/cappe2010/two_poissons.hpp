// The source's mixture of two Poissons, (.8; 1, 3), and what is known of it.
#pragma once

#include "study.hpp"

#include <cmath>

namespace cappe2010 {

struct TwoPoissons {
  std::shared_ptr<const Model> model = poisson_mixture({.components = 2});
  Schema schema = Schema::numbered(1);
  Plan plan = model->plan(schema);
  Parameters truth = at(0.8, 1, 3);
  Parameters start = at(0.5, 0.7, 4.5);

  Parameters at(double weight, double first, double second) const {
    Parameters theta(plan.parameters);
    theta["weights"][0] = weight;
    theta["weights"][1] = 1 - weight;
    theta["rates"][0] = first;
    theta["rates"][1] = second;
    return theta;
  }

  Table draw(std::size_t rows, std::uint64_t seed) const {
    return cappe2010::draw(model, schema, truth, rows, seed);
  }

  /// The law itself: every count up to 60 with its probability.
  Table law() const {
    Table rows(1);
    for (int y = 0; y <= 60; ++y) {
      const double count = y;
      double p = 0;
      for (std::size_t k = 0; k < 2; ++k)
        p += truth["weights"][k] * std::exp(count * std::log(truth["rates"][k]) -
                                            truth["rates"][k] - std::lgamma(count + 1));
      rows.append_row(&count, p);
    }
    return rows;
  }

  double mean_log_likelihood(const Parameters& theta, const Block& rows) const {
    const auto e = expect_all(*model, theta, plan, rows);
    return e.log_likelihood() / e.weight();
  }
};

}  // namespace cappe2010
