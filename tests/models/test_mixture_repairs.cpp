// Empty components, floors, far-away rows and refused cells: a documented repair, counted and named, never a NaN.
#include "fragile.hpp"
#include "mixtures.hpp"

namespace test_mixture_repairs {

using namespace mixtures;

template <class M>
class Repairs : public MixtureTest<M> {};
TYPED_TEST_SUITE(Repairs, Both);

TYPED_TEST(Repairs, an_empty_component_keeps_its_parameters_and_is_counted) {
  textbook::Theta theta = this->theta_;
  theta.first[2] = {5000, 5000};  // no row is anywhere near
  const Parameters before = samples::parameters(this->model_, theta, this->table_.block());
  Events events;
  Parameters after = before;
  for (int i = 1; i <= 3; ++i) {
    after = em_step(this->model_, after, this->table_.block(), &events);
    EXPECT_EQ(events[Event::empty_component], static_cast<std::uint64_t>(i));
  }
  ASSERT_TRUE(after.finite());
  const textbook::Theta now = samples::theta(after);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(static_cast<double>(now.first[2][j]), 5000, 1e-9);
  EXPECT_LT(now.weights[2], 1e-12L);
  Sums sums(this->plan_.statistic);
  EXPECT_TRUE(std::isfinite(expect(this->model_, after, this->table_.block(), sums)));
  EXPECT_TRUE(sums.finite());
}

TYPED_TEST(Repairs, the_other_components_do_not_notice_an_empty_one) {
  textbook::Theta two = this->theta_;
  two.weights = {0.5L, 0.5L};
  two.first.pop_back();
  if (!two.variances.empty()) two.variances.pop_back();
  textbook::Theta three = this->theta_;
  three.weights = {0.5L, 0.5L, 1e-290L};
  const Block rows = this->table_.block();
  const TypeParam small({}, 2);
  const auto a = samples::theta(em_step(small, samples::parameters(small, two, rows), rows));
  const auto b =
      samples::theta(em_step(this->model_, samples::parameters(this->model_, three, rows), rows));
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(static_cast<double>(a.weights[k]), static_cast<double>(b.weights[k]), 1e-13);
    EXPECT_NEAR(static_cast<double>(a.first[k][0]), static_cast<double>(b.first[k][0]), 1e-12);
  }
}

// Far away, all densities underflow; logarithms do not.
TYPED_TEST(Repairs, a_far_away_row_never_makes_a_nan) {
  for (const double far : {1e3, 1e6, 1e9, 1e15}) {
    textbook::Data data = this->data_;
    data.rows.push_back({far, far});
    const Table table = samples::table(data);
    Explanation out;
    explain(this->model_, this->parameters_, table.block(), out);
    for (const double x : out.log_density) EXPECT_TRUE(std::isfinite(x)) << far;
    for (const double x : out.posterior) EXPECT_TRUE(x >= 0 && x <= 1 + 1e-12) << far;
    EXPECT_NEAR(out.log_density.back(),
                static_cast<double>(textbook::log_density(this->theta_, data.rows.back())),
                1e-9 * std::abs(out.log_density.back()));
    Parameters theta = this->parameters_;
    for (int i = 0; i < 20; ++i) theta = em_step(this->model_, theta, table.block());
    EXPECT_TRUE(theta.finite()) << far;
  }
}

TYPED_TEST(Repairs, a_refused_cell_is_named_by_row_and_column) {
  const Schema schema{{"width", "height"}};
  const std::vector<double> bad =
      this->plan_.parameters->find("rates")
          ? std::vector<double>{-1, 0.5, 1e300, std::nan(""), HUGE_VAL}
          : std::vector<double>{std::nan(""), HUGE_VAL, -HUGE_VAL, 1.01e150, -1e300};
  for (const double cell : bad) {
    std::vector<double> values{1, 2, 3, 4, 5, cell};
    Block block = dense_block(values.data(), 3, 2);
    block.number_from(1000);
    try {
      admit(this->model_, schema, block);
      FAIL() << cell << " must be refused";
    } catch (const RowError& error) {
      const std::string what = error.what();
      EXPECT_EQ(error.row(), 1002U);
      EXPECT_NE(what.find("row 1003"), std::string::npos) << what;
      EXPECT_NE(what.find("\"height\""), std::string::npos) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << "one line";
      if (std::isnan(cell)) {
        EXPECT_NE(what.find("missing"), std::string::npos) << what;
      }
    }
    EXPECT_NO_THROW(admit(this->model_, schema, block.slice(0, 2)));
  }
}

TYPED_TEST(Repairs, a_label_is_a_component_or_unknown) {
  const std::vector<double> values{1, 2, 3, 4};
  for (const double label : {-1.0, 3.0, 0.5, 1e300, HUGE_VAL, -HUGE_VAL}) {
    const std::vector<double> labels{2, label};
    Block block = dense_block(values.data(), 2, 2);
    block.side.label = labels.data();
    EXPECT_THROW(admit(this->model_, this->schema_, block), RowError) << label;
  }
  const std::vector<double> labels{0, std::nan("")};
  Block block = dense_block(values.data(), 2, 2);
  block.side.label = labels.data();
  EXPECT_NO_THROW(admit(this->model_, this->schema_, block));
}

TYPED_TEST(Repairs, an_online_step_leaves_out_what_is_not_finite) {
  std::vector<double> rows(2 * 20, 3.0);
  const auto expect_left_out = [&](const auto& model, std::size_t count) {
    Parameters theta = this->parameters_;
    Statistic S(this->plan_.statistic);
    S.data()[0] = 1;
    const Statistic before = S;
    Events events;
    Carry carry;
    EXPECT_EQ(absorb(model, theta, dense_block(rows.data(), count, 2), 0.5, S, {.events = &events},
                     carry),
              0.0);
    EXPECT_EQ(events[Event::batch_left_out], 1U);
    EXPECT_TRUE(std::equal(S.values().begin(), S.values().end(), before.values().begin()));
    EXPECT_EQ(S.weight, before.weight);
    EXPECT_TRUE(theta.finite());
  };
  rows[0] = 1e100;  // where a user's model has no finite statistic
  for (const std::size_t count : {1U, 20U}) expect_left_out(samples::Fragile(this->model_), count);
  rows[0] = std::nan("");  // a row alone has its own route
  expect_left_out(this->model_, 1);
}

}  // namespace test_mixture_repairs
