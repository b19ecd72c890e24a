// The scoring step by a few directions of Krylov, in parts where it is long.
#include "estimators/scoring.hpp"

#include "core/change.hpp"
#include "core/slices.hpp"
#include <thalweg/core/schedule.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace thalweg {
namespace {

using Vector = std::vector<double>;

constexpr std::size_t directions_of_krylov = 8;
constexpr int most_parts = 8;
constexpr double longest_part = 0.05;  // change of theta
constexpr double doubt = 2;            // standard errors
constexpr double long_step = 8;        // p / n
constexpr double most_prior = 1e-3;    // of the rows

void move(Statistic& S, const Vector& along, double by) {
  for (std::size_t i = 0; i < S.size(); ++i) S.data()[i] += by * along[i];
}

class ScoringStep {
 public:
  ScoringStep(const Model& model, const Tangent& tangent, const Plan& plan, const Parameters& theta,
              const Context& context, double kappa, const Block& sample, const ThreadPool& pool)
      : model_(model),
        tangent_(tangent),
        plan_(plan),
        theta_(theta),
        context_(context),
        kappa_(kappa),
        sample_(sample),
        pool_(pool),
        sums_(plan.statistic),
        S_(plan.statistic),
        moments_(plan.statistic),
        log_density_(sample.rows),
        weight_(sample.rows) {
    for (std::size_t t = 0; t < sample.rows; ++t) total_ += weight_[t] = sample.weight(t);
  }

  Parameters at(const Statistic& S) const {
    Parameters theta = theta_;
    maximise(model_, S, context_, theta);
    return theta;
  }

  /// What A is taken at.
  bool place(const Statistic& S) {
    S_ = S;
    theta_ = at(S);
    tangent_.moments(theta_, moments_);
    prepared_ = model_.prepare(theta_);
    expect(*prepared_, sample_);
    mean_ = mean(sums_);
    here_ = log_density_;
    return std::isfinite(inner(here_, here_)) && mean_.finite();
  }

  /// x with A x = asked, as nearly as a few directions tell. In the length of log densities that they change, A x comes as near as it can.
  bool solve(const Vector& asked, Vector& x) {
    std::vector<Vector> z{asked};
    std::vector<Vector> seen(1);
    if (!look_along(z.front(), seen.front())) return false;
    const Vector wanted = seen.front();
    std::vector<Vector> orthogonal;
    std::vector<Vector> triangle;  // columns
    Vector reached;
    while (orthogonal.size() < directions_of_krylov) {
      Vector next = times_a(z.back(), seen.back());
      Vector next_seen;
      if (!look_along(next, next_seen)) return false;
      const double length = std::sqrt(inner(next_seen, next_seen));
      if (!(length > 0) || !std::isfinite(length)) break;
      for (Vector* v : {&next, &next_seen, &followed_})
        for (double& number : *v) number /= length;
      Vector column;
      Vector left = next_seen;
      for (const Vector& q : orthogonal) {
        column.push_back(inner(left, q));
        for (std::size_t t = 0; t < left.size(); ++t) left[t] -= column.back() * q[t];
      }
      const double size = std::sqrt(inner(left, left));
      if (!(size > 1e-3)) break;  // these directions are all that rounding lets be seen
      for (double& v : left) v /= size;
      column.push_back(size);
      for (double& v : column) v *= length;  // of A z, not of the next z
      reached.push_back(inner(wanted, left));
      orthogonal.push_back(std::move(left));
      triangle.push_back(std::move(column));
      z.push_back(std::move(next));
      seen.push_back(std::move(next_seen));
    }
    x.assign(asked.size(), 0.0);
    for (std::size_t j = orthogonal.size(); j-- > 0;) {
      double a = reached[j];
      for (std::size_t l = j + 1; l < orthogonal.size(); ++l) a -= triangle[l][j] * reached[l];
      reached[j] = a / triangle[j][j];
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += reached[j] * z[j][i];
    }
    return true;
  }

