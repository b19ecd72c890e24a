// Mixtures do what the textbook says: E-step, M-step, posteriors, the online step.
#include "mixtures.hpp"

namespace test_mixture {

using namespace mixtures;

template <class M>
class Mixtures : public MixtureTest<M> {};
TYPED_TEST_SUITE(Mixtures, Both);

static_assert(Family<Poisson> && Family<Gaussian>);

TYPED_TEST(Mixtures, expect_gives_the_log_likelihood) {
  for (const auto& data : {this->data_, this->weighted_}) {
    const Table table = samples::table(data);
    Sums sums(this->plan_.statistic);
    const double log_likelihood = expect(this->model_, this->parameters_, table.block(), sums);
    const auto expected = static_cast<double>(textbook::log_likelihood(this->theta_, data));
    EXPECT_NEAR(log_likelihood, expected, 1e-12 * std::abs(expected));
    EXPECT_DOUBLE_EQ(sums.weight, table.block().total_weight());
  }
}

TYPED_TEST(Mixtures, an_em_step_is_the_textbooks) {
  for (const auto& data : {this->data_, this->weighted_}) {
    const Table table = samples::table(data);
    textbook::Theta slow = this->theta_;
    Parameters fast = this->parameters_;
    for (int iteration = 0; iteration < 5; ++iteration) {
      slow = textbook::batch_iteration(slow, data);
      fast = em_step(this->model_, fast, table.block());
      EXPECT_LT(samples::difference(samples::theta(fast), slow), 1e-11) << iteration;
    }
  }
}

TYPED_TEST(Mixtures, statistics_add) {
  const Block all = this->table_.block();
  Sums whole(this->plan_.statistic);
  Sums parts(this->plan_.statistic);
  expect(this->model_, this->parameters_, all, whole);
  for (std::size_t begin = 0; begin < all.rows; begin += 90)
    expect(this->model_, this->parameters_,
           all.slice(begin, std::min<std::size_t>(90, all.rows - begin)), parts);
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_NEAR(parts.data()[i], whole.data()[i], 1e-12 * static_cast<double>(all.rows) * 100);
  EXPECT_EQ(parts.weight, whole.weight);
}

TYPED_TEST(Mixtures, weight_two_is_the_row_twice) {
  textbook::Data doubled;
  textbook::Data twice = this->data_;
  for (std::size_t t = 0; t < twice.rows.size(); ++t) {
    twice.weights.push_back(t % 3 == 0 ? 2 : 1);
    doubled.rows.push_back(twice.rows[t]);
    if (t % 3 == 0) doubled.rows.push_back(twice.rows[t]);
  }
  Sums by_weight(this->plan_.statistic);
  Sums by_row(this->plan_.statistic);
  const Table a = samples::table(twice);
  const Table b = samples::table(doubled);
  const double la = expect(this->model_, this->parameters_, a.block(), by_weight);
  const double lb = expect(this->model_, this->parameters_, b.block(), by_row);
  EXPECT_NEAR(la, lb, 1e-12 * std::abs(lb));
  for (std::size_t i = 0; i < by_row.size(); ++i)
    EXPECT_NEAR(by_weight.data()[i], by_row.data()[i], 1e-11 * (1 + std::abs(by_row.data()[i])));
  EXPECT_EQ(by_weight.weight, by_row.weight);
}

TYPED_TEST(Mixtures, a_row_of_weight_zero_is_not_there) {
  textbook::Data with = this->data_;
  with.weights.assign(with.rows.size(), 1.0);
  textbook::Data without;
  for (std::size_t t = 0; t < with.rows.size(); ++t)
    if (t % 4 == 0)
      with.weights[t] = 0;
    else
      without.rows.push_back(with.rows[t]);
  const Parameters a = em_step(this->model_, this->parameters_, samples::table(with).block());
  const Parameters b = em_step(this->model_, this->parameters_, samples::table(without).block());
  EXPECT_LT(samples::difference(samples::theta(a), samples::theta(b)), 1e-12);
}

TYPED_TEST(Mixtures, explain_gives_posteriors_and_densities) {
  Explanation out;
  explain(this->model_, this->parameters_, this->table_.block(), out);
  ASSERT_EQ(out.classes, 3U);
  ASSERT_EQ(out.log_density.size(), this->n);
  ASSERT_EQ(out.posterior.size(), this->n * 3);
  for (std::size_t t = 0; t < this->n; ++t) {
    const auto& y = this->data_.rows[t];
    EXPECT_NEAR(out.log_density[t], static_cast<double>(textbook::log_density(this->theta_, y)),
                1e-11);
    const textbook::Vector r = textbook::posterior(this->theta_, y);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(out.posterior[t * 3 + k], static_cast<double>(r[k]), 1e-11);
  }
}

// The fast path for one row and the general path must not differ by more than rounding.
TYPED_TEST(Mixtures, absorbing_one_row_is_expect_blend_maximise) {
  for (const bool weighted : {false, true}) {
    const Table table = samples::table(weighted ? this->weighted_ : this->data_);
    Parameters fast = this->parameters_;
    Parameters slow = fast;
    Statistic fast_S(this->plan_.statistic);
    Statistic slow_S = fast_S;
    Carry carry;
    Carry slow_carry;
    for (std::size_t t = 0; t < 300; ++t) {
      const Block row = table.block().slice(t, 1);
      if (!(row.weight(0) > 0)) continue;
      const double rate = std::pow(static_cast<double>(t + 1), -0.6);
      const Context context{.freeze = t < 50};
      const double a = absorb(this->model_, fast, row, rate, fast_S, context, carry);
      const double b =
          absorb_by_expectation(this->model_, slow, row, rate, slow_S, context, slow_carry);
      ASSERT_NEAR(a, b, 1e-12 * (1 + std::abs(b))) << t;
    }
    EXPECT_EQ(fast_S.weight, slow_S.weight);
    for (std::size_t i = 0; i < fast_S.size(); ++i)
      EXPECT_NEAR(fast_S.data()[i], slow_S.data()[i], 1e-12 * (1 + std::abs(slow_S.data()[i])));
    EXPECT_LT(samples::difference(samples::theta(fast), samples::theta(slow)), 1e-11);
  }
}

TYPED_TEST(Mixtures, plan_names_what_there_is) {
  EXPECT_EQ(this->plan_.statistic->pieces().front().name, "weights");
  EXPECT_EQ(this->plan_.parameters->pieces().front().name, "weights");
  EXPECT_EQ(this->plan_.parameters->pieces().front().domain, Domain::simplex);
  EXPECT_GE(this->plan_.rows_needed, 3U);
  // K - 1 weights, and K d rates or 2 K d means and variances.
  const bool poisson = this->plan_.parameters->find("rates") != nullptr;
  EXPECT_EQ(this->plan_.free_parameters, poisson ? 2U + 6U : 2U + 12U);
  EXPECT_THROW(TypeParam({}, 0), UsageError);
}

}  // namespace test_mixture
