// Linear and Cholesky form: the rule that chooses, and the digits of both on either side of it.
#include "normals.hpp"

#include <gtest/gtest.h>

namespace test_gaussian_form {

using namespace normals;

void expect_digits(const Twin& twin, const Table& table) {
  const textbook::Normals slow = written_out(twin);
  const Block rows = table.block();
  Explanation fast;
  explain(twin.model, twin.theta, rows, fast);
  for (std::size_t t = 0; t < rows.rows; ++t) {
    const textbook::Seen seen = textbook::explain(slow, row_of(rows, t));
    const auto expected = static_cast<double>(seen.log_density);
    ASSERT_NEAR(fast.log_density[t], expected, 1e-9 * std::max(1.0, std::abs(expected))) << t;
    for (std::size_t k = 0; k < twin.e.K; ++k)
      ASSERT_NEAR(fast.posterior[t * twin.e.K + k], static_cast<double>(seen.posterior[k]), 1e-9);
  }
}

TEST(GaussianForm, both_forms_keep_their_digits_beside_the_limit) {
  for (const Covariance kind : kinds)
    for (const std::size_t d : {1U, 2U, 5U}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << ", " << d << " columns");
      const Twin wide = make(kind, 3, d, static_cast<unsigned>(d));
      ASSERT_TRUE(wide.linear());
      double low = 1e-9;  // deviations of component 0 where the rule has changed its mind
      double high = 1;
      while (high / low > 1 + 1e-9) {
        const double middle = std::sqrt(low * high);
        Twin twin = wide;
        twin.stretch(0, middle);
        (twin.linear() ? high : low) = middle;
      }
      for (const double factor : {low, high, 1e-3 * low}) {
        Twin twin = wide;
        twin.stretch(0, factor);
        ASSERT_EQ(twin.linear(), factor == high);
        expect_digits(twin, draw(twin, 300, 1));
      }
    }
}

TEST(GaussianForm, rows_between_and_beyond_the_components_keep_theirs_too) {
  for (const Covariance kind : kinds)
    for (const double factor : {1.0, 1e-4}) {
      Twin twin = make(kind, 3, 4, 9);
      twin.stretch(0, factor);
      Table table(4);
      for (const double far : {0.0, 5.0, 10.0, 30.0, -300.0, 1e6}) {
        const std::vector<double> row{far, 10, far, 9};
        table.append_row(row.data());
      }
      expect_digits(twin, table);
    }
}

// Rows far out on the long axis of a thin component: terms of size |P| sd² cancel there, wherever the mean is.
TEST(GaussianForm, rows_on_a_long_axis_keep_their_digits) {
  for (const Covariance kind : {Covariance::full, Covariance::tied})
    for (const double length : {1.0, 10.0, 100.0}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << ", length " << length);
      Twin twin = make(kind, 2, 2, 3);
      for (std::size_t at = 0; at < twin.theta["covariances"].size(); at += 4) {
        auto sigma = twin.theta["covariances"].subspan(at, 4);
        sigma[0] = sigma[3] = length * length;
        sigma[1] = sigma[2] = length * length - 1e-3;  // thin across the diagonal
      }
      for (double& unit : twin.theta["scale"]) unit = 1;  // as other rows have told
      EXPECT_EQ(twin.linear(), length == 1);
      const Table near = draw(twin, 300, 4);
      Table far(2);
      for (std::size_t t = 0; t < near.rows(); ++t) {
        std::vector<double> row = row_of(near.block(), t);
        for (std::size_t j = 0; j < 2; ++j) row[j] += 29 * (row[j] - twin.theta["means"][j]);
        far.append_row(row.data());
      }
      expect_digits(twin, near);
      expect_digits(twin, far);
    }
}