  /// Where the model describes the rows, second derivatives are in the mean what squares of scores are. Where they are
  /// larger along x, by more than their standard error, x leads too far by as much.
  double overshoot(const Vector& x) {
    double h = 1;
    Statistic forward = S_;
    Statistic backward = S_;
    const auto near = [&](const Statistic& S) {
      return valid(model_, theta_, S) && change(theta_, at(S)) < longest_part / 2;
    };
    for (int i = 0; i < 30; ++i, h /= 2) {
      forward = S_;
      backward = S_;
      move(forward, x, h);
      move(backward, x, -h);
      if (near(forward) && near(backward)) break;
    }
    expect(*model_.prepare(at(forward)), sample_);
    Vector slope = log_density_;
    Vector bend = log_density_;
    expect(*model_.prepare(at(backward)), sample_);
    for (std::size_t t = 0; t < slope.size(); ++t) {
      slope[t] = (slope[t] - log_density_[t]) / (2 * h);
      bend[t] = (2 * here_[t] - bend[t] - log_density_[t]) / (h * h);
    }
    centre(slope);
    const double expected = inner(slope, slope);
    const double found = centre(bend);
    const double error = std::sqrt(inner(bend, bend) / real(sample_.rows));
    return expected > 0 ? std::max(1.0, (found - error) / expected) : 1;
  }

  /// Whether to go from the average to where the step ends. Log densities of two good estimates differ by p / n or so in mean square: a
  /// step that is not much longer does little harm, and must not be clearly worse; a longer one must not be worse at all.
  bool pays(const Parameters& from, const Parameters& to, double p_over_n) {
    expect(*model_.prepare(from), sample_);
    Vector gained = log_density_;
    expect(*model_.prepare(to), sample_);
    for (std::size_t t = 0; t < gained.size(); ++t) gained[t] = log_density_[t] - gained[t];
    const double mean_gain = centre(gained);
    if (!std::isfinite(mean_gain)) return false;
    const double square = inner(gained, gained);
    const double error = std::sqrt(square / real(sample_.rows));
    return mean_gain >= (square > long_step * p_over_n ? 0.0 : -doubt) * error;
  }

 private:
  double inner(const Vector& a, const Vector& b) const {
    double sum = 0;
    for (std::size_t t = 0; t < a.size(); ++t) sum += weight_[t] * a[t] * b[t];
    return sum / total_;
  }

  double centre(Vector& v) const {
    double sum = 0;
    for (std::size_t t = 0; t < v.size(); ++t) sum += weight_[t] * v[t];
    for (double& x : v) x -= sum / total_;
    return sum / total_;
  }

  void expect(const Prepared& prepared, const Block& rows) {
    sums_.clear();
    double log_likelihood = 0;
    expect_in_slices(prepared, rows, &pool_, sums_, parts_, log_likelihood, plan_.unit,
                     {.log_density = log_density_.data()});
  }

  /// How log densities change when S goes along z; S stays in its domain.
  bool look_along(const Vector& z, Vector& change) {
    double length = 0;
    for (std::size_t i = 0; i < z.size(); ++i)
      length = std::max(length, std::abs(z[i]) / (1e-2 + std::abs(S_.data()[i])));
    change.assign(here_.size(), 0.0);
    followed_.assign(z.size(), 0.0);
    if (length == 0) return true;
    if (!std::isfinite(length)) return false;
    double h = 1e-3 / length;
    Statistic there = S_;
    for (int i = 0; i < 6; ++i, h /= 10) {
      there = S_;
      move(there, z, h);
      if (valid(model_, theta_, there)) break;
      if (i == 5) return false;
    }
    const Parameters theta = at(there);
    tangent_.moments(theta, there);
    for (std::size_t i = 0; i < z.size(); ++i)
      followed_[i] = (there.data()[i] - moments_.data()[i]) / h;
    expect(*model_.prepare(theta), sample_);
    for (std::size_t t = 0; t < change.size(); ++t) change[t] = (log_density_[t] - here_[t]) / h;
    centre(change);
    return true;
  }

