// The source's probabilistic PCA: d = 20, one factor of unit length, noise 5, no mean.
#pragma once

#include "study.hpp"
#include <thalweg/models/ppca.hpp>

#include <algorithm>
#include <cmath>

namespace cappe2010 {

struct OneFactor {
  static constexpr std::size_t d = 20;

  std::shared_ptr<const Model> model =
      std::make_shared<const Ppca>(PpcaOptions{.rank = 1, .expanded = false});
  Schema schema = Schema::numbered(d);
  Plan plan = model->plan(schema);
  Regularisation regularisation{
      .fixed = std::make_shared<const Fixed>(Fixed::parse("mean"))};  // it is known to be 0
  Parameters truth = unit(1);
  Parameters start = ones();

  /// u a unit vector along one coordinate; the first one is zero.
  Parameters unit(std::size_t coordinate) const {
    Parameters theta(plan.parameters);
    theta["loadings"][coordinate] = 1;
    theta["noise_variance"][0] = 5;
    calibrate(*model, dense_block(nullptr, 0, d), theta);
    return theta;
  }

  /// u_0 = ones / sqrt(d), lambda_0 = 1.
  Parameters ones() const {
    Parameters theta(plan.parameters);
    std::ranges::fill(theta["loadings"], 1 / std::sqrt(static_cast<double>(d)));
    theta["noise_variance"][0] = 1;
    calibrate(*model, dense_block(nullptr, 0, d), theta);
    return theta;
  }

  static double squared_norm(const Parameters& theta) {
    double sum = 0;
    for (const double u : theta["loadings"]) sum += u * u;
    return sum;
  }

  Table draw(std::size_t rows, std::uint64_t seed) const {
    return cappe2010::draw(model, schema, truth, rows, seed);
  }

  /// 2 d rows with exactly the covariance of the truth: for a model of second moments they are the law.
  Table law() const {
    Table rows(d);
    for (std::size_t i = 0; i < d; ++i) {
      const double eigenvalue = truth["noise_variance"][0] + (truth["loadings"][i] != 0 ? 1 : 0);
      for (const double sign : {-1.0, 1.0}) {
        std::vector<double> y(d);
        y[i] = sign * std::sqrt(static_cast<double>(d) * eigenvalue);
        rows.append_row(y.data());
      }
    }
    return rows;
  }
};

}  // namespace cappe2010
