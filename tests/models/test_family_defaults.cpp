// What a mixture does with a family that brings no more than it must.
#include "samples.hpp"
#include <thalweg/families/categorical.hpp>

#include <gtest/gtest.h>

namespace test_family_defaults {

using namespace thalweg;

/// A family without its derivatives, its form, its prior, its limits and its points.
template <class F>
struct Bare : FamilyDefaults<Bare<F>> {
  static constexpr std::string_view name = F::name;
  static constexpr std::string_view domain = F::domain;

  explicit Bare(F whole) : family(std::move(whole)) {}

  bool contains(double y, std::size_t j) const { return family.contains(y, j); }
  auto statistics(Extent e) const { return family.statistics(e); }
  std::size_t width(Extent e) const { return family.width(e); }
  std::vector<Piece> parameters(Extent e) const { return family.parameters(e); }
  void features(const double* theta, Extent e, const double* y, double* out,
                std::size_t stride) const {
    family.features(theta, e, y, out, stride);
  }
  void natural(const double* theta, Extent e, std::size_t k, double* psi,
               std::size_t stride) const {
    family.natural(theta, e, k, psi, stride);
  }
  void maximise(const double* S, Extent e, std::size_t k, const Context& context,
                double* theta) const {
    family.maximise(S, e, k, context, theta);
  }
  void draw(const double* theta, Extent e, std::size_t k, Random& random, double* y) const {
    family.draw(theta, e, k, random, y);
  }
  double log_base(const double* y, std::size_t d) const { return family.log_base(y, d); }
  void maximise_shared(const double* S, Extent e, const Context& context, double* theta) const {
    family.maximise_shared(S, e, context, theta);
  }
  void calibrate(const Block& buffer, Extent e, const double* weights, double* theta) const {
    family.calibrate(buffer, e, weights, theta);
  }
  void regauge(const double* from, const double* to, Extent e, double* S) const {
    family.regauge(from, to, e, S);
  }
  void moments(const double* theta, Extent e, std::size_t k, double* s, std::size_t stride) const {
    family.moments(theta, e, k, s, stride);
  }

  F family;
};

/// The tangent by the family's formulas and by differences, towards the statistics of single rows.
template <class F>
void compare_tangents(const F& family, const textbook::Theta& truth, const Fixed* fixed = nullptr) {
  const Mixture<F> whole(family, 3);
  const Mixture<Bare<F>> bare(Bare<F>(family), 3);
  const Table table = samples::table(samples::draw(truth, 300, 5));
  const Schema schema = Schema::numbered(2);
  Random random(1);
  const Parameters theta = whole.start(whole.plan(schema), table.block(), random);
  const Plan plan = bare.plan(schema);
  Statistic eta(plan.statistic);
  bare.moments(theta, eta);
  for (std::size_t t = 0; t < 300; t += 37) {
    Sums sums(plan.statistic);
    expect(whole, theta, table.block().slice(t, 1), sums);
    Statistic dS = mean(sums);
    for (std::size_t i = 0; i < dS.size(); ++i) dS.data()[i] -= eta.data()[i];
    Parameters told(plan.parameters);
    Parameters found(plan.parameters);
    whole.tangent(theta, dS, {.fixed = fixed}, told);
    bare.tangent(theta, dS, {.fixed = fixed}, found);
    for (std::size_t i = 0; i < told.size(); ++i)
      EXPECT_NEAR(found.data()[i], told.data()[i], 1e-6 * (1 + std::abs(told.data()[i])))
          << "entry " << i << ", row " << t;
    for (std::size_t i = 0; i < told.size(); ++i)
      EXPECT_EQ(told.data()[i] == 0, found.data()[i] == 0) << "held, or a constant: entry " << i;
  }
}

TEST(FamilyDefaults, differences_are_a_tangent) {
  compare_tangents(Poisson{}, samples::three_poissons());
  for (const Covariance kind : {Covariance::full, Covariance::tied, Covariance::diag})
    compare_tangents(Gaussian(kind), samples::three_gaussians());
}

TEST(FamilyDefaults, differences_leave_alone_what_is_held) {
  const Fixed rates = Fixed::parse("rates[1],weights[0]");
  compare_tangents(Poisson{}, samples::three_poissons(), &rates);
  const Fixed covariances = Fixed::parse("covariances");
  compare_tangents(Gaussian(Covariance::tied), samples::three_gaussians(), &covariances);
}

TEST(FamilyDefaults, a_prior_is_what_the_rows_say) {
  const Mixture<Bare<Gaussian>> model(Bare<Gaussian>(Gaussian{}), 2);
  const std::vector<double> cells{1, 3, 8};
  const std::vector<double> weights{1, 2, 1};
  Block rows = dense_block(cells.data(), 3, 1);
  rows.side.weight = weights.data();
  Parameters theta(model.plan(Schema::numbered(1)).parameters);
  theta["scale"][0] = 1;
  const Statistic S_0 = model.prior(rows, theta);
  const std::vector<double> expected{0.5, 0.5, 15.0 / 8, 15.0 / 8, 83.0 / 8, 83.0 / 8};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(S_0.data()[i], expected[i]) << i;
}

TEST(FamilyDefaults, rows_are_their_own_points_and_any_statistic_is_valid) {
  const Bare<Poisson> family(Poisson{});
  const std::vector<double> row{4, 9};
  std::vector<double> x(2);
  EXPECT_EQ(family.embedding({3, 2}).coordinates, 2U);
  EXPECT_TRUE(family.embedding({3, 2}).levels.empty());
  family.embed({3, 2}, row.data(), x.data());
  EXPECT_EQ(x, row);
  Statistic S(Mixture<Bare<Poisson>>(family, 3).plan(Schema::numbered(2)).statistic);
  EXPECT_TRUE(family.valid(S.data(), S.data(), {3, 2}, 1e-12));
}

TEST(FamilyDefaults, free_parameters_are_those_of_the_pieces) {
  const Schema schema = Schema::numbered(4);
  EXPECT_EQ(Mixture(Poisson{}, 3).plan(schema).free_parameters, 2U + 12U);
  EXPECT_EQ(Mixture(Gaussian(Covariance::full), 3).plan(schema).free_parameters, 2U + 12U + 30U);
  EXPECT_EQ(Mixture(Gaussian(Covariance::tied), 3).plan(schema).free_parameters, 2U + 12U + 10U);
  EXPECT_EQ(Mixture(Gaussian(Covariance::spherical), 3).plan(schema).free_parameters,
            2U + 12U + 3U);
  EXPECT_EQ(Mixture(Categorical({2, 3, 2, 4}), 3).plan(schema).free_parameters, 2U + 21U);
}

}  // namespace test_family_defaults
