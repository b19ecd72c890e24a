// The hidden Markov model by its formulas: forward and backward with long double probabilities, sequence by sequence; what a state
// emits is what the mixture of that name says of its components.
#include "known.hpp"
#include <thalweg/data/slices.hpp>

#include <algorithm>
#include <cmath>

namespace laws {
namespace {

using Real = long double;

std::size_t states(const Parameters& theta) { return theta["start"].size(); }

bool counts(const Parameters& theta) { return theta.layout().find("rates") != nullptr; }

const Known& emission_of(const Parameters& theta) {
  return known_of(counts(theta) ? "poisson" : "gaussian");
}

/// The mixture whose components emit what the states do.
Parameters mixture(const Parameters& theta) {
  std::vector<Piece> pieces = {
      {.name = "weights", .shape = {states(theta)}, .axes = {Axis::component}}};
  for (const Piece& piece : theta.layout().pieces())
    if (piece.name != "start" && piece.name != "transition") pieces.push_back(piece);
  Parameters out(std::make_shared<const Layout>(pieces));
  for (std::size_t i = 1; i < pieces.size(); ++i)
    std::ranges::copy(theta[pieces[i].name], out[pieces[i].name].begin());
  return out;
}

void take(const Parameters& from, Parameters& theta) {
  for (const Piece& piece : from.layout().pieces())
    if (piece.name != "weights") std::ranges::copy(from[piece.name], theta[piece.name].begin());
}

double log_density(const Parameters& theta, std::size_t k, std::span<const double> y) {
  return emission_of(theta).log_density(mixture(theta), k, y);
}

double mean(const Parameters& theta, std::size_t k, std::size_t j) {
  return emission_of(theta).mean(mixture(theta), k, j);
}

double covariance(const Parameters& theta, std::size_t k, std::size_t i, std::size_t j) {
  return emission_of(theta).covariance(mixture(theta), k, i, j);
}

/// One sequence: alpha_t(k) = P(X_t = k, y_1 … y_t), beta_t(k) = f(y_t+1 … y_n | X_t = k), neither of them scaled.
struct Sequence {
  std::size_t K;
  std::vector<Real> g, alpha, beta;  // n × K

  Sequence(const Parameters& theta, const Block& rows)
      : K(states(theta)), g(rows.rows * K), alpha(rows.rows * K), beta(rows.rows * K, 1) {
    const Parameters emission = mixture(theta);
    const std::size_t n = rows.rows;
    for (std::size_t t = 0; t < n; ++t)
      for (std::size_t k = 0; k < K; ++k)
        g[t * K + k] = std::exp(static_cast<Real>(
            emission_of(theta).log_density(emission, k, {rows.row(t), rows.columns})));
    for (std::size_t t = 0; t < n; ++t)
      for (std::size_t j = 0; j < K; ++j) {
        Real before = t == 0 ? static_cast<Real>(theta["start"][j]) : 0;
        for (std::size_t i = 0; i < K && t > 0; ++i)
          before += alpha[(t - 1) * K + i] * theta["transition"][i * K + j];
        alpha[t * K + j] = before * g[t * K + j];
      }
    for (std::size_t t = n - 1; t-- > 0;)
      for (std::size_t i = 0; i < K; ++i) {
        beta[t * K + i] = 0;
        for (std::size_t j = 0; j < K; ++j)
          beta[t * K + i] +=
              theta["transition"][i * K + j] * g[(t + 1) * K + j] * beta[(t + 1) * K + j];
      }
  }

  /// f(y_1 … y_t+1)
  Real likelihood(std::size_t t) const {
    Real sum = 0;
    for (std::size_t k = 0; k < K; ++k) sum += alpha[t * K + k];
    return sum;
  }
  Real likelihood() const { return likelihood(alpha.size() / K - 1); }
  Real posterior(std::size_t t, std::size_t k) const {
    return alpha[t * K + k] * beta[t * K + k] / likelihood();
  }
};

Explanation explain(const Parameters& theta, const Block& rows) {
  const std::size_t K = states(theta);
  Explanation out{.classes = K, .log_density = {}, .posterior = {}};
  const Units sequences(rows, Unit::sequence);
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const Block sequence = sequences[s];
    const Sequence passes(theta, sequence);
    for (std::size_t t = 0; t < sequence.rows; ++t) {
      const Real before = t == 0 ? 1 : passes.likelihood(t - 1);
      out.log_density.push_back(static_cast<double>(std::log(passes.likelihood(t) / before)));
      for (std::size_t k = 0; k < K; ++k)
        out.posterior.push_back(static_cast<double>(passes.posterior(t, k)));
    }
  }
  return out;
}

/// Starts and pairs are counted at theta, as the posteriors were.
void maximise(const Subject& subject, const Block& rows, std::span<const double> posterior,
              Parameters& theta) {
  const std::size_t K = states(theta);
  std::vector<Real> starts(K);
  std::vector<Real> pairs(K * K);
  const Units sequences(rows, Unit::sequence);
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const Block sequence = sequences[s];
    const Real w = sequence.weight(0);
    const Sequence passes(theta, sequence);
    for (std::size_t k = 0; k < K; ++k) starts[k] += w * passes.posterior(0, k);
    for (std::size_t t = 1; t < sequence.rows; ++t)
      for (std::size_t i = 0; i < K; ++i)
        for (std::size_t j = 0; j < K; ++j)
          pairs[i * K + j] += w * passes.alpha[(t - 1) * K + i] * theta["transition"][i * K + j] *
                              passes.g[t * K + j] * passes.beta[t * K + j] / passes.likelihood();
  }
  Real all = 0;
  for (const Real start : starts) all += start;
  for (std::size_t i = 0; i < K; ++i) {
    theta["start"][i] = static_cast<double>(starts[i] / all);
    Real left = 0;
    for (std::size_t j = 0; j < K; ++j) left += pairs[i * K + j];
    for (std::size_t j = 0; j < K; ++j)
      theta["transition"][i * K + j] = static_cast<double>(pairs[i * K + j] / left);
  }
  Parameters emission = mixture(theta);
  emission_of(theta).maximise(subject, rows, posterior, emission);
  take(emission, theta);
}

/// (start transition^t)_k
double share(const Parameters& theta, std::size_t k, std::size_t t) {
  const std::size_t K = states(theta);
  std::vector<double> now(theta["start"].begin(), theta["start"].end());
  for (std::size_t step = 0; step < t; ++step) {
    std::vector<double> next(K);
    for (std::size_t i = 0; i < K; ++i)
      for (std::size_t j = 0; j < K; ++j) next[j] += now[i] * theta["transition"][i * K + j];
    now = next;
  }
  return now[k];
}

void rescale(Parameters& theta, std::span<const double> a, std::span<const double> b) {
  Parameters emission = mixture(theta);
  emission_of(theta).rescale(emission, a, b);
  take(emission, theta);
}

bool one_unit(const Parameters& theta) { return emission_of(theta).one_unit(mixture(theta)); }

const MakeKnown known(Known{.entry = "hmm",
                            .log_density = log_density,
                            .mean = mean,
                            .covariance = covariance,
                            .maximise = maximise,
                            .rescale = rescale,
                            .one_unit = one_unit,
                            .counts = counts,
                            .explain = explain,
                            .share = share,
                            .far = 1e9});

}  // namespace
}  // namespace laws
