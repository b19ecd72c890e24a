// Probabilistic principal component analysis (Tipping & Bishop 1999): Y = mean + W Z + sqrt(noise) N with Z and N standard
// normal, Z in r dimensions. With M = W'W + noise I, given Y = y the factors Z are normal with mean M^-1 W'(y - mean) and
// covariance noise M^-1.
//
// Statistics live in a gauge, as those of Gaussian components do: y in this file means (y - shift) / scale, with one scale for
// all columns, because the noise has one variance for all. They cost O(d r) a row.
#pragma once

#include <thalweg/core/capabilities.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <memory>
#include <string_view>

namespace thalweg {

struct PpcaOptions {
  std::size_t rank = 1;  // r
  /// M-steps let mean and covariance of the factors go free and then whiten them again (parameter expansion: Liu, Rubin & Wu
  /// 1998). Plain EM crawls where the noise is small: it contracts the scale of W by 1 - noise/variance an iteration.
  bool expanded = true;
};

/// theta: mean (d), loadings W (d × r), noise_variance; constants shift (d), scale.
/// S: E z (r), a triangle of E z z', E y (d), E y z' (d × r), E |y|².
class THALWEG_API Ppca final : public Model,
                               public Absorb,
                               public Gauge,
                               public Conjugate,
                               public Tangent,
                               public Exact,
                               public Canonical,
                               public Bounded {
 public:
  static constexpr std::string_view name = "ppca";
  static constexpr std::string_view domain = "numbers up to 1e150 in size";

  explicit Ppca(PpcaOptions options = {});

  std::size_t rank() const { return r_; }

  Plan plan(const Schema& schema) const override;
  void calibrate(const Block& buffer, Parameters& theta) const override;
  void check(const Schema& schema, const Block& block) const override;

  /// The likelihood has no maximum but the global one, and `start` is where the first rows have it.
  Parameters start(const Plan& plan, const Block& buffer, Random& random) const override;

  std::unique_ptr<const Prepared> prepare(const Parameters& theta) const override;

  /// One row and one factor: the textbook recursion in O(d), without an allocation.
  double absorb(Parameters& theta, const Block& block, double rate, Statistic& S,
                const Context& context, Carry& carry) const override;

  void draw(const Parameters& theta, const Block& given, Carry& carry, Random& random,
            double* row) const override;
  double score(const Parameters& theta, const Statistic& S) const override;

  /// A round cloud at the median, as wide as the data, that the factors do not explain.
  Statistic prior(const Block& buffer, const Parameters& theta) const override;
  void regauge(const Parameters& from, const Parameters& to, Statistic& S) const override;

  void moments(const Parameters& theta, Statistic& S) const override;
  void tangent(const Parameters& theta, const Statistic& dS, const Context& context,
               Parameters& dtheta) const override;
  bool valid(const Parameters& theta, const Statistic& S) const override;

  /// Factors are known up to a rotation: orthogonal loadings, the longest first, the largest entry of each positive. S follows.
  void align(Parameters& theta, Statistic& S) const override;

  /// The maximum in closed form, from mean and second moments of the rows (d (d + 3) / 2 numbers).
  std::shared_ptr<const Layout> observed(const Schema& schema) const override;
  void tally(const Parameters& theta, const Block& block, Sums& sums) const override;
  double solve(const Statistic& moments, const Context& context, Parameters& theta,
               Statistic& S) const override;

 private:
  /// `mean`, `loadings` and `noise_variance` may be held. With a prior, whose score knows the factors, nothing is expanded.
  void m_step(const Statistic& S, const Context& context, Parameters& theta) const override;

  static std::size_t columns(const Parameters& theta) {
    return theta.layout().extent(Axis::column);
  }
  double absorb_row(Parameters& theta, const double* y, double rate, Statistic& S) const;
  Parameters random_start(const Plan& plan, const Block& buffer, Random& random) const;

  std::size_t r_;
  bool expanded_;
};

}  // namespace thalweg
