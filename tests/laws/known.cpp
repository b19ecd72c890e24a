#include "known.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace laws {
namespace {

template <class Family>
Mixture<Family> mixture_of(const Subject& subject) {
  return Mixture(Family{}, subject.components());
}

template <class Family>
Outcome direct(Who who, const Subject& subject, const Block& rows, const Setting& setting) {
  using M = Mixture<Family>;
  const auto model = std::make_shared<const M>(mixture_of<Family>(subject));
  return run<M>(who, model, subject.example.schema, rows, setting);
}

template <class Family>
std::shared_ptr<const AnyModel> erased(const Subject& subject) {
  return erase(mixture_of<Family>(subject));
}

/// Entry (k, j) of a K × d piece.
double at(const Parameters& theta, std::string_view piece, std::size_t k, std::size_t j) {
  const auto values = theta[piece];
  return values[k * (values.size() / theta["weights"].size()) + j];
}

double poisson_rate(const Parameters& theta, std::size_t k, std::size_t j) {
  return at(theta, "rates", k, j);
}

double poisson_log_density(const Parameters& theta, std::size_t k, std::span<const double> y) {
  double sum = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double rate = poisson_rate(theta, k, j);
    sum += y[j] * std::log(rate) - rate - std::lgamma(y[j] + 1);
  }
  return sum;
}

double gaussian_mean(const Parameters& theta, std::size_t k, std::size_t j) {
  return at(theta, "means", k, j);
}

double gaussian_variance(const Parameters& theta, std::size_t k, std::size_t j) {
  return at(theta, "covariances", k, j);
}

double gaussian_log_density(const Parameters& theta, std::size_t k, std::span<const double> y) {
  double sum = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double v = gaussian_variance(theta, k, j);
    const double delta = y[j] - gaussian_mean(theta, k, j);
    sum -= 0.5 * (std::log(2 * std::numbers::pi * v) + delta * delta / v);
  }
  return sum;
}

/// Shares, and the weighted mean of every column in every component.
std::vector<double> weighted_means(const Block& rows, std::span<const double> posterior,
                                   Parameters& theta) {
  const std::size_t K = theta["weights"].size();
  std::vector<double> means(K * rows.columns);
  for (std::size_t k = 0; k < K; ++k) {
    double share = 0;
    for (std::size_t t = 0; t < rows.rows; ++t) share += rows.weight(t) * posterior[t * K + k];
    theta["weights"][k] = share / rows.total_weight();
    for (std::size_t j = 0; j < rows.columns; ++j) {
      double sum = 0;
      for (std::size_t t = 0; t < rows.rows; ++t)
        sum += rows.weight(t) * posterior[t * K + k] * rows.row(t)[j];
      means[k * rows.columns + j] = sum / share;
    }
  }
  return means;
}

void poisson_maximise(const Block& rows, std::span<const double> posterior, Parameters& theta) {
  std::ranges::copy(weighted_means(rows, posterior, theta), theta["rates"].begin());
}

void gaussian_maximise(const Block& rows, std::span<const double> posterior, Parameters& theta) {
  const std::size_t K = theta["weights"].size();
  const std::vector<double> means = weighted_means(rows, posterior, theta);
  std::ranges::copy(means, theta["means"].begin());
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t j = 0; j < rows.columns; ++j) {
      double squares = 0;
      double share = 0;
      for (std::size_t t = 0; t < rows.rows; ++t) {
        const double r = rows.weight(t) * posterior[t * K + k];
        const double delta = rows.row(t)[j] - means[k * rows.columns + j];
        share += r;
        squares += r * delta * delta;
      }
      theta["covariances"][k * rows.columns + j] = squares / share;
    }
  }
}

void gaussian_rescale(Parameters& theta, std::span<const double> a, std::span<const double> b) {
  const std::size_t d = a.size();
  for (std::size_t i = 0; i < theta["means"].size(); ++i) {
    theta["means"][i] = a[i % d] + b[i % d] * theta["means"][i];
    theta["covariances"][i] *= b[i % d] * b[i % d];
  }
  for (std::size_t j = 0; j < d; ++j) {
    theta["shift"][j] = a[j] + b[j] * theta["shift"][j];
    theta["scale"][j] *= b[j];
  }
}

}  // namespace

const std::vector<Known>& known() {
  static const std::vector<Known> all = {
      {"gaussian", direct<Gaussian>, erased<Gaussian>, gaussian_log_density, gaussian_mean,
       gaussian_variance, gaussian_maximise, gaussian_rescale, 1e12,
       std::numeric_limits<double>::infinity()},
      {"poisson", direct<Poisson>, erased<Poisson>, poisson_log_density, poisson_rate, poisson_rate,
       poisson_maximise, nullptr, 1e9, -1},
  };
  return all;
}

const Known& known_of(const Subject& subject) {
  for (const Known& one : known())
    if (one.entry == subject.entry->name) return one;
  throw std::logic_error("tests/laws/known.cpp does not know " + subject.entry->name);
}

bool has_units(const Subject& subject) { return known_of(subject).rescale != nullptr; }

}  // namespace laws
