// Data and parameters for tests, in both tongues: drawn by the standard library, handed over as blocks and Parameters.
#pragma once

#include "textbook.hpp"
#include <thalweg/core/model.hpp>
#include <thalweg/core/source.hpp>
#include <thalweg/data/table.hpp>
#include <thalweg/families/gaussian.hpp>
#include <thalweg/families/poisson.hpp>
#include <thalweg/models/mixture.hpp>

#include <algorithm>
#include <random>

namespace samples {

using PoissonMixture = thalweg::Mixture<thalweg::Poisson>;
using GaussianMixture = thalweg::Mixture<thalweg::Gaussian>;

/// n rows of a mixture.
inline textbook::Data draw(const textbook::Theta& theta, std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  const std::vector<double> weights(theta.weights.begin(), theta.weights.end());
  std::discrete_distribution<std::size_t> component(weights.begin(), weights.end());
  textbook::Data data;
  for (std::size_t t = 0; t < n; ++t) {
    const std::size_t k = component(random);
    std::vector<double> y;
    for (std::size_t j = 0; j < theta.d(); ++j) {
      const auto m = static_cast<double>(theta.first[k][j]);
      if (theta.kind == textbook::Kind::poisson) {
        y.push_back(static_cast<double>(std::poisson_distribution<long>(m)(random)));
      } else {
        const double sd = std::sqrt(static_cast<double>(theta.variances[k][j]));
        y.push_back(std::normal_distribution<double>(m, sd)(random));
      }
    }
    data.rows.push_back(std::move(y));
  }
  return data;
}

/// One column of counts as a frequency table: the same likelihood in a handful of rows.
inline textbook::Data histogram(const textbook::Data& data) {
  textbook::Data out;
  for (const auto& row : data.rows) {
    const auto y = static_cast<std::size_t>(row.at(0));
    while (out.rows.size() <= y) {
      out.rows.push_back({static_cast<double>(out.rows.size())});
      out.weights.push_back(0);
    }
    ++out.weights[y];
  }
  return out;
}

inline thalweg::Table table(const textbook::Data& data) {
  thalweg::Table table(data.rows.at(0).size());
  for (std::size_t t = 0; t < data.rows.size(); ++t) {
    thalweg::Block row = thalweg::dense_block(data.rows[t].data(), 1, table.columns());
    if (!data.weights.empty()) row.side.weight = &data.weights[t];
    table.append(row);
  }
  return table;
}

/// Library parameters, the gauge taken from `rows` (from theta itself where there are none).
template <class M>
thalweg::Parameters parameters(const M& model, const textbook::Theta& theta,
                               const thalweg::Block& rows = {}) {
  thalweg::Parameters out(model.plan(thalweg::Schema::numbered(theta.d())).parameters);
  const auto fill = [&out](const char* name, const textbook::Matrix& from) {
    auto piece = out[name];
    for (std::size_t k = 0; k < from.size(); ++k)
      for (std::size_t j = 0; j < from[k].size(); ++j)
        piece[k * from[k].size() + j] = static_cast<double>(from[k][j]);
  };
  std::copy(theta.weights.begin(), theta.weights.end(), out["weights"].begin());
  fill(theta.kind == textbook::Kind::poisson ? "rates" : "means", theta.first);
  if (theta.kind == textbook::Kind::gaussian) fill("covariances", theta.variances);
  thalweg::calibrate(model, rows, out);
  return out;
}

/// The other way round.
inline textbook::Theta theta(const thalweg::Parameters& parameters) {
  const bool poisson = parameters.layout().find("rates") != nullptr;
  textbook::Theta out{.kind = poisson ? textbook::Kind::poisson : textbook::Kind::gaussian};
  const auto weights = parameters["weights"];
  out.weights.assign(weights.begin(), weights.end());
  const auto matrix = [&](const char* name) {
    const auto piece = parameters[name];
    const std::size_t d = piece.size() / out.K();
    textbook::Matrix m(out.K());
    for (std::size_t k = 0; k < out.K(); ++k)
      m[k].assign(piece.begin() + k * d, piece.begin() + (k + 1) * d);
    return m;
  };
  out.first = matrix(poisson ? "rates" : "means");
  if (!poisson) out.variances = matrix("covariances");
  return out;
}

/// The largest relative difference between two parameters, over all entries.
inline double difference(const textbook::Theta& a, const textbook::Theta& b) {
  textbook::Real largest = 0;
  const auto compare = [&largest](textbook::Real x, textbook::Real y) {
    const textbook::Real size = std::max(std::abs(x), std::abs(y));
    if (size > 0) largest = std::max(largest, std::abs(x - y) / size);
    if (std::isnan(x) || std::isnan(y)) largest = HUGE_VALL;
  };
  for (std::size_t k = 0; k < a.K(); ++k) {
    compare(a.weights[k], b.weights[k]);
    for (std::size_t j = 0; j < a.d(); ++j) {
      compare(a.first[k][j], b.first[k][j]);
      if (a.kind == textbook::Kind::gaussian) compare(a.variances[k][j], b.variances[k][j]);
    }
  }
  return static_cast<double>(largest);
}

/// The Poisson mixture of the source: (.8; 1, 3).
inline textbook::Theta source_poisson() {
  return {.kind = textbook::Kind::poisson, .weights = {0.8L, 0.2L}, .first = {{1}, {3}}};
}

/// Three overlapping, asymmetric components in two columns.
inline textbook::Theta three_poissons() {
  return {.kind = textbook::Kind::poisson,
          .weights = {0.5L, 0.3L, 0.2L},
          .first = {{1.5L, 6}, {4, 2}, {9, 5}}};
}

inline textbook::Theta three_gaussians() {
  return {.kind = textbook::Kind::gaussian,
          .weights = {0.5L, 0.3L, 0.2L},
          .first = {{0, 10}, {2.5L, 12}, {-1, 17}},
          .variances = {{1, 4}, {0.5L, 9}, {2, 1.5L}}};
}

/// A start that is off, but not hopelessly.
inline textbook::Theta off(textbook::Theta theta) {
  for (std::size_t k = 0; k < theta.K(); ++k) {
    theta.weights[k] = textbook::Real(1) / textbook::Real(theta.K());
    for (std::size_t j = 0; j < theta.d(); ++j) {
      theta.first[k][j] = theta.first[k][j] * 1.15L + 0.3L;
      if (theta.kind == textbook::Kind::gaussian) theta.variances[k][j] *= 1.7L;
    }
  }
  return theta;
}

}  // namespace samples