  /// A z, after `look_along` z, which changes log densities by d. Rows weigh 1 + e d, so that the E-step sums d E[s | Y].
  Vector times_a(const Vector& z, const Vector& d) {
    double largest = 0;
    for (const double v : d) largest = std::max(largest, std::abs(v));
    const double e = largest > 0 ? 0.5 / largest : 1;
    Vector weights(d.size());
    for (std::size_t t = 0; t < d.size(); ++t) weights[t] = weight_[t] * (1 + e * d[t]);
    Block rows = sample_;
    rows.side.weight = weights.data();
    expect(*prepared_, rows);
    Vector result(z.size());
    for (std::size_t i = 0; i < z.size(); ++i)
      result[i] =
          (1 + kappa_) * z[i] - followed_[i] + (sums_.data()[i] / total_ - mean_.data()[i]) / e;
    return result;
  }

  const Model& model_;
  const Tangent& tangent_;
  const Plan& plan_;
  Parameters theta_;
  Context context_;
  double kappa_;  // n_0 of a prior over the rows that it is weighed against
  Block sample_;
  const ThreadPool& pool_;
  Sums sums_;
  std::vector<Sums> parts_;
  Statistic S_;  // where A is taken; theta_ is theta-bar(S)
  std::unique_ptr<const Prepared> prepared_;
  Statistic moments_;   // E_theta[s]
  Statistic mean_;      // of E_theta[s | Y] over the sample
  Vector here_;         // log densities at theta
  Vector log_density_;  // of the last E-step
  Vector followed_;     // derivative of E_theta[s] along the direction that was looked along last
  Vector weight_;
  double total_ = 0;
};

}  // namespace

std::optional<Scored> score_path(const Model& model, const Tangent& tangent, const Plan& plan,
                                 const PathMean& path, const Parameters& averaged,
                                 const Regularisation& regularisation, double rows,
                                 const Block& sample, bool of_all, const ThreadPool& pool) {
  if (!(path.weight() > 0) || !(sample.total_weight() > 0)) return std::nullopt;
  Context context = regularisation.context(rows);
  const Statistic* prior = std::exchange(context.prior, nullptr);  // what is asked for has it
  const double kappa = prior ? prior->weight / rows : 0;
  if (kappa > most_prior) return std::nullopt;
  Statistic S = path.where();
  if (!valid(model, averaged, S)) return std::nullopt;
  ScoringStep step(model, tangent, plan, averaged, context, kappa, sample, pool);
  Vector asked(path.asked().values().begin(), path.asked().values().end());
  for (std::size_t i = 0; prior && i < asked.size(); ++i)
    asked[i] -= kappa * (S.data()[i] - prior->data()[i]);
  Vector x;
  Parameters theta = step.at(S);
  for (int part = 0; part < most_parts; ++part) {
    if (!step.place(S) || !step.solve(asked, x)) return std::nullopt;
    const double too_long = step.overshoot(x);
    for (double& v : x) v /= too_long;
    double share = 1;  // of what is left
    Statistic there = S;
    Parameters next = theta;
    for (int shorter = 0;; ++shorter, share *= 0.7) {
      if (shorter == 30) return std::nullopt;
      there = S;
      move(there, x, share);
      if (!there.finite()) return std::nullopt;
      if (!valid(model, averaged, there)) continue;
      next = step.at(there);
      if (change(theta, next) <= longest_part) break;
    }
    S = std::move(there);
    theta = std::move(next);
    if (share == 1) break;
    for (double& v : asked) v *= 1 - share;
  }
  const double p_over_n = real(plan.free_parameters) / path.weight();
  if (of_all && !step.pays(averaged, theta, p_over_n)) return std::nullopt;
  for (std::size_t i = 0; prior && i < S.size(); ++i)
    S.data()[i] += kappa * (S.data()[i] - prior->data()[i]);
  return Scored{std::move(theta), std::move(S)};
}

}  // namespace thalweg
