// One row a step: with eta = gamma r / S_w', m' = m + eta (z - m) and V' = (1 - eta)(V + eta (z - m)(z - m)'), so a Cholesky factor
// follows by a rank-one update in O(d²).
#include <thalweg/families/gaussian.hpp>
#include <thalweg/kernels/special.hpp>
#include <thalweg/kernels/workspace.hpp>

namespace thalweg {
namespace {

using kernels::packed_at;
using kernels::triangle;

constexpr double steps_between = 256;  // rank-one updates before a factor is made afresh from S
constexpr double largest_step = 0.5;   // of eta: beyond it little of the old factor is left

/// state: for each component the updates since its factor was fresh, then the factor of its covariance in the gauge.
void refresh(const Gaussian& family, const double* theta, Extent e, std::size_t k, double* own,
             double updates) {
  own[0] = updates;
  family.gauge_covariance(theta, e, k, own + 1);
  kernels::cholesky(own + 1, e.d);
}

}  // namespace

double Gaussian::absorb_row(const double* y, double weight, double rate, Extent e,
                            const Context& context, double* S, double* weights, double* theta,
                            std::vector<double>& state) const {
  const double* at = shift(theta, e);
  const double* unit = scale(theta, e);
  const std::size_t d = e.d;
  const std::size_t own_size = 1 + triangle(d);
  if (state.size() != e.K * own_size) {
    state.resize(e.K * own_size);
    for (std::size_t k = 0; k < e.K; ++k)
      refresh(*this, theta, e, k, &state[k * own_size], steps_between);
  }
  const kernels::Workspace workspace(2 * d + e.K);
  double* const z = workspace.data();
  double* const u = z + d;
  double* const r = u + d;

  double base = -0.5 * kernels::log_two_pi * static_cast<double>(d);
  for (std::size_t j = 0; j < d; ++j) {
    z[j] = in_gauge(y[j], at[j], unit[j]);
    base -= std::log(unit[j]);
  }
  double top = -HUGE_VAL;
  for (std::size_t k = 0; k < e.K; ++k) {
    const double* factor = &state[k * own_size + 1];
    for (std::size_t j = 0; j < d; ++j) u[j] = z[j] - (theta[k * d + j] - at[j]) / unit[j];
    kernels::forward_substitute(factor, d, u);
    double distance = 0;
    for (std::size_t j = 0; j < d; ++j) distance += u[j] * u[j];
    r[k] = std::log(std::max(weights[k], 1e-300)) - kernels::half_log_determinant(factor, d) -
           0.5 * std::min(distance, 2e300);
    top = std::max(top, r[k]);
  }
  double sum = 0;
  for (std::size_t k = 0; k < e.K; ++k) sum += r[k] = std::exp(r[k] - top);
  const double log_density = base + top + std::log(sum);
  if (!std::isfinite(log_density)) {
    context.count(Event::batch_left_out);
    return 0;
  }

  double total = 0;
  for (std::size_t k = 0; k < e.K; ++k) {
    const double posterior = r[k] / sum;
    double* into = S + k;
    *into += rate * (posterior - *into);
    total += *into;
    const double eta = *into > 0 ? rate * posterior / *into : 0;
    for (std::size_t j = 0; j < d; ++j) {
      double& first = *(into += e.K);
      first += rate * (posterior * z[j] - first);
    }
    for (std::size_t i = 0; i < d; ++i) {
      const double with = posterior * z[i];
      for (std::size_t j = 0; j <= i; ++j) {
        double& second = *(into += e.K);
        second += rate * (with * z[j] - second);
      }
    }
    r[k] = eta;
  }
  if (context.freeze) {  // S runs ahead of theta: the next M-step begins from S
    for (std::size_t k = 0; k < e.K; ++k) state[k * own_size] = steps_between;
    return weight * log_density;
  }

  for (std::size_t k = 0; k < e.K; ++k) {
    weights[k] = std::max(S[k] / total, 1e-300);
    const double eta = r[k];
    double* const own = &state[k * own_size];
    double thinnest = HUGE_VAL;
    for (std::size_t j = 0; j < d; ++j) thinnest = std::min(thinnest, own[1 + packed_at(j, j)]);
    const bool near_floor = thinnest * thinnest < 100 * std::max(context.floor, rounding);
    if (weights[k] <= 1e-12) {
      context.count(Event::empty_component, {.component = k});
    } else if (near_floor || eta > largest_step || ++own[0] > steps_between) {
      maximise(S + k, e, k, context, theta);
      refresh(*this, theta, e, k, own, 0);
    } else {
      const double keep = std::sqrt(1 - eta);
      const double add = std::sqrt(eta);
      double* matrix = theta + e.K * d + k * d * d;
      for (std::size_t j = 0; j < d; ++j) {
        double& mean = theta[k * d + j];
        u[j] = z[j] - (mean - at[j]) / unit[j];
        mean += eta * u[j] * unit[j];
      }
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          double& entry = matrix[i * d + j];
          entry = (1 - eta) * (entry + eta * u[i] * u[j] * unit[i] * unit[j]);
          matrix[j * d + i] = entry;
        }
      for (std::size_t j = 0; j < d; ++j) u[j] *= add;
      kernels::add_rank_one(own + 1, d, u);
      for (std::size_t i = 1; i < own_size; ++i) own[i] *= keep;
    }
  }
  return weight * log_density;
}

}  // namespace thalweg