// The linear form subtracts numbers of size |P| (|m| + max(1, sd))².
TEST(GaussianForm, a_tight_component_far_from_the_centre_is_not_linear) {
  for (const Covariance kind : {Covariance::full, Covariance::diag, Covariance::spherical}) {
    Twin twin = make(kind, 3, 4, 2);
    EXPECT_TRUE(twin.linear());
    twin.stretch(2, 0.05);  // tight, but near the centre
    const bool near = twin.linear();
    for (double& m : twin.theta["means"].last(4)) m += 1e3;
    EXPECT_FALSE(twin.linear());
    EXPECT_TRUE(near);
    EXPECT_TRUE(make(kind, 3, 4, 2).linear()) << "one component decides, and only when it is there";
  }
}

TEST(GaussianForm, one_tight_component_is_enough) {
  for (const Covariance kind : kinds)
    for (std::size_t k = 0; k < 3; ++k) {
      Twin twin = make(kind, 3, 4, 2);
      twin.stretch(k, 1e-5);
      EXPECT_FALSE(twin.linear()) << k;
    }
}

TEST(GaussianForm, products_of_more_than_32_columns_fit_no_tile) {
  for (const Covariance kind : kinds) {
    const bool products = kind == Covariance::full || kind == Covariance::tied;
    EXPECT_TRUE(make(kind, 2, 32, 3).linear());
    EXPECT_EQ(make(kind, 2, 33, 3).linear(), !products);
  }
}

// Means, second moments and likelihood where no tile holds the products, and where it just does.
TEST(GaussianForm, wide_statistics_are_those_of_the_textbook) {
  for (const Covariance kind : kinds)
    for (const std::size_t d : {32U, 33U, 40U}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << ", " << d << " columns");
      const Twin twin = make(kind, 2, d, 4);
      const textbook::Normals slow = written_out(twin);
      const Table plain = draw(twin, 201, 2);  // two tiles, the second one short
      Table table(d);
      for (std::size_t t = 0; t < plain.rows(); ++t)
        table.append_row(plain.block().row(t), 0.5 + static_cast<double>(t % 3));
      const Block rows = table.block();
      Sums sums(twin.model.plan(Schema::numbered(d)).statistic);
      const double log_likelihood = expect(twin.model, twin.theta, rows, sums);

      std::vector<textbook::Real> expected(sums.size());
      std::vector<textbook::Real> size(sums.size());
      textbook::Real total = 0;
      std::vector<double> s(twin.family.width(twin.e));
      for (std::size_t t = 0; t < rows.rows; ++t) {
        const textbook::Seen seen = textbook::explain(slow, row_of(rows, t));
        total += rows.weight(t) * seen.log_density;
        std::vector<textbook::Real> z;
        for (std::size_t j = 0; j < d; ++j)
          z.push_back((textbook::Real(rows.row(t)[j]) - twin.theta["shift"][j]) /
                      twin.theta["scale"][j]);
        textbook::Vector features{1};
        features.insert(features.end(), z.begin(), z.end());
        textbook::Real trace = 0;
        for (std::size_t i = 0; i < d; ++i) {
          trace += z[i] * z[i];
          if (kind == Covariance::diag) features.push_back(z[i] * z[i]);
          for (std::size_t j = 0; j <= i && twin.family.has_products(); ++j)
            features.push_back(z[i] * z[j]);
        }
        if (kind == Covariance::spherical) features.push_back(trace);
        ASSERT_EQ(features.size() * 2, sums.size());
        for (std::size_t i = 0; i < sums.size(); ++i) {
          expected[i] += rows.weight(t) * seen.posterior[i % 2] * features[i / 2];
          size[i] += rows.weight(t) * seen.posterior[i % 2] * std::abs(features[i / 2]);
        }
      }
      for (std::size_t i = 0; i < sums.size(); ++i)
        ASSERT_NEAR(sums.data()[i], static_cast<double>(expected[i]),
                    1e-10 * static_cast<double>(1 + size[i]))
            << i;
      EXPECT_NEAR(log_likelihood, static_cast<double>(total),
                  1e-11 * static_cast<double>(std::abs(total)));
    }
}

}  // namespace test_gaussian_form
